/* SPDX-License-Identifier: MIT */
/*
 * race MODE [ARG...]: a target that provokes a race of docs/PTRACE.md. Ends with 0 if all was as
 * without a tracer; otherwise prints what was not, and ends with 1. The modes are described above
 * their functions.
 */
#include <errno.h>
#include <linux/sched.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "tests/targets/harmed.h"

static char *program;
static pthread_t self;
static atomic_bool over;
static volatile sig_atomic_t count, expected, disorder;

static int gettid_(void)
{
	return (int)syscall(SYS_gettid);
}

static void counted(int signal, siginfo_t *info, void *context)
{
	(void)signal, (void)info, (void)context;
	count++;
}

static void sequenced(int signal, siginfo_t *info, void *context)
{
	(void)signal, (void)context;
	if (info->si_code != SI_QUEUE || info->si_pid != getpid() ||
		info->si_value.sival_int != expected)
		disorder = 1;
	expected++;
}

static void *idle_work(void *context)
{
	(void)context;
	while (!atomic_load(&over))
		work_ms(1);
	return NULL;
}

static void *little(void *context)
{
	(void)context;
	return NULL;
}

static void *queue_signals(void *context)
{
	uint64_t end = now_ns() + (uint64_t)(uintptr_t)context * 1000000;
	int n = 0;

	while (now_ns() < end) {
		union sigval value = {.sival_int = n};
		struct timespec pause_time = {0, 100000};

		if (pthread_sigqueue(self, SIGRTMIN + 1, value) == 0)
			n++;
		(void)nanosleep(&pause_time, NULL);
	}
	return (void *)(uintptr_t)n;
}

/* signals MS: numbered real-time signals to the working main thread must all arrive. */
static void signals(unsigned ms)
{
	pthread_t thread;
	void *sent;
	uint64_t end;

	on_signal(SIGRTMIN + 1, sequenced, SA_RESTART);
	(void)pthread_create(&thread, NULL, queue_signals, (void *)(uintptr_t)ms);
	for (end = now_ns() + ms * UINT64_C(1000000); now_ns() < end;)
		work_ms(1);
	(void)pthread_join(thread, &sent);
	if (disorder || expected != (int)(uintptr_t)sent)
		harmed("%d of %d signals, %s", (int)expected, (int)(uintptr_t)sent,
			disorder ? "out of order or with a wrong siginfo" : "in order");
}

/* deaths MS: for MS ms children end (a SIGCHLD each) and a timer fires; no signal may be lost. */
static void children_and_alarms(unsigned ms)
{
	uint64_t end = now_ns() + ms * UINT64_C(1000000);
	sigset_t set, old;
	int children = 0, alarms = 0;

	on_signal(SIGCHLD, counted, SA_RESTART);
	on_signal(SIGALRM, sequenced, SA_RESTART);
	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGALRM);
	while (now_ns() < end) {
		struct itimerval once = {.it_value = {0, 300}};
		int before = expected;
		pid_t pid = fork();

		if (pid == 0)
			_exit(3);
		children += pid > 0;
		work_ms(1);
		if (waitpid(pid, NULL, 0) != pid)
			harmed("waitpid");
		(void)setitimer(ITIMER_REAL, &once, NULL);
		alarms++;
		(void)sigprocmask(SIG_BLOCK, &set, &old);
		while (expected == before)
			(void)sigsuspend(&old);
		(void)sigprocmask(SIG_SETMASK, &old, NULL);
	}
	if (count != children || expected != alarms)
		harmed("%d of %d SIGCHLD, %d of %d SIGALRM", (int)count, children, (int)expected,
			alarms);
}

static void *storm_half(void *context)
{
	for (unsigned i = 0; i < (unsigned)(uintptr_t)context; i++) {
		pthread_t thread;
		pid_t pid;
		int status = 0;

		(void)syscall(SYS_tgkill, getpid(), gettid_(), SIGUSR1);
		if (pthread_create(&thread, NULL, little, NULL) == 0)
			(void)pthread_join(thread, NULL);
		pid = fork();
		if (pid == 0)
			_exit(5);
		if (waitpid(pid, &status, 0) != pid || status != 5 << 8)
			harmed("child status %x", status);
	}
	return NULL;
}

static atomic_int handled;

static void counted_by_all(int signal, siginfo_t *info, void *context)
{
	(void)signal, (void)info, (void)context;
	atomic_fetch_add(&handled, 1);
}

/* storm N: two threads each make N threads and N children, with signals, at once. */
static void storm(unsigned n)
{
	pthread_t thread;

	on_signal(SIGUSR1, counted_by_all, SA_RESTART);
	(void)pthread_create(&thread, NULL, storm_half, (void *)(uintptr_t)n);
	(void)storm_half((void *)(uintptr_t)n);
	(void)pthread_join(thread, NULL);
	if (atomic_load(&handled) != (int)n * 2)
		harmed("%d of %u signals", atomic_load(&handled), n * 2);
}

