/* SPDX-License-Identifier: MIT */
/*
 * The seam: the linker (--wrap) directs the system calls of whatever is linked here. While a kernel
 * is in use they are its own; otherwise, and for files that are not its own, the real ones.
 */
#include "tests/kernel/kernel.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Descriptors that stand for a signalfd and for timers. */
enum { SIGNAL_FD = 900, TIMER_FD = 901, PIDFD = 902 };

#define WRAP(result, name, ...)            \
	result __real_##name(__VA_ARGS__); \
	result __wrap_##name(__VA_ARGS__); \
	result __wrap_##name(__VA_ARGS__)

/* Returns 0 and positive results as they are; -errno as errno and -1. */
static long result_of(long r)
{
	if (r >= 0)
		return r;
	errno = (int)-r;
	return -1;
}

static struct kernel *in_use(void)
{
	return kernel_in_use;
}

WRAP(long, ptrace, int request, ...)
{
	struct kernel *k = in_use();
	va_list arguments;
	uintptr_t address, data;
	int tid;

	va_start(arguments, request);
	tid = va_arg(arguments, int);
	address = va_arg(arguments, uintptr_t);
	data = va_arg(arguments, uintptr_t);
	va_end(arguments);
	return k ? result_of(kernel_ptrace(k, request, tid, address, data))
		 : __real_ptrace(request, tid, address, data);
}

WRAP(int, waitid, idtype_t type, id_t id, siginfo_t *info, int options)
{
	struct kernel *k = in_use();

	return k ? (int)result_of(kernel_wait(k, type == P_ALL ? 0 : (int)id, options, info))
		 : __real_waitid(type, id, info, options);
}

/*
 * Both directions. There is one local piece, or one for each remote piece. The supervisor reads its
 * own memory, in one piece, to learn whether these calls are refused: no task has to do with that.
 */
static ssize_t transfer(struct kernel *k, int tid, const struct iovec *local, size_t locals,
	const struct iovec *remote, size_t n, bool write)
{
	struct task *t;
	ssize_t done = 0;

	if (k->no_memory_calls)
		return -ENOSYS;
	if (tid == k->supervisor && !write) {
		memcpy(local->iov_base, remote->iov_base, local->iov_len);
		return (ssize_t)local->iov_len;
	}
	kernel_point(k);
	if (write && k->writing)
		k->writing(k);
	t = kernel_find(k, tid);
	if (!t || t->state == TASK_ZOMBIE || k->dead)
		return -ESRCH;
	for (size_t i = 0; i < n; i++) {
		uint64_t at = (uintptr_t)remote[i].iov_base;
		size_t room = 0, bytes = remote[i].iov_len;
		uint8_t *memory = kernel_memory(t->space, at, &room), *own;

		if (!memory || (write && memory < t->space->data) ||
			(write && t->space->readonly_data && memory >= t->space->data &&
				memory < t->space->stack))
			break;
		bytes = bytes < room ? bytes : room;
		own = locals == n ? local[i].iov_base : (uint8_t *)local->iov_base + done;
		if (write)
			memcpy(memory, own, bytes);
		else
			memcpy(own, memory, bytes);
		t->space->writes += write;
		done += (ssize_t)bytes;
		if (bytes < remote[i].iov_len)
			break;
	}
	kernel_note(k, "  %s memory of %d, %zd", write ? "write" : "read", tid, done);
	return done || !n ? done : -EFAULT;
}

WRAP(ssize_t, process_vm_readv, pid_t pid, const struct iovec *local, unsigned long locals,
	const struct iovec *remote, unsigned long n, unsigned long flags)
{
	struct kernel *k = in_use();

	return k ? result_of(transfer(k, pid, local, locals, remote, n, false))
		 : __real_process_vm_readv(pid, local, locals, remote, n, flags);
}

WRAP(ssize_t, process_vm_writev, pid_t pid, const struct iovec *local, unsigned long locals,
	const struct iovec *remote, unsigned long n, unsigned long flags)
{
	struct kernel *k = in_use();

	return k ? result_of(transfer(k, pid, local, locals, remote, n, true))
		 : __real_process_vm_writev(pid, local, locals, remote, n, flags);
}

