/* SPDX-License-Identifier: MIT */
/*
 * Calls of a program that lacks something (descriptors, processes, memory, stack), is cancelled in
 * a call, or calls from the child of a vfork. A failed call says what is missing and leaves nothing
 * behind; the next one works.
 */
#include "tests/calls/live_child.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "client/client.h"

#define NOBODY 65534

static unsigned open_descriptors(void)
{
	unsigned n = 0;
	DIR *dir = opendir("/proc/self/fd");

	while (dir && readdir(dir))
		n++;
	if (dir)
		(void)closedir(dir);
	return n;
}

static int set_soft(int resource, rlim_t value)
{
	struct rlimit limit;

	if (getrlimit(resource, &limit) < 0)
		return -1;
	limit.rlim_cur = value < limit.rlim_max ? value : limit.rlim_max;
	return setrlimit(resource, &limit);
}

/* With 0, 1 and 2 closed, the library's own descriptors get these numbers. */
static int have_no_standard_descriptors(void)
{
	unsigned before = open_descriptors();

	for (int fd = 0; fd < 3; fd++)
		if (close(fd) < 0)
			return 1;
	for (unsigned i = 0; i < 2; i++)
		if (works() != 0)
			return 2;
	return open_descriptors() == before - 3 ? 0 : 3;
}

/*
 * During a call, the numbers of standard descriptors that the program has closed stay as good as
 * closed: what another thread prints must not get into a pipe of the call.
 */
static int print_during_a_call(void)
{
	for (unsigned closed = 0; closed < 8; closed++) {
		unsigned before = open_descriptors();
		struct client_pipe pipe;

		for (int fd = 0; fd < 3; fd++)
			if (closed >> fd & 1 && close(fd) < 0)
				return 1;
		if (client_pipe_open(&pipe) < 0)
			return 2;
		for (int fd = 0; fd < 3; fd++)
			if (closed >> fd & 1 && (write(fd, "", 1) >= 0 || errno != EBADF))
				return 3;
		client_pipe_close(&pipe);
		for (int fd = 0; fd < 3; fd++)
			if (closed >> fd & 1 && open("/dev/null", O_RDWR) != fd)
				return 4;
		if (open_descriptors() != before)
			return 5;
	}
	return 0;
}

/* "Off" works without a free descriptor: the program may ignore its result and free the buffer. */
static int turn_off_without_descriptors(void)
{
	struct sprofil_state state;
	int last = open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (last < 0)
		return 1;
	(void)close(last);
	for (rlim_t left = 0; left <= 5; left++) {
		memset(counts, 0, sizeof(counts));
		errno = EXDEV;
		if (on() < 0 || set_soft(RLIMIT_NOFILE, (rlim_t)last + left) < 0)
			return 2;
		if ((left % 2 ? off() : profil(NULL, 0, 0, 0)) < 0 || errno != EXDEV)
			return 3;
		if (set_soft(RLIMIT_NOFILE, RLIM_INFINITY) < 0)
			return 4;
		(void)live_spin(LIVE_A, LIVE_SHORT);
		if (counts[0])
			return 5;
		/* Figures came only if the pipe could be used. */
		if (sprofil_status(&state, sizeof(state)) < 0 ? errno != ENODATA
							      : state.state != SPROFIL_OFF)
			return 6;
	}
	return works();
}

static int search_without_descriptors(void)
{
	int last = open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (last < 0 || on() < 0)
		return 1;
	(void)close(last);
	if (set_soft(RLIMIT_NOFILE, (rlim_t)last) < 0)
		return 2;
	client_forget();
	return client_find() == -EMFILE ? 0 : 3;
}

