/* SPDX-License-Identifier: MIT */
/* The files of /proc, as far as the supervisor reads them; and the memory of tasks. */
#include "tests/kernel/kernel.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>

/* The lowest of the descriptors that stand for files of the scripted kernel. */
#define FIRST_FD 1000

enum kind {
	FILE_SCHEDSTAT,
	FILE_STAT,
	FILE_SYSCALL,
	FILE_STATUS,
	FILE_COMM,
	FILE_SCHED,
	FILE_MAPS,
	FILE_STATM,
	FILE_CGROUP,
	FILE_MEM,
	FILE_PIDFD,
	FILE_LOAD,
	FILE_OWN_SCHEDSTAT,
	FILE_OWN_SCHED,
	FILE_KINDS
};

static const char *const of_task[] = {"schedstat", "stat", "syscall", "status", "comm", "sched",
	"maps", "statm", "cgroup", "mem"};

bool kernel_is_file(const struct kernel *k, int fd)
{
	return fd >= FIRST_FD && fd < FIRST_FD + KERNEL_FILES && k->file[fd - FIRST_FD].used;
}

static int add_file(struct kernel *k, enum kind kind, const struct task *of)
{
	for (int i = 0; i < k->files_most; i++)
		if (!k->file[i].used) {
			k->file[i] = (struct kernel_file){true, (int)kind, of ? of->id : NULL,
				of ? of->group : NULL, of ? of->group->execs : 0};
			return FIRST_FD + i;
		}
	return -EMFILE;
}

int kernel_close_file(struct kernel *k, int fd)
{
	k->file[fd - FIRST_FD].used = false;
	return 0;
}

int kernel_open(struct kernel *k, const char *path)
{
	const char *file = strrchr(path, '/');
	struct task *t;
	int pid, tid = 0, fd;

	if (strcmp(path, "/proc/self/schedstat") == 0)
		return k->no_schedstat ? -ENOENT : add_file(k, FILE_OWN_SCHEDSTAT, NULL);
	if (strcmp(path, "/proc/thread-self/sched") == 0)
		return k->has_sched ? add_file(k, FILE_OWN_SCHED, NULL) : -ENOENT;
	if (strcmp(path, "/proc/loadavg") == 0)
		return add_file(k, FILE_LOAD, NULL);
	if (strcmp(path, "/sys/devices/system/cpu/nohz_full") == 0 ||
		strcmp(path, "/proc/self/mountinfo") == 0)
		return -ENOENT;
	if (sscanf(path, "/proc/%d/fdinfo/%d", &pid, &fd) == 2 && fd >= KERNEL_PIDFD) {
		t = kernel_find(k, fd - KERNEL_PIDFD);
		return t ? add_file(k, FILE_PIDFD, t) : -ENOENT;
	}
	if (sscanf(path, "/proc/%d/task/%d/", &pid, &tid) < 1)
		return -1000;
	t = kernel_find(k, tid ? tid : pid);
	if (!t || (tid && t->group->pid != pid))
		return -ENOENT;
	for (int i = 0; i < FILE_PIDFD; i++) {
		if (strcmp(file + 1, of_task[i]) != 0)
			continue;
		if ((i == FILE_SCHED && !k->has_sched) || (i == FILE_SYSCALL && k->no_syscall_file))
			return -ENOENT;
		return add_file(k, (enum kind)i, t);
	}
	return -ENOENT;
}

static char state_of(const struct task *t)
{
	switch (t->state) {
	case TASK_RUNS: return 'R';
	case TASK_SLEEPS: return 'S';
	case TASK_DEEP:
	case TASK_STUCK: return 'D';
	case TASK_TRACED: return 't';
	case TASK_STOPPED: return 'T';
	default: return 'Z';
	}
}

static int print_call(const struct task *t, char *to, size_t room)
{
	if (t->state == TASK_RUNS)
		return snprintf(to, room, "running\n");
	if (t->state == TASK_ZOMBIE)
		return snprintf(to, room, "0 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x0\n");
	if ((int64_t)t->word[15] < 0)
		return snprintf(
			to, room, "-1 0x%" PRIx64 " 0x%" PRIx64 "\n", t->word[19], t->word[16]);
	return snprintf(to, room,
		"%" PRId64 " 0x%" PRIx64 " 0x%" PRIx64 " 0x%" PRIx64 " 0x%" PRIx64 " 0x%" PRIx64
		" 0x%" PRIx64 " 0x%" PRIx64 " 0x%" PRIx64 "\n",
		(int64_t)t->word[15], t->word[14], t->word[13], t->word[12], t->word[7], t->word[9],
		t->word[8], t->word[19], t->word[16]);
}

