/* SPDX-License-Identifier: MIT */
#include "supervisor/target/procfiles.h"

#include <errno.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/proc_file.h"
#include "base/vm_read.h"
#include "supervisor/os/proc_maps.h"
#include "supervisor/os/proc_status.h"
#include "supervisor/os/say.h"

void procfiles_init(struct procfiles *files, struct target *target, const struct say *say)
{
	*files = (struct procfiles){.cpu_source = procfs_cpu_source(),
		.reads_refused = vm_read_is_refused(),
		.say = say};
	fds_init(&files->fds, target);
}

static int open_file(const struct procfiles *files, const struct tracee *t, enum thread_file file)
{
	int pid = t->process->pid;

	switch (file) {
	case THREAD_CPU: return procfs_open_cpu(files->cpu_source, pid, t->tid);
	case THREAD_ACTIVITY: return procfs_open_activity(pid, t->tid);
	case THREAD_STAT: return procfs_open_stat(pid, t->tid);
	case THREAD_SWITCHED: return procfs_open_switched(pid, t->tid);
	default: return -EINVAL;
	}
}

/* Returns a descriptor to read from, valid until put_back(), or -errno. */
static int get(struct procfiles *files, struct tracee *t, enum thread_file file)
{
	int fd = t->fd[file];

	if (fd < 0)
		fd = open_file(files, t, file);
	if (fd == -EMFILE || fd == -ENFILE) {
		/* Makes room for the second attempt. */
		(void)fds_keep(&files->fds, t->process, fd);
		fd = open_file(files, t, file);
	}
	return fd;
}

/* Keeps the file open for the next reading if the limit of open files permits. */
static void put_back(struct procfiles *files, struct tracee *t, enum thread_file file, int fd)
{
	if (t->fd[file] < 0 && fd >= 0)
		t->fd[file] = fds_keep(&files->fds, t->process, fd);
}

int procfiles_read_cpu(struct procfiles *files, struct tracee *t, struct cpu_time *ret_cpu)
{
	int fd, r;

	if (t->reaped) {
		*ret_cpu = t->final_cpu;
		return 0;
	}
	fd = get(files, t, THREAD_CPU);
	r = fd < 0 ? fd : procfs_read_cpu(files->cpu_source, fd, ret_cpu);
	put_back(files, t, THREAD_CPU, fd);
	return r;
}

int procfiles_read_open_cpu(
	const struct procfiles *files, const struct tracee *t, struct cpu_time *ret_cpu)
{
	return t->fd[THREAD_CPU] < 0
		? -EBADF
		: procfs_read_cpu(files->cpu_source, t->fd[THREAD_CPU], ret_cpu);
}

int procfiles_read_runs(struct procfiles *files, struct tracee *t, struct cpu_time *ret_cpu)
{
	int r = procfiles_read_cpu(files, t, ret_cpu);

	if (r == 0 && files->cpu_source == CPU_SOURCE_STAT && !t->reaped)
		r = proc_status_read_switches(t->tid, &ret_cpu->slices);
	return r;
}

int procfiles_read_activity(
	struct procfiles *files, struct tracee *t, struct activity *ret_activity)
{
	int fd = get(files, t, THREAD_ACTIVITY);
	int r = fd < 0 ? fd : procfs_read_activity(fd, ret_activity);

	put_back(files, t, THREAD_ACTIVITY, fd);
	return r;
}

int procfiles_read_call(struct procfiles *files, struct tracee *t, struct activity *ret_activity,
	uint64_t ret_argument[6])
{
	int fd = get(files, t, THREAD_ACTIVITY);
	int r = fd < 0 ? fd : procfs_read_call(fd, ret_activity, ret_argument);

	put_back(files, t, THREAD_ACTIVITY, fd);
	return r;
}

int procfiles_read_turn(struct procfiles *files, struct tracee *t, struct turn *ret_turn)
{
	int fd = get(files, t, THREAD_SWITCHED);
	int r = fd < 0 ? fd : procfs_read_turn(fd, ret_turn);

	put_back(files, t, THREAD_SWITCHED, fd);
	return r;
}

int procfiles_read_queued(struct procfiles *files, struct tracee *t, uint64_t *ret_ns)
{
	int fd = get(files, t, THREAD_SWITCHED);
	int r = fd < 0 ? fd : procfs_read_queued(fd, ret_ns);

	put_back(files, t, THREAD_SWITCHED, fd);
	return r;
}

