/* SPDX-License-Identifier: MIT */
/*
 * A program built with glibc only. Turns profil() on twice, then off, and prints "RESULT ERRNO" of
 * each call; after the first, also REASON of sprofil_status(), if a loaded library has it, or 98 if
 * that fails. With "poll", a filter refuses poll(2) from then on. With "reopen", descriptor 2
 * becomes the file "data".
 *
 * Ends with 1 if the calls waited a second in all; with 4 if errno is not 0 at the start, though
 * the library looked for its helper and for descriptor 2; with 5 if the first call succeeded
 * without a poll() that this program saw.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "client/include/sprofil/status.h"
#include "tests/refuse_call.h"

static unsigned short counts[64];

/* Time that the preload library asked to wait in vain: the time that passes depends on load. */
static uint64_t waited_ms;
static unsigned polls;

/* The preload library calls the program's poll() and nanosleep(), not glibc's. */
int poll(struct pollfd *fds, nfds_t n, int timeout_ms)
{
	struct timespec timeout = {timeout_ms / 1000, timeout_ms % 1000 * 1000000L};
	int r = (int)syscall(SYS_ppoll, fds, n, timeout_ms < 0 ? NULL : &timeout, NULL, 0);

	polls++;
	if (r == 0)
		waited_ms += (uint64_t)timeout_ms;
	return r;
}

int nanosleep(const struct timespec *time, struct timespec *ret_rest)
{
	waited_ms += (uint64_t)time->tv_sec * 1000 + (uint64_t)time->tv_nsec / 1000000;
	return (int)syscall(SYS_nanosleep, time, ret_rest);
}

static const char *name_of(int error)
{
	return error == EPERM     ? "EPERM"
		: error == EMFILE ? "EMFILE"
		: error == EAGAIN ? "EAGAIN"
		: error           ? "?"
				  : "0";
}

/* Turns profil() on, or off if @bytes is 0; prints the result and errno. */
static int turn(size_t bytes)
{
	int r;

	errno = 0;
	r = profil(counts, bytes, (size_t)&turn, 0x10000);
	(void)printf("%d %s", r, name_of(errno));
	return r;
}

int main(int argc, char **argv)
{
	int (*status)(struct sprofil_state *, size_t);
	struct sprofil_state state = {.reason = 99};
	int r;

	if (errno)
		return 4;
	if (argc > 1 && strcmp(argv[1], "poll") == 0 && refuse_poll() < 0)
		return 2;
	if (argc > 1 && strcmp(argv[1], "reopen") == 0 &&
		((close(2) < 0 && errno != EBADF) ||
			open("data", O_WRONLY | O_CREAT | O_TRUNC, 0600) != 2))
		return 3;
	*(void **)&status = dlsym(RTLD_DEFAULT, "sprofil_status");
	r = turn(sizeof(counts));
	if (status && status(&state, sizeof(state)) < 0)
		state.reason = 98;
	(void)printf(" %u\n", state.reason);
	if (r == 0 && polls == 0)
		return 5;
	(void)turn(sizeof(counts));
	(void)printf("\n");
	(void)turn(0);
	(void)printf("\n");
	return waited_ms >= 1000;
}
