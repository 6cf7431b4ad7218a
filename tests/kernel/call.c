/* SPDX-License-Identifier: MIT */
/*
 * System calls that block. Their arguments are in the registers, where a tracer may change them.
 * They end as in Linux (arch/x86/kernel/signal.c, kernel/signal.c): a result from -512 to -516
 * means that the call is restarted on the way back to the program.
 */
#include "tests/kernel/kernel.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>

enum { X64_RAX = 10, X64_ORIG_RAX = 15, X64_RIP = 16 };
static const uint8_t argument_word[6] = {14, 13, 12, 7, 9, 8};

/*
 * How late a restarted call may end, in ns. The limit is later by the time for which the call had
 * lasted when it was first disturbed: the supervisor does not know that time, which may be as long
 * as the whole time-out (docs/PTRACE.md, "Timeouts").
 */
#define LATE_NS UINT64_C(10000000)

/* Stands for a time-out of 0 ns, as 0 itself means that there is none. */
#define AT_ONCE_NS 1

static uint64_t argument(const struct task *t, unsigned i)
{
	return t->word[argument_word[i]];
}

/* Returns the time-out that the call's arguments give, in ns; 0: none. */
static uint64_t limit_of(struct task *t)
{
	const struct blocking *call = t->call;
	uint64_t value = argument(t, call->wait_argument);
	int64_t spec[2];
	uint8_t *memory;
	size_t room;

	switch (call->wait) {
	case WAIT_FOR_EVER: return 0;
	case WAIT_MS: return (int32_t)value > 0 ? (uint64_t)value * 1000000 : AT_ONCE_NS;
	case WAIT_SPEC:
		memory = kernel_memory(t->space, value, &room);
		if (!memory)
			return 0;
		memcpy(spec, memory, sizeof(spec));
		return (uint64_t)spec[0] * 1000000000 + (uint64_t)spec[1] + AT_ONCE_NS;
	default: return call->most_ns;
	}
}

/*
 * Lets the thread sleep in its call, when it enters the call or goes on from the stop at its entry.
 */
static void sleep_in_call(struct kernel *k, struct task *t)
{
	const struct blocking *call = t->call;
	uint64_t most, until = UINT64_MAX;

	if (call->breaks && argument(t, call->length) < t->whole) {
		t->state = TASK_SLEEPS;
		kernel_wake(k, t, -EPIPE);
		kernel_send(k, t, false, SIGPIPE);
		return;
	}
	/* restart_syscall keeps the deadline of the first call. */
	if ((int64_t)t->word[X64_ORIG_RAX] == SYS_restart_syscall)
		most = t->call_ends_ns > k->now_ns ? t->call_ends_ns - k->now_ns : 1;
	else
		most = limit_of(t);
	if (most)
		until = t->call_ends_ns = k->now_ns + most;
	t->call_times_out = true;
	if (call->wake_ns) {
		/*
		 * A transfer takes call->wake_ns from now; an awaited event comes call->wake_ns
		 * after the call's first beginning.
		 */
		uint64_t wake = (call->length ? k->now_ns : t->call_began_ns) + call->wake_ns;

		wake = wake > k->now_ns ? wake : k->now_ns + 1;
		t->call_times_out = until < wake;
		until = until < wake ? until : wake;
	}
	t->until_ns = until == UINT64_MAX ? 0 : until;
	t->state = TASK_SLEEPS;
}

static void enter(struct kernel *k, struct task *t)
{
	t->word[X64_RAX] = (uint64_t)-ENOSYS;
	if (t->to_call && t->traced) {
		t->phase = PHASE_ENTRY;
		kernel_stop(k, t, STOP_CALL, SIGTRAP | 0x80);
		return;
	}
	sleep_in_call(k, t);
}

void kernel_begin_call(struct kernel *k, struct task *t, const struct blocking *call)
{
	t->call = call;
	t->call_began_ns = k->now_ns;
	t->phase = PHASE_INSIDE;
	t->word[X64_ORIG_RAX] = (uint64_t)call->number;
	for (size_t i = 0; i < 6; i++)
		t->word[argument_word[i]] = call->argument[i];
	t->call_pc = t->word[X64_RIP];
	t->whole = call->length ? argument(t, call->length) : 0;
	enter(k, t);
}

/*
 * Leaves the call, which may still be restarted. A call under PTRACE_SYSCALL stops once more at its
 * exit.
 */
static void leave(struct task *t, int64_t result)
{
	t->state = TASK_RUNS;
	t->until_ns = 0;
	t->word[X64_RAX] = (uint64_t)result;
	t->phase = t->traced && t->to_call ? PHASE_EXIT : PHASE_LEAVING;
}

/* Has the transfer done all that it will do? Only its time-out, or a signal, ends it then. */
static bool is_stalled(const struct task *t)
{
	const struct blocking *call = t->call;

	return call->length && !call->wake_ns && argument(t, call->length) < t->whole;
}