static void *exec_again(void *context)
{
	char left[16];
	char *argv[] = {program, (char *)"exec", left, NULL};

	(void)snprintf(left, sizeof(left), "%u", (unsigned)(uintptr_t)context - 1);
	work_ms(3);
	(void)execv("/proc/self/exe", argv);
	harmed("exec: %s", strerror(errno));
}

/* exec N: of four working threads, one that is not the leader executes this program, N times. */
static void exec_from_thread(unsigned n)
{
	pthread_t thread;

	if (getpid() != gettid_())
		harmed("not the leader after exec");
	if (!n)
		return;
	for (int i = 0; i < 3; i++)
		(void)pthread_create(&thread, NULL, idle_work, NULL);
	(void)pthread_create(&thread, NULL, exec_again, (void *)(uintptr_t)n);
	(void)idle_work(NULL);
}

/* stopped_children N: children stop themselves and are killed at once. */
static void stopped_children(unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		int status = 0;
		pid_t pid = fork();

		if (pid == 0) {
			(void)raise(SIGSTOP);
			_exit(9);
		}
		if (waitpid(pid, &status, WUNTRACED) != pid || !WIFSTOPPED(status))
			harmed("stop not seen, %x", status);
		(void)kill(pid, SIGKILL);
		if (waitpid(pid, &status, 0) != pid || status != SIGKILL)
			harmed("death not seen, %x", status);
	}
}

static uint64_t used_before; /* CPU time before main() */

static void *end_process(void *context)
{
	while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < (uintptr_t)context * UINT64_C(1000000))
		work_ms(1);
	(void)printf(
		"%llu\n", (unsigned long long)(clock_ns(CLOCK_PROCESS_CPUTIME_ID) - used_before));
	exit(5);
}

/*
 * leader MS: the leader ends at once; two threads work on, until one has used MS ms of CPU time.
 * That one prints the CPU time of the process since main() in ns, and ends the process with 5.
 */
static void leader_first(unsigned ms)
{
	pthread_t thread;

	used_before = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	(void)pthread_create(&thread, NULL, idle_work, NULL);
	(void)pthread_create(&thread, NULL, end_process, (void *)(uintptr_t)ms);
	pthread_exit(NULL);
}

/* vfork MS: a parent waits in vfork(), unstoppable, for MS ms (0: for stdin); a thread works. */
static void in_vfork(unsigned ms)
{
	struct timespec time = {ms / 1000, ms % 1000 * 1000000};
	pthread_t thread;
	char byte;
	int status;
	pid_t pid;

	(void)pthread_create(&thread, NULL, idle_work, NULL);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
	pid = vfork();
#pragma GCC diagnostic pop
	if (pid == 0) {
		if (ms)
			(void)syscall(SYS_nanosleep, &time, NULL);
		else
			(void)!syscall(SYS_read, 0, &byte, 1);
		_exit(4);
	}
	atomic_store(&over, true);
	(void)pthread_join(thread, NULL);
	if (waitpid(pid, &status, 0) != pid || status != 4 << 8)
		harmed("vfork");
}

