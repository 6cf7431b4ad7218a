/* SPDX-License-Identifier: MIT */
#include "supervisor/target/procfiles.h"

#include <errno.h>
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
	static const char *const name[THREAD_FILES] = {[THREAD_CPU] = "schedstat",
		[THREAD_ACTIVITY] = "syscall",
		[THREAD_STAT] = "stat",
		[THREAD_SWITCHED] = "sched"};

	if (file == THREAD_CPU && files->cpu_source == CPU_SOURCE_STAT)
		file = THREAD_STAT;
	return procfs_open("/proc/%d/task/%d/%s", t->process->pid, t->tid, name[file]);
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

/* Reads the beginning of the file, NUL-terminated. Returns the length, or -errno. */
static int read_text(
	struct procfiles *files, struct tracee *t, enum thread_file file, char *text, size_t room)
{
	int fd = get(files, t, file);
	int n = fd < 0 ? fd : procfs_read(fd, text, room);

	put_back(files, t, file, fd);
	return n;
}

int procfiles_read_cpu(struct procfiles *files, struct tracee *t, struct cpu_time *ret_cpu)
{
	char text[PROCFS_CPU_BYTES];
	int n;

	if (t->reaped) {
		*ret_cpu = t->final_cpu;
		return 0;
	}
	n = read_text(files, t, THREAD_CPU, text, sizeof(text));
	return n < 0 ? n : procfs_parse_cpu(files->cpu_source, text, ret_cpu);
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
	char text[PROCFS_CALL_BYTES];
	int n = read_text(files, t, THREAD_ACTIVITY, text, sizeof(text));

	return n < 0 ? n : procfs_parse_activity(text, ret_activity);
}

int procfiles_read_call(struct procfiles *files, struct tracee *t, struct activity *ret_activity,
	uint64_t ret_argument[6])
{
	char text[PROCFS_CALL_BYTES];
	int n = read_text(files, t, THREAD_ACTIVITY, text, sizeof(text));

	return n < 0 ? n : procfs_parse_call(text, ret_activity, ret_argument);
}

int procfiles_read_turn(struct procfiles *files, struct tracee *t, struct turn *ret_turn)
{
	char text[PROCFS_TURN_BYTES];
	int n = read_text(files, t, THREAD_SWITCHED, text, sizeof(text));

	return n < 0 ? n : procfs_parse_turn(text, ret_turn);
}

int procfiles_read_queued(struct procfiles *files, struct tracee *t, uint64_t *ret_ns)
{
	char text[PROCFS_QUEUED_BYTES];
	int n = read_text(files, t, THREAD_SWITCHED, text, sizeof(text));

	return n < 0 ? n : procfs_parse_queued(text, ret_ns);
}

int procfiles_read_last_cpu(struct procfiles *files, struct tracee *t)
{
	char text[PROCFS_STAT_BYTES];
	int n = read_text(files, t, THREAD_STAT, text, sizeof(text));

	return n < 0 ? n : procfs_parse_last_cpu(text);
}

int procfiles_read_state(struct procfiles *files, struct tracee *t, char *ret_state)
{
	char text[PROCFS_STAT_BYTES];
	int n = read_text(files, t, THREAD_STAT, text, sizeof(text));

	return n < 0 ? n : procfs_parse_state(text, ret_state);
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
	case PROCESS_MAPS: fd = procfs_open("/proc/%d/maps", procfiles_reader(process)); break;
	case PROCESS_STATM: fd = procfs_open("/proc/%d/statm", procfiles_reader(process)); break;
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
	char text[PROCFS_STAT_BYTES];

	*ret_time = t->final_kernel;
	if (t->reaped)
		return;
	opened = fd < 0 ? procfs_open("/proc/%d/task/%d/stat", t->process->pid, t->tid) : -1;
	if (procfs_read(fd < 0 ? opened : fd, text, sizeof(text)) < 0 ||
		procfs_parse_kernel_time(text, ret_time) < 0)
		*ret_time = t->begin_kernel;
	if (opened >= 0)
		(void)close(opened);
}

void procfiles_read_final(struct procfiles *files, struct tracee *t)
{
	struct cpu_time cpu;

	t->final_cpu = t->account.seen;
	/*
	 * t->process is NULL for a new thread that dies before the event in which its parent names
	 * it.
	 */
	if (t->process) {
		if (procfiles_read_runs(files, t, &cpu) == 0)
			t->final_cpu = cpu;
		procfiles_read_kernel_time(t, &t->final_kernel);
	}
	t->reaped = true;
}

/* Opens the file if it is not open. A failed open is repeated only after too many open files. */
static void open_once(struct procfiles *files, struct process *process, int tid,
	enum process_file file, const char *name)
{
	int *fd = &process->fd[file];

	if (*fd == -1 || *fd == -EMFILE || *fd == -ENFILE)
		*fd = fds_keep(&files->fds, process, procfs_open("/proc/%d/%s", tid, name));
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
