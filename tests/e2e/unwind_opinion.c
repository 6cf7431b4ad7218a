/* SPDX-License-Identifier: MIT */
/*
 * unwind_opinion PID STOPS: compares our unwinder with libunwind.
 *
 * Stops the threads of the process in turn, STOPS times. Unwinds each stopped thread by
 * libunwind-ptrace, and a copy of its stack by our unwinder; compares pc and sp of each frame.
 * Prints
 *
 *	stops N frames N agree N ours_longer N theirs_longer N differ N vdso N
 *	ns_per_frame ours N libunwind_copy N libunwind_ptrace N
 *
 * and on stderr each kind of difference once. libunwind_copy is libunwind, with its cache, on our
 * copy of the stack, as it would replace our own interpreter of unwind information.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <libunwind-ptrace.h>

#include "supervisor/os/proc_maps.h"
#include "supervisor/os/procfs.h"
#include "supervisor/os/remote.h"
#include "supervisor/os/tracer.h"
#include "supervisor/target/stack.h"
#include "symbolizer/symbolizer.h"
#include "symbolizer/unwind/unwind.h"

enum { FRAMES_MOST = 8192, WARM_ROUNDS = 20 };

struct opinion {
	uint64_t pc[FRAMES_MOST], sp[FRAMES_MOST];
	size_t n;
};

struct state {
	int pid;
	struct symbolizer *symbolizer;
	struct space *space;
	struct unwinder *unwinder;
	struct stack_ranges ranges;
	struct stack_home home;
	struct stack_copy copy;
	struct arch_snapshot snapshot;
	struct opinion theirs, again;
	void *upt; /* libunwind's unwinder of the stopped thread */
	uint64_t frames, stops, agree, longer, shorter, differ, vdso;
	double ours_ns, copy_ns, ptrace_ns;
	uint64_t ours_frames, copy_frames, ptrace_frames;
};

/* A global, as the accessors' argument is libunwind-ptrace's context. */
static struct state *current;

static double now_ns(void)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

static int copy_memory(
	unw_addr_space_t as, unw_word_t address, unw_word_t *value, int write, void *arg)
{
	const struct state *s = current;
	const struct stack_piece *pieces[2] = {&s->copy.inner, &s->copy.outer};
	struct iovec local = {value, sizeof(*value)},
		     remote = {(void *)(uintptr_t)address, sizeof(*value)};

	(void)as, (void)arg;
	if (write)
		return -UNW_EINVAL;
	for (unsigned i = 0; i < 2; i++) {
		uint64_t at = address - pieces[i]->base;

		if (at < pieces[i]->bytes && pieces[i]->bytes - at >= 8) {
			memcpy(value, pieces[i]->data + at, 8);
			return 0;
		}
	}
	return process_vm_readv(s->pid, &local, 1, &remote, 1, 0) == 8 ? 0 : -UNW_EINVAL;
}

static int copy_register(
	unw_addr_space_t as, unw_regnum_t reg, unw_word_t *value, int write, void *arg)
{
	const struct state *s = current;

	(void)as, (void)arg;
	if (write || reg < 0 || reg >= s->snapshot.registers)
		return -UNW_EBADREG;
	*value = s->snapshot.reg[reg];
	return 0;
}

static int no_float(unw_addr_space_t as, unw_regnum_t reg, unw_fpreg_t *value, int write, void *arg)
{
	(void)as, (void)reg, (void)value, (void)write, (void)arg;
	return -UNW_EBADREG;
}

static int no_resume(unw_addr_space_t as, unw_cursor_t *cursor, void *arg)
{
	(void)as, (void)cursor, (void)arg;
	return -UNW_EINVAL;
}

static int no_name(unw_addr_space_t as, unw_word_t address, char *name, size_t bytes,
	unw_word_t *offset, void *arg)
{
	(void)as, (void)address, (void)name, (void)bytes, (void)offset, (void)arg;
	return -UNW_EINVAL;
}