/* First and later calls with 0 to 10 free descriptors. */
static int run_out_of_descriptors(void)
{
	unsigned succeeded = 0, before = open_descriptors();
	struct sprofil_state state;
	int last = open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (last < 0)
		return 1;
	(void)close(last);
	for (rlim_t left = 0; left <= 10; left++) {
		int r;

		if (set_soft(RLIMIT_NOFILE, (rlim_t)last + left) < 0)
			return 2;
		if (sprofil_status(&state, sizeof(state)) < 0 && errno != EMFILE)
			return 8;
		r = on();
		if (r < 0 && errno != EMFILE)
			return 3;
		succeeded += r == 0;
		if (r == 0 && off() < 0)
			return 4;
		if (set_soft(RLIMIT_NOFILE, RLIM_INFINITY) < 0)
			return 5;
		if (open_descriptors() != before)
			return 6;
	}
	if (!succeeded) /* ten free descriptors are enough */
		return 7;
	return works();
}

static void test_live_straits__few_descriptors(void **state)
{
	(void)state;
	in_child(run_out_of_descriptors);
	in_child(have_no_standard_descriptors);
	in_child(print_during_a_call);
	in_child(turn_off_without_descriptors);
	in_child(search_without_descriptors);
}

static int lack_processes(void)
{
	sigset_t before, after;

	if (getuid() == 0 && (setgid(NOBODY) < 0 || setuid(NOBODY) < 0))
		return 1;
	(void)prctl(PR_SET_DUMPABLE, 1);
	(void)sigprocmask(SIG_SETMASK, NULL, &before);
	if (set_soft(RLIMIT_NPROC, 0) < 0 || on() == 0)
		return 2;
	if (errno != EAGAIN)
		return 3;
	(void)sigprocmask(SIG_SETMASK, NULL, &after);
	for (int i = 1; i < NSIG; i++)
		if (sigismember(&before, i) != sigismember(&after, i))
			return 4;
	return waitpid(-1, NULL, WNOHANG | __WALL) == -1 && errno == ECHILD ? 0 : 5;
}

static void test_live_straits__no_process_more(void **state)
{
	(void)state;
	in_child(lack_processes);
}

/* Filters system call @call with @action if the low 32 bits of argument @n are @argument. */
static int filter(unsigned call, unsigned n, unsigned argument, unsigned action)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			(unsigned)offsetof(struct seccomp_data, args) + 8 * n),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, argument, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, action),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(code) / sizeof(*code), code};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -1;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/*
 * The library can create one process, but not the helper after it. Without a helper it must not
 * have permitted a tracer (PR_SET_PTRACER).
 */
static int lack_a_second_process(void)
{
	unsigned before = open_descriptors();

	if (filter(SYS_clone, 0, CLONE_VM | CLONE_VFORK | SIGCHLD, SECCOMP_RET_ERRNO | EAGAIN) <
			0 ||
		filter(SYS_prctl, 0, PR_SET_PTRACER, SECCOMP_RET_KILL_PROCESS) < 0)
		return 1;
	if (on() == 0 || errno != EAGAIN)
		return 2;
	if (open_descriptors() != before)
		return 3;
	return waitpid(-1, NULL, WNOHANG | __WALL) == -1 && errno == ECHILD ? 0 : 4;
}

static int lack_a_second_process_as_subreaper(void)
{
	return prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0 ? 5 : lack_a_second_process();
}

static void test_live_straits__no_process_for_the_helper(void **state)
{
	(void)state;
	in_child(lack_a_second_process);
	in_child(lack_a_second_process_as_subreaper);
}

/*
 * In a subreaper that ignores its children, the process that waits for the helper stays in the
 * program's memory, and must not change the program's errno.
 */
static int keep_errno(void)
{
	siginfo_t end;

	if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0 || signal(SIGCHLD, SIG_IGN) == SIG_ERR)
		return 1;
	errno = EXDEV;
	if (on() < 0)
		return 2;
	if (errno != EXDEV)
		return 3;
	if (kill(live_tracer(), SIGKILL) < 0)
		return 4;
	errno = EXDEV;
	if (waitid(P_ALL, 0, &end, WEXITED | __WCLONE) < 0)
		return 5;
	return errno == EXDEV ? 0 : 6;
}

static void test_live_straits__errno_of_a_subreaper(void **state)
{
	(void)state;
	in_child(keep_errno);
}

static pid_t parent_of(pid_t pid)
{
	char path[32], line[128];
	int parent = 0;
	FILE *file;

	(void)snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file) && sscanf(line, "PPid: %d", &parent) != 1)
		;
	if (file)
		(void)fclose(file);
	return parent;
}