/* maps N: maps, runs and unmaps code at one address N times, with two contents in turn. */
static void changing_maps(unsigned n)
{
#ifdef __x86_64__
	/* mov $0x2000, %ecx; 1: dec %ecx; jnz 1b; ret. The second content begins with four nops. */
	static const uint8_t code[2][16] = {
		{0xb9, 0x00, 0x20, 0x00, 0x00, 0xff, 0xc9, 0x75, 0xfc, 0xc3},
		{0x90, 0x90, 0x90, 0x90, 0xb9, 0x00, 0x20, 0x00, 0x00, 0xff, 0xc9, 0x75, 0xfc,
			0xc3}};
	void *at = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (unsigned i = 0; i < n; i++) {
		void *page = mmap(at, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
		void (*run)(void);

		if (page == MAP_FAILED)
			harmed("mmap");
		memcpy(page, code[i % 2], sizeof(code[0]));
		memcpy(&run, &page, sizeof(run));
		for (int k = 0; k < 20; k++)
			run();
		(void)munmap(page, 4096);
	}
#else
	(void)n;
#endif
}

/* reuse N: N children in turn that all get one pid. 77: not permitted. */
static void reused_tid(unsigned n)
{
	pid_t first = fork(), again;

	if (first == 0)
		_exit(0);
	(void)waitpid(first, NULL, 0);
	for (unsigned i = 0; i < n; i++) {
		pid_t set[1] = {first};
		struct clone_args args = {
			.exit_signal = SIGCHLD, .set_tid = (uintptr_t)set, .set_tid_size = 1};
		int status = 0;

		again = (pid_t)syscall(SYS_clone3, &args, sizeof(args));
		if (again < 0 && (errno == EPERM || errno == EEXIST)) {
			if (errno == EEXIST)
				continue;
			_exit(77);
		}
		if (again == 0) {
			work_ms(2);
			_exit(6);
		}
		if (waitpid(again, &status, 0) != again || status != 6 << 8)
			harmed("child %u: %x", i, status);
	}
}

/* killed N: kills children right after birth: some never reach their first stop. */
static void killed_newborns(unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		int status = 0;
		pid_t pid = fork();

		if (pid == 0) {
			work_ms(1);
			_exit(6);
		}
		(void)kill(pid, SIGKILL);
		if (waitpid(pid, &status, 0) != pid || (status != SIGKILL && status != 6 << 8))
			harmed("child %u: %x", i, status);
	}
	for (unsigned i = 0; i < n / 10; i++) {
		/* Kills a group while its threads and children are being born. */
		int status = 0;
		pid_t pid = fork();

		if (pid == 0) {
			(void)setpgid(0, 0);
			for (;;) {
				pthread_t thread;

				if (fork() == 0)
					_exit(0);
				if (pthread_create(&thread, NULL, little, NULL) == 0)
					(void)pthread_detach(thread);
			}
		}
		(void)setpgid(pid, pid);
		work_ms(3);
		(void)kill(-pid, SIGKILL);
		if (waitpid(pid, &status, 0) != pid || status != SIGKILL)
			harmed("group %u: %x", i, status);
	}
}

/* clone N: N children with an exit signal other than SIGCHLD, which are processes, not threads. */
static void odd_children(unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		struct clone_args args = {.exit_signal = SIGURG};
		int status = 0;
		pid_t pid = (pid_t)syscall(SYS_clone3, &args, sizeof(args));

		if (pid == 0) {
			work_ms(2);
			_exit(6);
		}
		if (waitpid(pid, &status, __WALL) != pid || status != 6 << 8)
			harmed("child %u: %x", i, status);
	}
}

/* undumpable: becomes undumpable, prints "ready", and ends at the end of stdin. */
static void undumpable(void)
{
	char c;

	(void)prctl(PR_SET_DUMPABLE, 0);
	(void)puts("ready");
	(void)fflush(stdout);
	(void)!read(0, &c, 1);
}

static void *sleeper(void *context)
{
	struct timespec time = {0, 20000000};

	(void)context;
	while (!atomic_load(&over))
		(void)nanosleep(&time, NULL);
	return NULL;
}

/* crowd N MS: N threads mostly sleep, for MS ms; the main thread works. */
static void crowd(unsigned n, unsigned ms)
{
	static pthread_t thread[4096];
	pthread_attr_t attributes;

	if (n > 4096)
		n = 4096;
	(void)pthread_attr_init(&attributes);
	(void)pthread_attr_setstacksize(&attributes, 65536);
	for (unsigned i = 0; i < n; i++) {
		if (pthread_create(&thread[i], &attributes, sleeper, NULL))
			harmed("pthread_create %u", i);
	}
	work_ms(ms);
	atomic_store(&over, true);
	for (unsigned i = 0; i < n; i++)
		(void)pthread_join(thread[i], NULL);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	unsigned n = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 0;
	unsigned m = argc > 3 ? (unsigned)strtoul(argv[3], NULL, 10) : 0;

	program = argv[0];
	self = pthread_self();
	if (strcmp(mode, "signals") == 0)
		signals(n);
	else if (strcmp(mode, "deaths") == 0)
		children_and_alarms(n);
	else if (strcmp(mode, "storm") == 0)
		storm(n);
	else if (strcmp(mode, "exec") == 0)
		exec_from_thread(n);
	else if (strcmp(mode, "stopped_children") == 0)
		stopped_children(n);
	else if (strcmp(mode, "leader") == 0)
		leader_first(n);
	else if (strcmp(mode, "vfork") == 0)
		in_vfork(n);
	else if (strcmp(mode, "maps") == 0)
		changing_maps(n);
	else if (strcmp(mode, "reuse") == 0)
		reused_tid(n);
	else if (strcmp(mode, "killed") == 0)
		killed_newborns(n);
	else if (strcmp(mode, "clone") == 0)
		odd_children(n);
	else if (strcmp(mode, "undumpable") == 0)
		undumpable();
	else if (strcmp(mode, "crowd") == 0)
		crowd(n, m);
	else
		harmed("no mode '%s'", mode);
	return 0;
}