static unw_accessors_t copy_accessors = {
	.find_proc_info = _UPT_find_proc_info,
	.put_unwind_info = _UPT_put_unwind_info,
	.get_dyn_info_list_addr = _UPT_get_dyn_info_list_addr,
	.access_mem = copy_memory,
	.access_reg = copy_register,
	.access_fpreg = no_float,
	.resume = no_resume,
	.get_proc_name = no_name,
};

static void walk(unw_addr_space_t as, void *arg, struct opinion *opinion)
{
	unw_cursor_t cursor;
	unw_word_t pc, sp;

	opinion->n = 0;
	if (unw_init_remote(&cursor, as, arg) < 0)
		return;
	do {
		if (unw_get_reg(&cursor, UNW_REG_IP, &pc) < 0 ||
			unw_get_reg(&cursor, UNW_REG_SP, &sp) < 0 || pc == 0)
			return;
		opinion->pc[opinion->n] = pc;
		opinion->sp[opinion->n++] = sp;
	} while (opinion->n < FRAMES_MOST && unw_step(&cursor) > 0);
}

static int unwind_ours(struct state *s, struct unwind_result *result)
{
	const struct unwind_input input = {.machine = s->snapshot.machine,
		.registers = s->snapshot.registers,
		.reg = s->snapshot.reg,
		.pc = s->snapshot.pc,
		.sp = s->snapshot.sp,
		.piece = {{s->copy.inner.base, s->copy.inner.data, s->copy.inner.bytes},
			{s->copy.outer.base, s->copy.outer.data, s->copy.outer.bytes}},
		.truncated = s->copy.truncated};

	return unwind_stack(s->unwinder, s->space, &input, result);
}

/* libunwind-ptrace cannot read the vdso, and guesses the callers there. */
static bool is_vdso(const struct unwind_frame *frame)
{
	struct module_info info;

	module_describe(frame->location.module, frame->location.svma, &info);
	return strcmp(info.path, "[vdso]") == 0;
}

static void compare(struct state *s, const struct unwind_result *ours)
{
	const struct opinion *t = &s->theirs;
	size_t n = ours->n < t->n ? ours->n : t->n, i = 0;

	/* A caller's pc is libunwind's return address; ours is the byte before, in the call. */
	while (i < n && (ours->frame[i].pc == t->pc[i] || ours->frame[i].pc + 1 == t->pc[i]) &&
		ours->frame[i].sp == t->sp[i])
		i++;
	s->frames += i;
	if (i < n && i > 0 && is_vdso(&ours->frame[i - 1]) && ours->end == UNWIND_COMPLETE) {
		s->vdso++;
	} else if (i < n) {
		s->differ++;
		(void)fprintf(stderr,
			"frame %zu: ours pc %#jx sp %#jx, theirs pc %#jx sp %#jx; %zu and %zu\n", i,
			(uintmax_t)ours->frame[i].pc, (uintmax_t)ours->frame[i].sp,
			(uintmax_t)t->pc[i], (uintmax_t)t->sp[i], ours->n, t->n);
	} else if (ours->n > n) {
		s->longer++;
		(void)fprintf(stderr, "ours goes on for %zu at %#jx, %s\n", ours->n - n,
			(uintmax_t)ours->frame[n].pc,
			ours->end == UNWIND_COMPLETE ? "complete" : ours->why);
	} else if (t->n > n) {
		s->shorter++;
		(void)fprintf(stderr, "theirs goes on for %zu at %#jx, ours: %s\n", t->n - n,
			(uintmax_t)t->pc[n], ours->end == UNWIND_COMPLETE ? "complete" : ours->why);
	} else {
		s->agree++;
	}
}