/* Files. */
/* The real path of the file behind a descriptor of a task; NULL: @path names no such file. */
static const char *of_descriptor(struct kernel *k, const char *path, const char *folder)
{
	char name[16];
	int pid, fd;

	if (sscanf(path, "/proc/%d/%15[a-z]/%d", &pid, name, &fd) != 3 ||
		strcmp(name, folder) != 0 || !kernel_find(k, pid))
		return NULL;
	(void)snprintf(
		k->object_path, sizeof(k->object_path), "/proc/self/%s/%d", folder, k->object_fd);
	return k->object_path;
}

WRAP(int, statx, int at, const char *path, int flags, unsigned mask, struct statx *ret)
{
	struct kernel *k = in_use();
	const char *file = k ? of_descriptor(k, path, "fd") : NULL;

	return __real_statx(at, file ? file : path, flags, mask, ret);
}

WRAP(int, open64, const char *path, int flags, ...)
{
	struct kernel *k = in_use();
	const char *file = NULL;
	va_list arguments;
	mode_t mode;
	int r;

	va_start(arguments, flags);
	mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
	va_end(arguments);
	if (k && k->object_fd >= 0 && (file = of_descriptor(k, path, "fd")) != NULL)
		path = file;
	else if (k && k->object_fd >= 0 && (file = of_descriptor(k, path, "fdinfo")) != NULL)
		path = file;
	r = k && !file ? kernel_open(k, path) : -1000;
	r = r == -1000 ? __real_open64(path, flags, mode) : (int)result_of(r);
	if (file && k->object_next >= 0) {
		k->object_fd = k->object_next;
		k->object_next = -1;
	}
	return r;
}

WRAP(ssize_t, pread64, int fd, void *to, size_t n, off64_t at)
{
	struct kernel *k = in_use();

	return k && kernel_is_file(k, fd) ? result_of(kernel_read_file(k, fd, to, n, (uint64_t)at))
					  : __real_pread64(fd, to, n, at);
}

static size_t read_signals(struct kernel *k, struct signalfd_siginfo *info, size_t n)
{
	size_t done = 0;

	if (k->child_pending && done < n)
		info[done++] = (struct signalfd_siginfo){.ssi_signo = SIGCHLD};
	k->child_pending = false;
	for (size_t i = 0; i < k->signals && done < n; i++) {
		if (!k->signal[i].signal || k->signal[i].at_ns > k->now_ns)
			continue;
		info[done++] = (struct signalfd_siginfo){.ssi_signo = (uint32_t)k->signal[i].signal,
			.ssi_code = k->signal[i].code,
			.ssi_pid = (uint32_t)k->signal[i].sender,
			.ssi_ptr = k->signal[i].value};
		k->signal[i].signal = 0;
	}
	return done;
}

WRAP(ssize_t, read, int fd, void *to, size_t n)
{
	struct kernel *k = in_use();
	size_t done;

	if (k && fd == SIGNAL_FD) {
		kernel_tick(k);
		done = read_signals(k, to, n / sizeof(struct signalfd_siginfo));
		return done ? (ssize_t)(done * sizeof(struct signalfd_siginfo))
			    : result_of(-EAGAIN);
	}
	if (k && kernel_is_file(k, fd)) {
		/* Only maps are read in several pieces: all of them at once, then the end. */
		bool again = k->file[fd - 1000].id && k->reading_fd == fd;

		k->reading_fd = again ? -1 : fd;
		return again ? 0 : result_of(kernel_read_file(k, fd, to, n, 0));
	}
	for (size_t i = 0; k && k->reading && i < k->pipe_ends; i++)
		if (k->pipe_end[i] == fd)
			k->reading(k);
	return __real_read(fd, to, n);
}

/* The last close of such a socket waits for its peer. */
static bool lingers(int fd)
{
	struct linger linger;
	socklen_t bytes = sizeof(linger);

	return getsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, &bytes) == 0 && linger.l_onoff &&
		linger.l_linger;
}