void kernel_interrupt_call(struct task *t)
{
	const struct blocking *call = t->call;
	uint64_t most;

	if (t->state != TASK_SLEEPS)
		return;
	if (!call) {
		t->state = TASK_RUNS;
		return;
	}
	if (call->length && !is_stalled(t)) {
		most = argument(t, call->length);
		leave(t, (int64_t)(call->piece < most ? call->piece : most));
	} else {
		leave(t, call->interrupted);
	}
}

void kernel_wake(struct kernel *k, struct task *t, int64_t result)
{
	if (t->state != TASK_SLEEPS)
		return;
	leave(t, result);
	if (t->phase == PHASE_LEAVING && !kernel_has_work(t))
		kernel_return(k, t, false);
}

void kernel_time_over(struct kernel *k, struct task *t)
{
	const struct blocking *call = t->call;
	int64_t result = 0;

	if (!call)
		t->state = TASK_RUNS;
	else if (t->call_times_out)
		result = call->length && !call->wake_ns && !is_stalled(t) ? (int64_t)call->piece
									  : call->timed_out;
	else
		result = call->length ? (int64_t)argument(t, call->length) : call->result;
	if (call)
		kernel_wake(k, t, result);
}

/*
 * Fails the run unless the result and its time are those that the program would have seen without a
 * tracer.
 */
static void check_result(struct kernel *k, struct task *t, int64_t result)
{
	const struct blocking *call = t->call;
	uint64_t took = k->now_ns - t->call_began_ns;

	if (call->lenient)
		return;
	if (call->length && !call->wake_ns) {
		if (result != (int64_t)call->piece)
			kernel_fail(k, "task %d: a transfer that stalls at %llu gives %lld", t->tid,
				(unsigned long long)call->piece, (long long)result);
	} else if (call->length && result > 0 && (uint64_t)result != t->whole)
		kernel_fail(k, "task %d: a transfer of %llu gives %lld", t->tid,
			(unsigned long long)t->whole, (long long)result);
	if ((call->length ? !call->wake_ns : result == call->timed_out) && call->most_ns &&
		(took < call->most_ns || took > 2 * call->most_ns + LATE_NS))
		kernel_fail(k, "task %d: a time-out of %llu us ends after %llu us", t->tid,
			(unsigned long long)call->most_ns / 1000, (unsigned long long)took / 1000);
	for (size_t i = 0; i < 6; i++)
		if (argument(t, (unsigned)i) != call->argument[i])
			kernel_fail(k, "task %d: argument %zu of its call is changed", t->tid, i);
}

static bool is_restart(int64_t result)
{
	return result <= -512 && result >= -516;
}

/* Restarts the call: by restart_syscall for -516, otherwise with the call's own number. */
static void begin_again(struct kernel *k, struct task *t, int64_t result)
{
	if (result == -516 && t->group->filtered) {
		kernel_note(k, "task %d: its filter kills it", t->tid);
		kernel_end_group(k, t->group, SIGSYS);
		return;
	}
	if (result == -516)
		t->word[X64_ORIG_RAX] = SYS_restart_syscall;
	kernel_note(k, "task %d is in its call again", t->tid);
	enter(k, t);
}

void kernel_return(struct kernel *k, struct task *t, bool handler)
{
	int64_t result = (int64_t)t->word[X64_RAX];
	bool in_call = (int64_t)t->word[X64_ORIG_RAX] >= 0;

	if (!t->call || t->state != TASK_RUNS)
		return;
	if (t->word[X64_RIP] == t->call_pc - 2 && !handler) {
		/* A tracer has set the program counter back to the instruction: it runs again. */
		t->word[X64_RIP] = t->call_pc;
		t->word[X64_ORIG_RAX] = t->word[X64_RAX];
		begin_again(k, t, 0);
		return;
	}
	if (in_call && is_restart(result) && (!handler || result == -513)) {
		begin_again(k, t, result);
		return;
	}
	if (is_restart(result))
		result = -EINTR;
	if (result == -EINTR)
		t->group->interrupted_calls++;
	kernel_note(k, "task %d: its call gives %lld", t->tid, (long long)result);
	check_result(k, t, result);
	t->word[X64_RAX] = (uint64_t)result;
	t->word[X64_ORIG_RAX] = UINT64_MAX;
	t->word[X64_RIP] = t->call_pc;
	t->phase = PHASE_NONE;
	t->call = NULL;
	if (t->state == TASK_RUNS)
		t->at++;
}

bool kernel_call_goes_on(struct kernel *k, struct task *t)
{
	if (t->phase == PHASE_ENTRY) {
		t->phase = PHASE_INSIDE;
		sleep_in_call(k, t);
		return true;
	}
	if (t->phase == PHASE_EXIT)
		t->phase = PHASE_LEAVING;
	return false;
}