/* Returns the intermediate process: parent of sprofil-watch, the helper's parent. */
static pid_t between_of_helper(void)
{
	return parent_of(parent_of(live_tracer()));
}

/* The intermediate process, a subreaper's child, must not hold the program's descriptors open. */
static int end_a_pipe(void)
{
	struct pollfd end = {.events = POLLIN};
	int fds[2];

	if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0 || pipe(fds) < 0)
		return 1;
	end.fd = fds[0];
	if (on() < 0)
		return 2;
	if (parent_of(between_of_helper()) != getpid())
		return 3;
	(void)close(fds[1]);
	if (poll(&end, 1, 10000) != 1 || !(end.revents & POLLHUP))
		return 4;
	return off() < 0 ? 5 : 0;
}

/* Without close_range() (Linux < 5.9), descriptors are closed one by one. */
static int end_a_pipe_one_by_one(void)
{
	if (filter(SYS_close_range, 0, 0, SECCOMP_RET_ERRNO | ENOSYS) < 0)
		return 6;
	return end_a_pipe();
}

/* Waits for the end of @between, but does not reap it. */
static int await_end(pid_t between)
{
	siginfo_t end;

	return waitid(P_PID, (id_t)between, &end, WEXITED | __WCLONE | WNOWAIT);
}

static bool is_reaped(pid_t between)
{
	return waitpid(between, NULL, WNOHANG | __WCLONE) == -1 && errno == ECHILD;
}

/* The intermediate process ends after its helper. The next start of a helper reaps it. */
static int bury_the_last(void)
{
	pid_t between;

	if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0 || on() < 0)
		return 1;
	between = between_of_helper();
	if (kill(live_tracer(), SIGKILL) < 0)
		return 2;
	if (await_end(between) < 0)
		return 3;
	if (on() < 0 || off() < 0)
		return 4;
	return is_reaped(between) ? 0 : 5;
}

/*
 * When the next helper starts, the last one's intermediate process has not ended yet, as
 * sprofil-watch is stopped. A later start reaps it.
 */
static int bury_one_that_ends_late(void)
{
	pid_t watch, late, next;

	if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0 || on() < 0)
		return 1;
	watch = parent_of(live_tracer());
	late = parent_of(watch);
	if (kill(watch, SIGSTOP) < 0 || kill(live_tracer(), SIGKILL) < 0)
		return 2;
	for (unsigned i = 0; live_tracer() && i < 2000; i++)
		(void)usleep(5000);
	if (on() < 0)
		return 3;
	next = between_of_helper();
	if (next == late || kill(watch, SIGCONT) < 0 || kill(live_tracer(), SIGKILL) < 0)
		return 4;
	if (await_end(late) < 0 || await_end(next) < 0)
		return 5;
	if (on() < 0 || off() < 0)
		return 6;
	return is_reaped(late) && is_reaped(next) ? 0 : 7;
}

static pid_t owner;
static atomic_uint elsewhere;

static void note_where(int signal)
{
	(void)signal;
	if (getpid() != owner)
		atomic_fetch_add(&elsewhere, 1);
}

/*
 * Signals to the intermediate process, which shares the program's memory and process group, neither
 * end it nor run a handler of the program in it.
 */
static int disturb_it(void)
{
	struct sigaction action = {.sa_handler = note_where};
	siginfo_t end;
	pid_t between;

	owner = getpid();
	for (int i = 1; i < NSIG; i++)
		(void)sigaction(i, &action, NULL);
	if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0 || on() < 0)
		return 1;
	between = between_of_helper();
	if (parent_of(between) != owner)
		return 2;
	for (int i = 1; i < NSIG; i++) /* all signals that can have a handler */
		if (sigaction(i, NULL, &action) == 0 && action.sa_handler == note_where &&
			kill(between, i) < 0)
			return 3;
	/* Signals sent before the helper's end are delivered before the process sees that end. */
	if (kill(live_tracer(), SIGKILL) < 0)
		return 4;
	while (waitid(P_PID, (id_t)between, &end, WEXITED | __WCLONE) < 0)
		if (errno != EINTR)
			return 5;
	if (end.si_code != CLD_EXITED || end.si_status != 0)
		return 6;
	return atomic_load(&elsewhere) ? 7 : 0;
}