WRAP(int, close, int fd)
{
	struct kernel *k = in_use();

	if (k && kernel_is_file(k, fd))
		return kernel_close_file(k, fd);
	if (k && fd >= SIGNAL_FD && fd <= PIDFD)
		return 0;
	if (k && k->tracing && !k->elsewhere && lingers(fd))
		kernel_fail(k, "the tracing thread closes a socket that may linger");
	for (size_t i = 0; k && i < k->pipe_ends; i++)
		if (k->pipe_end[i] == fd)
			k->pipe_end[i] = -1;
	return __real_close(fd);
}

WRAP(int, ioctl, int fd, unsigned long request, ...)
{
	struct kernel *k = in_use();
	va_list arguments;
	void *data;

	va_start(arguments, request);
	data = va_arg(arguments, void *);
	va_end(arguments);
	return k && kernel_is_file(k, fd) ? (int)result_of(-ENOTTY)
					  : __real_ioctl(fd, request, data);
}

WRAP(ssize_t, readlink, const char *path, char *to, size_t n)
{
	struct kernel *k = in_use();
	struct task *t;
	size_t bytes;
	int pid, used = 0;

	if (k && of_descriptor(k, path, "fd"))
		return __real_readlink(k->object_path, to, n);
	if (!k || sscanf(path, "/proc/%d/exe%n", &pid, &used) != 1 || !used)
		return __real_readlink(path, to, n);
	t = kernel_find(k, pid);
	if (!t || t->state == TASK_ZOMBIE)
		return result_of(-ENOENT);
	bytes = strlen(t->group->exe);
	bytes = bytes < n ? bytes : n;
	memcpy(to, t->group->exe, bytes);
	return (ssize_t)bytes;
}

WRAP(int, fstatfs64, int fd, struct statfs64 *ret)
{
	struct kernel *k = in_use();

	if (!k || !kernel_is_file(k, fd))
		return __real_fstatfs64(fd, ret);
	ret->f_type = PROC_SUPER_MAGIC;
	return 0;
}

/* The only folder that is read is /proc/PID/task. */
WRAP(DIR *, opendir, const char *path)
{
	struct kernel *k = in_use();
	struct group *g;
	int pid;

	if (!k || sscanf(path, "/proc/%d/task", &pid) != 1)
		return __real_opendir(path);
	kernel_point(k);
	g = kernel_group(k, pid);
	k->folder_of = NULL;
	for (size_t i = 0; g && i < k->tasks; i++)
		if (k->task[i].state != TASK_NONE && k->task[i].group == g)
			k->folder_of = g;
	k->folder_at = 0;
	if (!k->folder_of)
		errno = ENOENT;
	return k->folder_of ? (DIR *)&k->folder_of : NULL;
}

WRAP(struct dirent64 *, readdir64, DIR *folder)
{
	struct kernel *k = in_use();

	if (!k || folder != (DIR *)&k->folder_of)
		return __real_readdir64(folder);
	while (k->folder_at < k->tasks) {
		const struct task *t = &k->task[k->folder_at++];

		if (t->state == TASK_NONE || t->group != k->folder_of)
			continue;
		(void)snprintf(k->entry.d_name, sizeof(k->entry.d_name), "%d", t->tid);
		return (struct dirent64 *)&k->entry;
	}
	return NULL;
}

WRAP(int, closedir, DIR *folder)
{
	struct kernel *k = in_use();

	return k && folder == (DIR *)&k->folder_of ? 0 : __real_closedir(folder);
}

WRAP(int, getrlimit64, int resource, struct rlimit64 *ret)
{
	struct kernel *k = in_use();

	if (!k || resource != RLIMIT_NOFILE)
		return __real_getrlimit64(resource, ret);
	*ret = (struct rlimit64){(rlim64_t)k->file_limit, (rlim64_t)k->file_limit};
	return 0;
}