static uint64_t set_of(const unsigned *counts)
{
	uint64_t set = 0;

	for (int s = 1; s < 65; s++)
		set |= counts[s] ? UINT64_C(1) << (s - 1) : 0;
	return set;
}

static int print_status(const struct task *t, char *to, size_t room)
{
	uint64_t ignored = 0, caught = 0;
	char inner[16] = "";

	if (t->group->outer)
		(void)snprintf(inner, sizeof(inner), "\t%d", t->tid - t->group->outer);
	for (int s = 1; s < 65; s++) {
		ignored |= t->group->handler[s] == DISPOSITION_IGNORE ? UINT64_C(1) << (s - 1) : 0;
		caught |= t->group->handler[s] == DISPOSITION_HANDLER ? UINT64_C(1) << (s - 1) : 0;
	}
	return snprintf(to, room,
		"Name:\t%s\nState:\t%c (x)\nTgid:\t%d\nPid:\t%d\nPPid:\t%d\nTracerPid:\t0\n"
		"Uid:\t0\t0\t0\t0\nNSpid:\t%d%s\nVmExe:\t%u kB\nVmLib:\t0 kB\nSigPnd:\t%016" PRIx64
		"\nShdPnd:\t%016" PRIx64 "\nSigBlk:\t0000000000000000\nSigIgn:\t%016" PRIx64
		"\nSigCgt:\t%016" PRIx64 "\nSeccomp:\t%d\nvoluntary_ctxt_switches:\t%" PRIu64
		"\nnonvoluntary_ctxt_switches:\t0\n",
		t->name, state_of(t), t->group->pid, t->tid, t->group->parent, t->tid, inner,
		4 + t->group->execs + t->group->libraries, set_of(t->pending),
		set_of(t->group->pending), ignored, caught, t->group->filtered ? 2 : 0, t->slices);
}

static int print_maps(const struct task *t, char *to, size_t room)
{
	int n;

	if (t->state == TASK_ZOMBIE)
		return 0;
	n = snprintf(to, room, "%" PRIx64 "-%" PRIx64 " r-xp 00000000 08:01 %u          %s\n",
		KERNEL_CODE, KERNEL_CODE + KERNEL_MEMORY, 77 + t->group->execs, t->group->exe);
	n += snprintf(to + n, room - (size_t)n, "%" PRIx64 "-%" PRIx64 " rw-p 00000000 00:00 0 \n",
		KERNEL_DATA, KERNEL_DATA + KERNEL_MEMORY);
	for (unsigned i = 0; i < t->group->libraries && n < (int)room; i++)
		n += snprintf(to + n, room - (size_t)n,
			"%x-%x r-xp 00000000 08:01 %u          /lib/late%u.so\n",
			0x7000000 + 0x10000 * i, 0x7001000 + 0x10000 * i, 900 + i, i);
	if (n < (int)room)
		n += snprintf(to + n, room - (size_t)n,
			"%" PRIx64 "-%" PRIx64 " rw-p 00000000 00:00 0          [stack]\n",
			KERNEL_STACK, KERNEL_STACK + KERNEL_MEMORY);
	return n;
}

