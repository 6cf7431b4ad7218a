/* SPDX-License-Identifier: MIT */
/*
 * jitter UID [ROOT]: as the user UID in the root folder ROOT, generates code and prints its pid and
 * the code's address. Waits for a file "go" in the folder where it was started, then runs the code
 * for 0.4 s.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static void leave(int signal_number)
{
	_exit(signal_number == SIGVTALRM ? 6 : 1);
}

int main(int argc, char **argv)
{
	const struct itimerval work = {.it_value = {.tv_usec = 400000}};
	const struct timespec moment = {.tv_nsec = 5000000};
	uint32_t *code = mmap(
		NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int folder = open(".", O_PATH | O_DIRECTORY);
	uid_t uid = argc > 1 ? (uid_t)atoi(argv[1]) : getuid();
	void (*run)(void);

	if (code == MAP_FAILED || folder < 0 || (argc > 2 && chroot(argv[2]) < 0) ||
		(uid != getuid() && (setgid((gid_t)uid) < 0 || setuid(uid) < 0)))
		return 2;
	(void)printf("%d %p\n", (int)getpid(), (void *)code);
	(void)fflush(stdout);
	while (faccessat(folder, "go", F_OK, 0) < 0)
		(void)nanosleep(&moment, NULL);
#if defined(__x86_64__)
	*code = 0xfeeb; /* a jump to itself */
#elif defined(__aarch64__)
	*code = 0x14000000;
#else
	return 77;
#endif
	__builtin___clear_cache((char *)code, (char *)code + 4);
	memcpy(&run, &code, sizeof(run));
	(void)signal(SIGVTALRM, leave);
	(void)setitimer(ITIMER_VIRTUAL, &work, NULL);
	run();
	return 1;
}