/* Time. */
WRAP(int, clock_gettime, clockid_t clock, struct timespec *ret)
{
	struct kernel *k = in_use();
	uint64_t ns;

	if (!k)
		return __real_clock_gettime(clock, ret);
	kernel_tick(k);
	ns = clock == CLOCK_THREAD_CPUTIME_ID || clock == CLOCK_PROCESS_CPUTIME_ID ? k->own_ns
										   : k->now_ns;
	*ret = (struct timespec){(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
	return 0;
}

WRAP(int, clock_getres, clockid_t clock, struct timespec *ret)
{
	if (!in_use())
		return __real_clock_getres(clock, ret);
	*ret = (struct timespec){0, 4000000};
	return 0;
}

WRAP(int, clock_getcpuclockid, pid_t pid, clockid_t *ret)
{
	if (!in_use())
		return __real_clock_getcpuclockid(pid, ret);
	*ret = CLOCK_PROCESS_CPUTIME_ID;
	return 0;
}

static bool has_signal(struct kernel *k)
{
	for (size_t i = 0; i < k->signals; i++)
		if (k->signal[i].signal && k->signal[i].at_ns <= k->now_ns)
			return true;
	return k->child_pending;
}

static bool has_event(struct kernel *k)
{
	return k->written || has_signal(k);
}

static bool is_child_pending(struct kernel *k)
{
	return k->child_pending;
}

static bool is_nothing(struct kernel *k)
{
	(void)k;
	return false;
}

static uint64_t after(const struct kernel *k, const struct timespec *timeout)
{
	return timeout
		? k->now_ns + (uint64_t)timeout->tv_sec * 1000000000 + (uint64_t)timeout->tv_nsec
		: UINT64_MAX;
}

/* Polls the descriptors that are real: pipes of requests, which a test writes to. */
static int poll_real(struct pollfd *fds, nfds_t n)
{
	int ready = 0, signal = -1;

	for (nfds_t i = 0; i < n; i++)
		if (fds[i].fd == SIGNAL_FD) {
			signal = (int)i;
			fds[i].fd = -1;
		}
	ready = (int)syscall(SYS_poll, fds, n, 0);
	if (signal >= 0)
		fds[signal].fd = SIGNAL_FD;
	return ready < 0 ? 0 : ready;
}

WRAP(int, ppoll, struct pollfd *fds, nfds_t n, const struct timespec *timeout, const sigset_t *mask)
{
	struct kernel *k = in_use();
	int ready;

	if (!k)
		return __real_ppoll(fds, n, timeout, mask);
	kernel_run_analysts(k);
	if (k->asleep)
		k->asleep(k);
	ready = poll_real(fds, n);
	k->written = false;
	(void)kernel_sleep(k, ready ? k->now_ns : after(k, timeout), has_event);
	if (k->written)
		ready = poll_real(fds, n);
	for (nfds_t i = 0; i < n; i++)
		if (fds[i].fd == SIGNAL_FD) {
			fds[i].revents = has_signal(k) ? POLLIN : 0;
			ready += has_signal(k);
		}
	return ready;
}

WRAP(int, poll, struct pollfd *fds, nfds_t n, int timeout_ms)
{
	struct kernel *k = in_use();

	if (!k)
		return __real_poll(fds, n, timeout_ms);
	(void)kernel_sleep(k, k->now_ns + (uint64_t)timeout_ms * 1000000, is_nothing);
	return 0;
}

WRAP(int, nanosleep, const struct timespec *time, struct timespec *left)
{
	struct kernel *k = in_use();

	if (!k)
		return __real_nanosleep(time, left);
	kernel_run_analysts(k);
	(void)kernel_sleep(k, after(k, time), is_nothing);
	return 0;
}

WRAP(int, sigtimedwait, const sigset_t *set, siginfo_t *info, const struct timespec *timeout)
{
	struct kernel *k = in_use();

	if (!k)
		return __real_sigtimedwait(set, info, timeout);
	kernel_run_analysts(k);
	if (!kernel_sleep(k, after(k, timeout), is_child_pending))
		return (int)result_of(-EAGAIN);
	k->child_pending = false;
	return SIGCHLD;
}

WRAP(int, signalfd, int fd, const sigset_t *set, int flags)
{
	return in_use() ? SIGNAL_FD : __real_signalfd(fd, set, flags);
}

WRAP(int, timerfd_create, int clock, int flags)
{
	return in_use() ? TIMER_FD : __real_timerfd_create(clock, flags);
}

WRAP(int, timerfd_settime, int fd, int flags, const struct itimerspec *new, struct itimerspec *old)
{
	return in_use() ? 0 : __real_timerfd_settime(fd, flags, new, old);
}

/* Processes and threads. */
WRAP(int, pipe2, int fds[2], int flags)
{
	struct kernel *k = in_use();
	int r = __real_pipe2(fds, flags);
	size_t kept = 0;

	/* Closed ends make room. */
	for (size_t i = 0; k && i < k->pipe_ends; i++)
		if (k->pipe_end[i] >= 0)
			k->pipe_end[kept++] = k->pipe_end[i];
	if (k)
		k->pipe_ends = kept;
	for (size_t i = 0; k && r == 0 && i < 2; i++)
		if (k->pipe_ends < sizeof(k->pipe_end) / sizeof(*k->pipe_end))
			k->pipe_end[k->pipe_ends++] = fds[i];
	return r;
}

WRAP(int, fcntl64, int fd, int what, ...)
{
	struct kernel *k = in_use();
	va_list arguments;
	long value;
	int r;

	va_start(arguments, what);
	value = va_arg(arguments, long);
	va_end(arguments);
	if (k && kernel_is_file(k, fd))
		return (int)result_of(-EMFILE);
	r = __real_fcntl64(fd, what, value);
	/* A copy of a pipe's end takes its place. */
	for (size_t i = 0; k && r >= 0 && what == F_DUPFD_CLOEXEC && i < k->pipe_ends; i++)
		if (k->pipe_end[i] == fd)
			k->pipe_end[i] = r;
	if (k && r >= 0 && what == F_DUPFD_CLOEXEC && k->ring_fd == fd)
		k->ring_fd = r;
	return r;
}

WRAP(int, memfd_create, const char *name, unsigned flags)
{
	struct kernel *k = in_use();
	int fd = __real_memfd_create(name, flags);

	if (k && strcmp(name, "sprofil-ring") == 0)
		k->ring_fd = fd;
	return fd;
}

WRAP(int, madvise, void *at, size_t n, int advice)
{
	return in_use() ? 0 : __real_madvise(at, n, advice);
}

WRAP(int, posix_spawn, pid_t *ret_pid, const char *path, const posix_spawn_file_actions_t *actions,
	const posix_spawnattr_t *attributes, char *const argv[], char *const environment[])
{
	struct kernel *k = in_use();
	int r;

	if (!k)
		return __real_posix_spawn(ret_pid, path, actions, attributes, argv, environment);
	r = kernel_spawn_analyst(k, (const char *const *)argv);
	if (r < 0)
		return -r;
	*ret_pid = r;
	return 0;
}

/* The launched child: it has the descriptors of both pipes, the last four. */
WRAP(pid_t, fork, void)
{
	struct kernel *k = in_use();
	struct task *t;

	if (!k)
		return __real_fork();
	if (!k->command)
		return (pid_t)result_of(-EAGAIN);
	t = kernel_add_process(k, k->next_tid, k->supervisor, "/us", k->command);
	k->next_tid++;
	t->state = TASK_SLEEPS; /* The child waits for the pipe. */
	t->group->is_command = true;
	t->group->dies_with_tracer =
		k->tracing; /* PR_SET_PDEATHSIG: with the thread that made it */
	for (size_t i = 0; i < 4; i++)
		t->end[i] = dup(k->pipe_end[k->pipe_ends - 4 + i]);
	return t->tid;
}

WRAP(ssize_t, write, int fd, const void *from, size_t n)
{
	struct kernel *k = in_use();

	for (size_t i = 0; k && i < k->pipe_ends; i++)
		k->written |= k->pipe_end[i] == fd;
	if (k && n == 1 && *(const char *)from == 'g')
		for (size_t i = 0; i < k->tasks; i++)
			if (k->task[i].state == TASK_SLEEPS && k->task[i].end[0] &&
				k->task[i].group->is_command && !k->task[i].call)
				k->task[i].state = TASK_RUNS;
	return __real_write(fd, from, n);
}

/*
 * The first thread is the tracing one, and runs here, to its end. Of the others only one that
 * closes a socket, which is its context, is there: it runs at once.
 */
WRAP(int, pthread_create, pthread_t *ret, const pthread_attr_t *attributes,
	void *(*start)(void *context), void *context)
{
	struct kernel *k = in_use();

	if (!k)
		return __real_pthread_create(ret, attributes, start, context);
	if (k->tracing && (uintptr_t)context < 4096 && lingers((int)(intptr_t)context)) {
		k->elsewhere = true;
		(void)start(context);
		k->elsewhere = false;
		return 0;
	}
	if (k->tracing || k->traced_once)
		return EAGAIN;
	k->tracing = k->traced_once = true;
	(void)start(context);
	kernel_tracer_ends(k);
	return 0;
}

WRAP(int, pthread_clockjoin_np, pthread_t thread, void **result, clockid_t clock,
	const struct timespec *until)
{
	return in_use() ? 0 : __real_pthread_clockjoin_np(thread, result, clock, until);
}

WRAP(int, pthread_setaffinity_np, pthread_t thread, size_t bytes, const cpu_set_t *set)
{
	return in_use() ? 0 : __real_pthread_setaffinity_np(thread, bytes, set);
}

WRAP(int, sched_getaffinity, pid_t pid, size_t bytes, cpu_set_t *ret)
{
	struct kernel *k = in_use();

	if (!k)
		return __real_sched_getaffinity(pid, bytes, ret);
	CPU_ZERO(ret);
	for (unsigned i = 0; i < k->cpus; i++)
		CPU_SET(i, ret);
	return 0;
}

WRAP(int, sched_setaffinity, pid_t pid, size_t bytes, const cpu_set_t *set)
{
	return in_use() ? 0 : __real_sched_setaffinity(pid, bytes, set);
}

WRAP(int, sched_setscheduler, pid_t pid, int policy, const struct sched_param *parameter)
{
	return in_use() ? (int)result_of(-EPERM)
			: __real_sched_setscheduler(pid, policy, parameter);
}

WRAP(int, getrusage, int who, struct rusage *ret)
{
	struct kernel *k = in_use();

	if (!k)
		return __real_getrusage(who, ret);
	*ret = (struct rusage){.ru_nvcsw = k->sleeps};
	return 0;
}

WRAP(ssize_t, getrandom, void *to, size_t n, unsigned flags)
{
	if (!in_use())
		return __real_getrandom(to, n, flags);
	memset(to, 7, n);
	return (ssize_t)n;
}

WRAP(int, kill, pid_t pid, int signal)
{
	struct kernel *k = in_use();
	struct task *t;

	if (!k)
		return __real_kill(pid, signal);
	kernel_point(k);
	if (kernel_find_analyst(k, pid)) {
		kernel_find_analyst(k, pid)->ended = true;
		kernel_find_analyst(k, pid)->status = signal;
		return 0;
	}
	t = kernel_find(k, pid);
	if (!t)
		return (int)result_of(-ESRCH);
	if (t->state != TASK_ZOMBIE && signal && !k->dead)
		kernel_send(k, t, true, signal);
	return 0;
}

WRAP(int, raise, int signal)
{
	struct kernel *k = in_use();

	if (!k)
		return __real_raise(signal);
	k->raised = signal; /* The supervisor stops, and is continued at once. */
	return 0;
}

WRAP(int, prctl, int option, ...)
{
	va_list arguments;
	unsigned long a[4];

	va_start(arguments, option);
	for (size_t i = 0; i < 4; i++)
		a[i] = va_arg(arguments, unsigned long);
	va_end(arguments);
	return in_use() ? 0 : __real_prctl(option, a[0], a[1], a[2], a[3]);
}

/* Calls without a function of their own. */
WRAP(long, syscall, long number, ...)
{
	struct kernel *k = in_use();
	va_list arguments;
	long a[6];

	va_start(arguments, number);
	for (size_t i = 0; i < 6; i++)
		a[i] = va_arg(arguments, long);
	va_end(arguments);
	if (!k)
		return __real_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
	switch (number) {
	case SYS_tkill:
		kernel_tick(k);
		return result_of(kernel_find(k, (int)a[0]) && !k->dead ? 0 : -ESRCH);
	case SYS_sched_setattr: return 0;
	case SYS_pidfd_open: return result_of(kernel_find(k, (int)a[0]) ? PIDFD : -ESRCH);
	case SYS_pidfd_getfd:
		return k->no_copies        ? result_of(-ENOSYS)
			: k->object_fd < 0 ? result_of(-EBADF)
					   : dup(k->object_fd);
	case SYS_kcmp: return 0;
	default: return __real_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
	}
}