static int print_of_task(const struct task *t, enum kind kind, char *to, size_t room)
{
	uint64_t ticks = t->run_ns / 10000000;

	switch (kind) {
	case FILE_SCHEDSTAT:
		return snprintf(to, room, "%" PRIu64 " %" PRIu64 " %" PRIu64 "\n", t->run_ns,
			t->wait_ns, t->slices);
	case FILE_STAT:
		return snprintf(to, room,
			"%d (%s) %c %d 0 0 0 -1 0 0 0 0 0 %" PRIu64
			" 0 0 0 20 0 1 0 5 0 0 0 0 0 %" PRIu64 " 0 0 0 0 0 0 0 0 0 17 %d 0 0\n",
			t->tid, t->name, state_of(t), t->group->parent, ticks,
			KERNEL_STACK + KERNEL_MEMORY - 64, t->cpu);
	case FILE_SYSCALL: return print_call(t, to, room);
	case FILE_STATUS: return print_status(t, to, room);
	case FILE_COMM: return snprintf(to, room, "%s\n", t->name);
	case FILE_SCHED:
		return snprintf(to, room,
			"%s (%d, #threads: 1)\n---\nse.exec_start : %" PRIu64 ".%06" PRIu64
			"\nse.sum_exec_runtime : %" PRIu64 ".%06" PRIu64 "\nnr_switches : %" PRIu64
			"\nse.avg.last_update_time : %" PRIu64 "\n",
			t->name, t->tid, t->switched_ns / 1000000, t->switched_ns % 1000000,
			t->run_ns / 1000000, t->run_ns % 1000000, t->slices, t->switched_ns);
	case FILE_MAPS: return print_maps(t, to, room);
	case FILE_PIDFD: return snprintf(to, room, "pos:\t0\nPid:\t%d\n", t->group->pid);
	case FILE_STATM:
		return snprintf(
			to, room, "%u 1 1 1 0 1 0\n", 6 + t->group->execs + t->group->libraries);
	default: return snprintf(to, room, "0::/user.slice\n");
	}
}

static int print_load(const struct kernel *k, char *to, size_t room)
{
	unsigned runnable = 1;

	for (size_t i = 0; i < k->tasks; i++)
		runnable += k->task[i].state == TASK_RUNS;
	return snprintf(to, room, "0.00 0.00 0.00 %u/99 1\n", runnable);
}

/*
 * Reads /proc/PID/mem. The file shows the image that the process had at the opening: after an exec,
 * or the end of the last thread, there is nothing to read.
 */
static ssize_t read_memory(
	struct kernel *k, const struct kernel_file *file, char *to, size_t room, uint64_t at)
{
	const struct task *living = NULL;
	const uint8_t *memory;
	size_t n = 0;

	kernel_point(k);
	for (size_t i = 0; i < k->tasks && !living; i++)
		if (k->task[i].group == file->group && k->task[i].state != TASK_NONE &&
			k->task[i].state != TASK_ZOMBIE)
			living = &k->task[i];
	if (!living || file->group->execs != file->execs)
		return 0;
	memory = kernel_memory(living->space, at, &n);
	if (!memory)
		return -EIO;
	n = n < room ? n : room;
	memcpy(to, memory, n);
	kernel_note(k, "  read mem of %d, %zu", file->group->pid, n);
	return (ssize_t)n;
}

ssize_t kernel_read_file(struct kernel *k, int fd, char *to, size_t room, uint64_t at)
{
	const struct kernel_file *file = &k->file[fd - FIRST_FD];
	char text[2048];
	int n;

	if (file->kind == FILE_MEM)
		return read_memory(k, file, to, room, at);
	kernel_tick(k);
	switch ((enum kind)file->kind) {
	case FILE_LOAD: n = print_load(k, text, sizeof(text)); break;
	case FILE_OWN_SCHEDSTAT:
		n = snprintf(text, sizeof(text), "%" PRIu64 " 0 1\n", k->own_ns + 1);
		break;
	case FILE_OWN_SCHED:
		n = snprintf(text, sizeof(text),
			"sprofrun (1, #threads: 1)\n---\nse.exec_start : %" PRIu64 ".%06" PRIu64
			"\nse.sum_exec_runtime : %" PRIu64 ".%06" PRIu64 "\nnr_switches : %ld\n",
			k->woke_ns / 1000000, k->woke_ns % 1000000, k->rest_own_ns / 1000000,
			k->rest_own_ns % 1000000, k->sleeps);
		break;
	default:
		if (!file->id->task)
			return -ESRCH;
		n = print_of_task(file->id->task, (enum kind)file->kind, text, sizeof(text));
	}
	if (n < 0 || (size_t)n >= sizeof(text))
		return -EIO;
	n = (size_t)n < room ? n : (int)room;
	memcpy(to, text, (size_t)n);
	return n;
}

uint8_t *kernel_memory(struct space *space, uint64_t at, size_t *ret_n)
{
	uint8_t *const memory[] = {space->code, space->data, space->stack};
	const uint64_t start[] = {KERNEL_CODE, KERNEL_DATA, KERNEL_STACK};

	for (size_t i = 0; i < 3; i++)
		if (at >= start[i] && at < start[i] + KERNEL_MEMORY) {
			*ret_n = start[i] + KERNEL_MEMORY - at;
			return memory[i] + (at - start[i]);
		}
	return NULL;
}