int procfiles_read_last_cpu(struct procfiles *files, struct tracee *t)
{
	int fd = get(files, t, THREAD_STAT);
	int r = fd < 0 ? fd : procfs_read_last_cpu(fd);

	put_back(files, t, THREAD_STAT, fd);
	return r;
}

int procfiles_read_state(struct procfiles *files, struct tracee *t, char *ret_state)
{
	int fd = get(files, t, THREAD_STAT);
	int r = fd < 0 ? fd : procfs_read_state(fd, ret_state);

	put_back(files, t, THREAD_STAT, fd);
	return r;
}

int procfiles_reader(const struct process *process)
{
	return process->reader_tid ? process->reader_tid : process->pid;
}

void procfiles_set_reader(struct process *process, int tid)
{
	process->reader_tid = tid;
	for (size_t i = 0; i < PROCESS_FILES; i++) {
		if (process->fd[i] >= 0)
			(void)close(process->fd[i]);
		process->fd[i] = -1;
	}
}

int procfiles_of(struct procfiles *files, struct process *process, enum process_file file)
{
	int fd = process->fd[file];

	if (fd >= 0)
		return fd;
	switch (file) {
	case PROCESS_MAPS: fd = proc_maps_open(procfiles_reader(process)); break;
	case PROCESS_STATM: fd = procfs_open_statm(procfiles_reader(process)); break;
	case PROCESS_PIDFD:
		fd = (int)syscall(SYS_pidfd_open, process->pid, 0);
		fd = fd < 0 ? -errno : fd;
		break;
	default: return -EINVAL;
	}
	process->fd[file] = fds_keep(&files->fds, process, fd);
	return process->fd[file];
}

void procfiles_read_kernel_time(const struct tracee *t, struct kernel_time *ret_time)
{
	int fd = t->fd[THREAD_STAT], opened;

	*ret_time = t->final_kernel;
	if (t->reaped)
		return;
	opened = fd < 0 ? procfs_open_stat(t->process->pid, t->tid) : -1;
	if (procfs_read_kernel_time(fd < 0 ? opened : fd, ret_time) < 0)
		*ret_time = t->begin_kernel;
	if (opened >= 0)
		(void)close(opened);
}

void procfiles_read_final(struct procfiles *files, struct tracee *t)
{
	struct cpu_time cpu;

	t->final_cpu = t->account.seen;
	/* A newborn that dies before its parent's clone event has no process yet. */
	if (t->process) {
		if (procfiles_read_runs(files, t, &cpu) == 0)
			t->final_cpu = cpu;
		procfiles_read_kernel_time(t, &t->final_kernel);
	}
	t->reaped = true;
}

/* Opens the file unless it is open, or failed for another reason than too many open files. */
static void open_once(struct procfiles *files, struct process *process, int tid,
	enum process_file file, const char *name)
{
	int *fd = &process->fd[file];
	char path[48];

	if (*fd != -1 && *fd != -EMFILE && *fd != -ENFILE)
		return;
	(void)snprintf(path, sizeof(path), "/proc/%d/%s", tid, name);
	*fd = fds_keep(&files->fds, process, procfs_open(path));
}

void procfiles_open_memory(struct procfiles *files, struct process *process, int tid)
{
	if (process->memory.couriers)
		open_once(files, process, tid, PROCESS_PAGEMAP, "pagemap");
	if (files->reads_refused)
		open_once(files, process, tid, PROCESS_MEM, "mem");
}

bool procfiles_find_reader(struct procfiles *files, struct process *process)
{
	int tid = proc_file_living_thread(process->pid);

	if (tid == procfiles_reader(process))
		return false;
	procfiles_set_reader(process, tid);
	procfiles_open_memory(files, process, tid);
	return true;
}

bool procfiles_claim(struct procfiles *files, struct tracee *t)
{
	struct cpu_time cpu;
	bool any;

	procfiles_open_memory(files, t->process, t->tid);
	if (t->fd[THREAD_CPU] >= 0)
		return true;
	if (fds_steal(&files->fds, &any) && procfiles_read_cpu(files, t, &cpu) == 0 &&
		t->fd[THREAD_CPU] >= 0)
		return true;
	if (any)
		return false; /* The next call tries again. */
	if (!t->unwatched)
		files->unwatched++;
	t->unwatched = true;
	if (!files->said_no_fds)
		say_line(files->say, SAY_WARNING,
			"the limit of open files is too low: some threads are not sampled, and "
			"their CPU time is unattributed; raise it (ulimit -n)");
	files->said_no_fds = true;
	return false;
}
