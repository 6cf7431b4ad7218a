/* SPDX-License-Identifier: MIT */
/* The analyst of a test: reads the ring whenever the supervisor sleeps, and can be made to die. */
#include "tests/kernel/kernel.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int kernel_spawn_analyst(struct kernel *k, const char *const argv[])
{
	struct analyst *a;
	struct stat st;

	k->analyst_starts++;
	k->analyst_refused = true;
	if (k->analyst_fails || k->analysts == KERNEL_ANALYSTS)
		return -ENOENT;
	if (k->failing_from && k->analyst_starts - k->failing_from < k->failing_starts)
		return -EAGAIN;
	k->analyst_refused = false;
	a = &k->analyst[k->analysts++];
	*a = (struct analyst){.pid = k->next_tid++, .segment = argv[1] ? argv[2] : NULL};
	a->bell_fd = dup(k->pipe_end[k->pipe_ends - 4]);
	a->request_fd = dup(k->pipe_end[k->pipe_ends - 1]);
	if (fstat(k->ring_fd, &st) < 0)
		abort();
	a->bytes = (size_t)st.st_size;
	a->memory = mmap(NULL, a->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, k->ring_fd, 0);
	if (a->memory == MAP_FAILED)
		abort();
	kernel_note(k, "the analyst is %d", a->pid);
	return a->pid;
}

static void leave(struct kernel *k, struct analyst *a, int status)
{
	a->ended = true;
	a->status = status;
	kernel_note(k, "the analyst %d ends, 0x%x", a->pid, (unsigned)status);
	kernel_tell_tracer(k);
}

static void see(struct kernel *k, struct analyst *a, const struct record *r)
{
	struct kernel_records *sum = &k->records;

	sum->n[r->header.type]++;
	switch (r->header.type) {
	case RECORD_SAMPLE:
		sum->weight_ns += r->as.sample.weight_ns;
		sum->blocked_ns += r->as.sample.blocked_ns;
		if (++a->samples == k->analyst_dies_after && k->analysts == 1)
			leave(k, a, SIGSEGV);
		break;
	case RECORD_CPU: sum->cpu_ns += r->as.cpu.cpu_ns; break;
	case RECORD_UNSAMPLED: sum->unsampled_ns += r->as.unsampled.cpu_ns; break;
	case RECORD_EXIT: sum->exit_ns += r->as.exit.kernel_ns; break;
	case RECORD_END:
		sum->end_flags = r->header.flags;
		(void)strncpy(sum->audit, r->as.audit.text, sizeof(sum->audit) - 1);
		leave(k, a, 0);
		break;
	default: break;
	}
	if (k->record)
		k->record(k, r);
}

void kernel_run_analysts(struct kernel *k)
{
	for (size_t i = 0; i < k->analysts; i++) {
		struct analyst *a = &k->analyst[i];
		const uint8_t *data;
		struct record r;
		size_t bytes;
		int error;

		if (a->ended)
			continue;
		if (!a->open && ring_open(&a->ring, a->memory, a->bytes) < 0)
			continue;
		a->open = true;
		while (!a->ended && !k->analyst_hangs &&
			(data = ring_peek(&a->ring, &bytes, &error))) {
			if (record_get(data, bytes, &r) < 0)
				kernel_fail(k, "a malformed record");
			else
				see(k, a, &r);
			ring_consume(&a->ring);
		}
		(void)ring_sleep(&a->ring);
	}
}

struct analyst *kernel_find_analyst(struct kernel *k, int pid)
{
	for (size_t i = 0; i < k->analysts; i++)
		if (k->analyst[i].pid == pid && !k->analyst[i].reaped)
			return &k->analyst[i];
	return NULL;
}

void kernel_free_analysts(struct kernel *k)
{
	for (size_t i = 0; i < k->analysts; i++) {
		(void)close(k->analyst[i].bell_fd);
		(void)close(k->analyst[i].request_fd);
		(void)munmap(k->analyst[i].memory, k->analyst[i].bytes);
	}
}