static void test_live_straits__the_process_in_between(void **state)
{
	(void)state;
	in_child(end_a_pipe);
	in_child(end_a_pipe_one_by_one);
	in_child(bury_the_last);
	in_child(bury_one_that_ends_late);
	in_child(disturb_it);
}

static rlim_t address_space(void)
{
	unsigned long pages = 0;
	FILE *file = fopen("/proc/self/statm", "re");

	if (file && fscanf(file, "%lu", &pages) != 1)
		pages = 0;
	if (file)
		(void)fclose(file);
	return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

/* No stack of a killed helper stays mapped. */
static int start_often(void)
{
	rlim_t before = 0;

	for (unsigned i = 0; i < 6; i++) {
		if (on() < 0 || kill(live_tracer(), SIGKILL) < 0)
			return 1;
		for (unsigned k = 0; live_tracer() && k < 1000; k++)
			(void)usleep(10000);
		if (i == 0)
			before = address_space();
	}
	return address_space() <= before + 16384 ? 0 : 2;
}

/* In a subreaper the intermediate processes stay. Only the last one's stack is still mapped. */
static int start_often_as_subreaper(void)
{
	rlim_t before = 0;

	if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0)
		return 3;
	for (unsigned i = 0; i < 6; i++) {
		pid_t between;

		if (on() < 0)
			return 4;
		between = between_of_helper();
		if (kill(live_tracer(), SIGKILL) < 0)
			return 5;
		if (await_end(between) < 0)
			return 6;
		if (i == 0)
			before = address_space();
	}
	return address_space() <= before + 16384 ? 0 : 7;
}

/* If the intermediate process cannot create the helper, no stack stays mapped. */
static int start_in_vain_as_subreaper(void)
{
	rlim_t before = 0;

	if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0 ||
		filter(SYS_clone, 0, CLONE_VM | CLONE_VFORK | SIGCHLD, SECCOMP_RET_ERRNO | EAGAIN) <
			0)
		return 8;
	for (unsigned i = 0; i < 6; i++) {
		if (on() == 0 || errno != EAGAIN)
			return 9;
		if (i == 0)
			before = address_space();
	}
	return address_space() <= before + 16384 ? 0 : 10;
}

static void test_live_straits__no_stack_is_left(void **state)
{
	(void)state;
	in_child(start_often);
	in_child(start_often_as_subreaper);
	in_child(start_in_vain_as_subreaper);
}

static int lack_memory(void)
{
	if (set_soft(RLIMIT_AS, address_space() + 65536) < 0 || on() == 0)
		return 1;
	if (errno != ENOMEM || set_soft(RLIMIT_AS, RLIM_INFINITY) < 0)
		return 2;
	return works();
}

static void test_live_straits__no_memory_more(void **state)
{
	(void)state;
	in_child(lack_memory);
}

/* Resource limits under which the program works do not stop its supervisor. */
static int live_with_little(void)
{
	if (set_soft(RLIMIT_STACK, 128 * 1024) < 0)
		return 1;
	return works();
}

static int live_with_unlimited_stacks(void)
{
	if (set_soft(RLIMIT_STACK, RLIM_INFINITY) < 0)
		return 1;
	return works();
}

static int live_with_little_memory(void)
{
	if (set_soft(RLIMIT_AS, address_space() + 32 * 1024 * 1024) < 0)
		return 1;
	return works();
}

static void test_live_straits__limits_of_the_program(void **state)
{
	(void)state;
	in_child(live_with_little);
	in_child(live_with_unlimited_stacks);
	in_child(live_with_little_memory);
}

static void *call_on_little_stack(void *ret)
{
	*(int *)ret = on() < 0 || off() < 0 ? errno : 0;
	return NULL;
}

