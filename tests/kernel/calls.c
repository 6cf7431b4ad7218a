/* SPDX-License-Identifier: MIT */
/* The wrapped calls: ptrace, wait, memory, processes and threads. */
#include "tests/kernel/calls.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

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
 * process_vm_readv and process_vm_writev (@write). There is one local piece, or one for each remote
 * piece. When the supervisor reads its own memory, to learn whether these calls are refused, no
 * task is involved.
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

WRAP(int, pipe2, int fds[2], int flags)
{
	struct kernel *k = in_use();
	int r = __real_pipe2(fds, flags);
	size_t kept = 0;

	/* Ends that were closed are removed from the list. */
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
	/* A copy of a pipe's end takes the place of the original in the list. */
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

/* Makes the launched child, which inherits the last four descriptors: the ends of two pipes. */
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
	t->state = TASK_SLEEPS; /* The child waits for a byte from the pipe. */
	t->group->is_command = true;
	t->group->dies_with_tracer =
		k->tracing; /* PR_SET_PDEATHSIG refers to the thread that forked */
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
 * The first thread that the engine makes is the tracing one: it runs to its end within this call.
 * Later threads run at once if they close a socket that lingers, whose descriptor is @context. No
 * others can be made (EAGAIN).
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
	struct kernel *k = in_use();

	if (!k)
		return __real_getrandom(to, n, flags);
	memset(to, k->plan, n);
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
	k->raised = signal; /* The supervisor stops itself, and is continued at once. */
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

/* System calls that the supervisor makes by number, through syscall(2). */
WRAP(long, syscall, long number, ...)
{
	struct kernel *k = in_use();
	/* The last of six arguments lies on the stack, where other calls have nothing. */
	const size_t n = number == SYS_futex ? 6 : 5;
	va_list arguments;
	long a[6] = {0};

	va_start(arguments, number);
	for (size_t i = 0; i < n; i++)
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