static void examine(struct state *s, int tid, unw_addr_space_t by_ptrace, unw_addr_space_t by_copy)
{
	const struct remote memory = {.tid = tid};
	struct unwind_result ours;
	double began;

	s->upt = _UPT_create(tid);
	if (!s->upt || tracer_get_snapshot(tid, &s->snapshot) < 0)
		return;
	stack_copy_take(&s->copy, &memory, &s->snapshot, &s->ranges, &s->home);
	began = now_ns();
	walk(by_ptrace, s->upt, &s->theirs);
	s->ptrace_ns += now_ns() - began;
	s->ptrace_frames += s->theirs.n;
	walk(by_copy, s->upt, &s->again);
	began = now_ns();
	for (unsigned i = 0; i < WARM_ROUNDS; i++)
		walk(by_copy, s->upt, &s->again);
	s->copy_ns += now_ns() - began;
	s->copy_frames += s->again.n * WARM_ROUNDS;
	if (unwind_ours(s, &ours) < 0)
		return;
	began = now_ns();
	for (unsigned i = 0; i < WARM_ROUNDS; i++)
		(void)unwind_ours(s, &ours);
	s->ours_ns += now_ns() - began;
	s->ours_frames += ours.n * WARM_ROUNDS;
	s->stops++;
	compare(s, &ours);
	_UPT_destroy(s->upt);
}

static int pick_thread(int pid, unsigned turn)
{
	int *tids = NULL, tid;
	size_t n = 0, room = 0;

	if (procfs_read_threads(pid, &tids, &n, &room) < 0 || n == 0) {
		free(tids);
		return pid;
	}
	tid = tids[turn % n];
	free(tids);
	return tid;
}

static int learn(struct state *s)
{
	char *text = NULL;
	size_t room = 0;
	int n = proc_maps_read(s->pid, &text, &room);

	if (n > 0 && space_set_maps(s->space, text, (size_t)n) >= 0)
		(void)stack_ranges_set(&s->ranges, text);
	free(text);
	return n;
}

static void one_stop(struct state *s, int tid, unw_addr_space_t by_ptrace, unw_addr_space_t by_copy)
{
	const struct tracer_options options = {0};
	int status;

	if (tracer_seize(tid, &options) < 0)
		return;
	if (tracer_interrupt(tid) == 0 && waitpid(tid, &status, __WALL) == tid &&
		WIFSTOPPED(status)) {
		if (learn(s) > 0)
			examine(s, tid, by_ptrace, by_copy);
		(void)tracer_detach(tid);
	}
}

int main(int argc, char **argv)
{
	static struct state s;
	struct symbolizer_options options = {.size = sizeof(options)};
	unw_addr_space_t by_ptrace = unw_create_addr_space(&_UPT_accessors, 0);
	unw_addr_space_t by_copy = unw_create_addr_space(&copy_accessors, 0);
	unsigned stops = argc > 2 ? (unsigned)atoi(argv[2]) : 20;

	current = &s;
	s.pid = argc > 1 ? atoi(argv[1]) : 0;
	if (s.pid <= 0 || !by_ptrace || !by_copy || symbolizer_new(&options, &s.symbolizer) < 0 ||
		space_new(s.symbolizer, s.pid, &s.space) < 0 ||
		unwinder_new(s.symbolizer, &s.unwinder) < 0 ||
		stack_copy_init(&s.copy, 8 << 20) < 0)
		return 2;
	s.copy.whole = true;
	(void)unw_set_caching_policy(by_copy, UNW_CACHE_GLOBAL);
	for (unsigned i = 0; i < stops; i++) {
		const struct timespec pause = {0, 3000000 + (long)(i % 7) * 1000000};

		one_stop(&s, pick_thread(s.pid, i), by_ptrace, by_copy);
		(void)nanosleep(&pause, NULL); /* the program goes on to another place */
	}
	(void)printf("stops %ju frames %ju agree %ju ours_longer %ju theirs_longer %ju differ %ju "
		     "vdso %ju\n",
		(uintmax_t)s.stops, (uintmax_t)s.frames, (uintmax_t)s.agree, (uintmax_t)s.longer,
		(uintmax_t)s.shorter, (uintmax_t)s.differ, (uintmax_t)s.vdso);
	(void)printf("ns_per_frame ours %.0f libunwind_copy %.0f libunwind_ptrace %.0f\n",
		s.ours_ns / (double)(s.ours_frames + 1), s.copy_ns / (double)(s.copy_frames + 1),
		s.ptrace_ns / (double)(s.ptrace_frames + 1));
	return 0;
}