static int first_call_on_a_small_stack(void)
{
	pthread_attr_t attributes;
	pthread_t thread;
	int r = -1;

	if (pthread_attr_init(&attributes) != 0 ||
		pthread_attr_setstacksize(&attributes, 32768) != 0 ||
		pthread_create(&thread, &attributes, call_on_little_stack, &r) != 0)
		return 1;
	(void)pthread_join(thread, NULL);
	return r ? 2 : works();
}

static void test_live_straits__a_small_stack(void **state)
{
	(void)state;
	in_child(first_call_on_a_small_stack);
}

static atomic_bool calling;

static void *call_for_ever(void *unused)
{
	(void)unused;
	for (;;) {
		(void)on();
		atomic_store(&calling, true);
		(void)off();
		pthread_testcancel();
	}
	return NULL;
}

static int cancel_callers(void)
{
	unsigned before = open_descriptors();

	for (unsigned i = 0; i < 40; i++) {
		pthread_t thread;

		atomic_store(&calling, false);
		if (pthread_create(&thread, NULL, call_for_ever, NULL) != 0)
			return 1;
		while (i % 2 && !atomic_load(&calling))
			(void)sched_yield();
		if (pthread_cancel(thread) != 0 || pthread_join(thread, NULL) != 0)
			return 2;
	}
	if (off() < 0)
		return 3;
	if (open_descriptors() != before)
		return 4;
	return works();
}

static void test_live_straits__a_thread_is_cancelled(void **state)
{
	(void)state;
	in_child(cancel_callers);
}

/* A vfork's child shares its parent's memory, and so what the library remembers of a supervisor. */
static int call_in_child_of_vfork(void)
{
	for (volatile unsigned i = 0; i < 4; i++) {
		int status;
		pid_t pid;

		if (i % 2 && on() < 0)
			return 1;
		pid = vfork();
		if (pid == 0)
			_exit(on() < 0 || (i < 2 && off() < 0) ? 1 : 0);
		if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0)
			return 2;
		if (works() != 0)
			return 3;
	}
	return 0;
}

static void test_live_straits__calls_in_the_child_of_a_vfork(void **state)
{
	(void)state;
	in_child(call_in_child_of_vfork);
}

static int turn_off_a_hidden_thread(void)
{
	struct prof p = {counts, sizeof(counts), LIVE_A, 0x10000};
	struct sprofil_options o = {sizeof(o), 0, SPROFIL_THREAD, 0};
	struct sprofil_state state;

	if (on() < 0 || sprofil_with(&p, 1, NULL, PROF_UINT, &o) < 0)
		return 1;
	if (prctl(PR_SET_DUMPABLE, 0) < 0 || sprofil_with(NULL, 0, NULL, 0, &o) < 0)
		return 2;
	if (sprofil_status(&state, sizeof(state)) < 0)
		return 3;
	return state.state == SPROFIL_ON ? 0 : 4;
}

/* A thread's "off" leaves the table of the process on, also if the process is not dumpable. */
static void test_live_straits__off_of_a_thread_that_is_hidden(void **state)
{
	(void)state;
	if (getuid()) {
		print_message("needs root: another user's supervisor cannot reach the process\n");
		skip();
	}
	in_child(turn_off_a_hidden_thread);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_live_straits__few_descriptors),
		cmocka_unit_test(test_live_straits__no_process_more),
		cmocka_unit_test(test_live_straits__no_process_for_the_helper),
		cmocka_unit_test(test_live_straits__errno_of_a_subreaper),
		cmocka_unit_test(test_live_straits__the_process_in_between),
		cmocka_unit_test(test_live_straits__no_stack_is_left),
		cmocka_unit_test(test_live_straits__no_memory_more),
		cmocka_unit_test(test_live_straits__limits_of_the_program),
		cmocka_unit_test(test_live_straits__a_small_stack),
		cmocka_unit_test(test_live_straits__a_thread_is_cancelled),
		cmocka_unit_test(test_live_straits__calls_in_the_child_of_a_vfork),
		cmocka_unit_test(test_live_straits__off_of_a_thread_that_is_hidden),
	};

	return live_run_with_children(tests);
}
