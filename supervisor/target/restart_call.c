/* SPDX-License-Identifier: MIT */
#include "supervisor/target/restart_call.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "supervisor/os/descriptor.h"
#include "supervisor/os/mem.h"
#include "supervisor/target/tracee_memory.h"

#define PARTS_READ 64   /* parts of a vector read at once */
#define PARTS_MOST 1024 /* UIO_MAXIOV */
/*
 * Size of struct msghdr on 64-bit machines, and offsets in it of msg_iov, msg_iovlen, msg_control
 * and msg_controllen.
 */
enum {
	MESSAGE_BYTES = 56,
	MESSAGE_VECTOR = 16,
	MESSAGE_PARTS = 24,
	MESSAGE_CONTROL = 32,
	MESSAGE_CONTROLS = 40
};
/* FUTEX_WAIT, and the mask that removes the flags of a futex operation. */
enum { FUTEX_OF_WAIT = 0, FUTEX_OPERATION = 0x7f };
enum { FLAG_PEEK = 0x2, FLAG_DONTWAIT = 0x40, FLAG_WAITALL = 0x100 };

struct restart *restart_of(struct tracee *t)
{
	if (!t->restart)
		t->restart = mem_new(1, sizeof(*t->restart));
	return t->restart;
}

static bool get_memory(const struct tracee *t, uint64_t at, void *to, size_t n)
{
	const struct remote memory = tracee_memory_of(t->process, t->tid);

	return remote_read(&memory, at, to, n) == (ssize_t)n;
}

/*
 * If another thread of the process has called exec, the leader's tid may already belong to the new
 * image (tracee_memory.h). So the registers of a leader with other threads are set only if its
 * stack pointer is unchanged since @seen; a new image has another one.
 */
void restart_set_registers(
	struct tracee *t, const struct arch_raw *seen, const struct arch_raw *raw)
{
	struct arch_raw now;

	if (t->tid == t->process->pid && t->process->threads > 1 &&
		(tracer_get_raw(t->tid, &now) < 0 ||
			now.word[arch_native.restart->sp] != seen->word[arch_native.restart->sp]))
		return;
	(void)tracer_set_raw(t->tid, raw);
}

static uint64_t argument(const struct arch_raw *raw, unsigned i)
{
	return raw->word[arch_native.restart->argument[i]];
}

static void set_argument(struct arch_raw *raw, unsigned i, uint64_t value)
{
	raw->word[arch_native.restart->argument[i]] = value;
}

static void set_result(struct arch_raw *raw, int64_t value)
{
	raw->word[arch_native.restart->result] = (uint64_t)value;
}

/* Writes @n bytes below the live stack; saves what was there, for restart_give_back(). */
static bool use_scratch(struct restarter *restarter, struct tracee *t, const void *from, size_t n)
{
	struct restart *m = t->restart;
	uint64_t sp = m->before.word[arch_native.restart->sp];
	uint64_t at = (sp - arch_native.red_zone_bytes - n) & ~UINT64_C(15);

	if (!m->scratch_bytes) {
		if (!get_memory(t, at, m->scratch, n))
			return false;
		m->scratch_at = at;
		m->scratch_bytes = n;
	}
	return at == m->scratch_at && tracee_memory_write(restarter->target, t, at, from, n);
}

/*
 * Ends the call with @result, as if it had timed out. If the thread is stopped again before it
 * leaves the kernel, @result must not cause a restart. So the entry register (x86-64: orig_rax) is
 * set to -1, which means that the thread is in no call. A machine with arch->rewinds has no such
 * register; there an interrupt is sent, and m->over prevents a restart until the stop that it
 * causes.
 */
static void set_over(struct tracee *t, struct arch_raw *raw, int64_t result)
{
	set_result(raw, result);
	if (arch_native.restart->rewinds)
		t->restart->over = tracer_interrupt(t->tid) == 0;
	else
		raw->word[arch_native.restart->entry] = UINT64_MAX;
}

void restart_repeat(struct arch_raw *raw)
{
	const struct arch_restart *arch = arch_native.restart;

	raw->word[arch->pc] -= arch->instruction_bytes;
	raw->word[arch->result] = raw->word[arch->entry];
}

/* Sets the registers, in a tick stop or a signal-delivery-stop, so that the call is restarted. */
static void restart(struct arch_raw *raw)
{
	if (arch_native.restart->rewinds)
		restart_repeat(raw);
	else
		set_result(raw, ARCH_RESTART);
}

void restart_give_back(struct restarter *restarter, struct tracee *t, int64_t result, bool over)
{
	struct restart *m = t->restart;

	if (m->scratch_bytes)
		(void)tracee_memory_write(
			restarter->target, t, m->scratch_at, m->scratch, m->scratch_bytes);
	m->scratch_bytes = 0;
	t->restarting = m->inside = false;
	if (over)
		set_over(t, &m->before, result);
	else
		set_result(&m->before, result);
	restart_set_registers(t, &m->before, &m->before);
}

/* Did the native instruction enter the kernel? int 0x80 has other system call numbers. */
static bool entered_natively(const struct tracee *t, const struct arch_raw *raw)
{
	const struct arch_restart *arch = arch_native.restart;
	uint8_t code[sizeof(arch->instruction)];

	return get_memory(t, raw->word[arch->pc] - arch->instruction_bytes, code,
		       arch->instruction_bytes) &&
		memcmp(code, arch->instruction, arch->instruction_bytes) == 0;
}

/* Recovers the first argument of the call in @raw where the result has overwritten it. */
static bool recall(const struct tracee *t, struct arch_raw *raw)
{
	const struct arch_restart *arch = arch_native.restart;
	const struct restart *m = t->restart;
	uint64_t *first = &raw->word[arch->argument[0]], pc = raw->word[arch->pc], original[6];

	if (!arch->rewinds)
		return true;
	if (m->known && m->before.word[arch->pc] == pc &&
		m->before.word[arch->sp] == raw->word[arch->sp]) {
		*first = argument(&m->before, 0);
		return true;
	}
	if (handled_calls_has(&t->process->handled, pc) ||
		tracer_get_arguments(t->tid, original) < 0)
		return false;
	*first = original[0];
	return true;
}

/*
 * Does the supervisor end the call at its deadline? It does if the time-out is an option of the
 * socket, not an argument.
 */
static bool ends_by_us(const struct restart *m)
{
	return m->has_deadline && m->call->wait >= ARCH_WAIT_RECEIVE;
}

void restart_await_deadline(struct restarter *restarter, const struct restart *m)
{
	if (ends_by_us(m) && (!restarter->next_ns || m->deadline_ns < restarter->next_ns))
		restarter->next_ns = m->deadline_ns;
}

static bool waits_for_all(const struct arch_call *call, const struct arch_raw *raw)
{
	uint64_t flags = argument(raw, call->flags_argument);

	return flags & FLAG_WAITALL && !(flags & FLAG_PEEK);
}

static bool is_nonblocking(const struct arch_call *call, const struct arch_raw *raw)
{
	return call->flags_argument && argument(raw, call->flags_argument) & FLAG_DONTWAIT;
}

/* Is the transfer complete? The common case, decided without examining the descriptor. */
static bool is_whole(const struct arch_call *call, const struct arch_raw *raw, int64_t result)
{
	unsigned length = call->argument + (call->transfer == ARCH_TRANSFER_BUFFER);

	return call->transfer <= ARCH_TRANSFER_COUNT && (uint64_t)result >= argument(raw, length);
}

bool restart_is_part(const struct restart *m, int64_t result)
{
	const struct arch_call *call = m->call;

	return ends_by_us(m) && call->whole == ARCH_WHOLE_WAITALL &&
		waits_for_all(call, &m->before) && !is_whole(call, &m->before, result);
}

/*
 * Moves the deadline of a transfer that has made progress. The kernel counts only the time for
 * which a call waits, so the deadline moves by the time for which the thread copied (@busy_ns: its
 * time on a CPU or in the run queue so far). False: the time-out begins anew, because the kernel
 * gives the whole time-out to each part of the transfer: in sendfile (splice_to_socket()), and when
 * sending on a socket that is not an internet socket (sock_alloc_send_pskb()).
 */
static bool move_deadline(struct restart *m, uint64_t busy_ns)
{
	if (m->call->wait == ARCH_WAIT_SEND &&
		(!m->internet || m->call->transfer == ARCH_TRANSFER_COUNT))
		return false;
	if (m->deadline_busy_ns && busy_ns > m->deadline_busy_ns)
		m->deadline_ns += busy_ns - m->deadline_busy_ns;
	return true;
}

/*
 * Sets m->deadline_ns, and *@ret_left_ns to the time left until the deadline. False: the call has
 * no time-out, or an absolute one.
 */
static bool find_deadline(struct restarter *restarter, struct tracee *t, const struct arch_raw *raw,
	uint64_t now, uint64_t *ret_left_ns)
{
	struct restart *m = t->restart;
	const struct arch_call *call = m->call;
	bool kept = m->unfinished && m->has_deadline;
	struct cpu_time cpu = {0};
	uint64_t value = argument(raw, call->wait_argument), whole;
	int64_t wait[2] = {(int64_t)value, 0};

	if (call->wait == ARCH_WAIT_NONE)
		return false;
	/* Other futex operations have an absolute deadline, which a restart keeps. */
	if (call->wait == ARCH_WAIT_FUTEX && (argument(raw, 1) & FUTEX_OPERATION) != FUTEX_OF_WAIT)
		return false;
	if (call->wait >= ARCH_WAIT_RECEIVE) {
		whole = descriptor_wait_ns(t->process->pid, t->tid, (int)value,
			call->wait != ARCH_WAIT_RECEIVE, &m->internet);
		if (!whole)
			return false;
	} else if (call->wait != ARCH_WAIT_MS &&
		(!value || !get_memory(t, value, wait, sizeof(wait)))) {
		return false;
	} else if (!restart_get_wait(call->wait, wait, &whole)) {
		return false;
	}
	if (call->wait >= ARCH_WAIT_RECEIVE && call->transfer != ARCH_TRANSFER_NONE)
		(void)procfiles_read_cpu(restarter->files, t, &cpu);
	if (kept && m->done > m->deadline_done)
		kept = move_deadline(m, cpu.run_ns + cpu.wait_ns);
	m->deadline_done = m->done;
	m->deadline_busy_ns = cpu.run_ns + cpu.wait_ns;
	/*
	 * If a call is disturbed for the first time, its time-out counts from now. When it began is
	 * not known: the last sleep that schedstat shows may belong to the previous call (test:
	 * alternating_calls_are_not_cut_short).
	 */
	if (!kept)
		m->deadline_ns = now + whole;
	*ret_left_ns = m->deadline_ns > now ? m->deadline_ns - now : 0;
	if (*ret_left_ns > whole)
		*ret_left_ns = whole;
	return true;
}

/* Turns EINTR into a restart with the remaining time-out. True: the call must be watched. */
static bool begin_again(struct restarter *restarter, struct tracee *t, struct arch_raw *raw)
{
	struct restart *m = t->restart;
	bool first = !m->unfinished;
	uint64_t left;
	int64_t wait[2];

	m->done = m->whole = 0;
	if (!recall(t, raw)) {
		m->unfinished = false;
		restarter->unrepaired++;
		return false;
	}
	m->before = *raw;
	m->has_deadline =
		!restarter->ending && find_deadline(restarter, t, raw, clock_now(), &left);
	m->unfinished = false;
	restarter->repaired++;
	if (m->has_deadline && first)
		m->timed_out =
			m->call->wait == ARCH_WAIT_CONNECT && m->internet ? -EINPROGRESS : -EAGAIN;
	if (m->has_deadline && m->call->wait >= ARCH_WAIT_RECEIVE) {
		if (!left) {
			set_over(t, raw, m->timed_out);
			return false;
		}
		restart_await_deadline(restarter, m);
	} else if (m->has_deadline) {
		restart_put_wait(m->call->wait, left, wait);
		if (m->call->wait == ARCH_WAIT_MS)
			set_argument(raw, m->call->wait_argument, (uint64_t)wait[0]);
		else if (use_scratch(restarter, t, wait, sizeof(wait)))
			set_argument(raw, m->call->wait_argument, m->scratch_at);
		else
			/* The target's memory cannot be written: the whole time-out begins anew. */
			m->has_deadline = false;
	}
	restart(raw);
	/*
	 * Without a deadline, no registers have to be restored at the exit. But if the pc was moved
	 * back, the thread is watched up to the call's entry: a signal that stops it before the
	 * entry undoes the restart, so that the signal's handler interrupts the call.
	 */
	m->to_entry = !m->has_deadline;
	return m->has_deadline || arch_native.restart->rewinds;
}

/*
 * Lets a call on a socket, whose result says that its time-out is over, wait for one more scheduler
 * tick. In the last tick of a time-out, a wake-up by our stop or by an ignored signal gives the
 * call the same result as the end of the time-out; the two cannot be told apart. During the
 * additional tick the call can still receive an event. If none comes, it fails when the tick ends.
 * Also without the supervisor, the call would have ended up to a tick after its time (test:
 * timed_call_is_not_cut_short).
 */
static bool wait_for_the_tick(struct restarter *restarter, struct tracee *t, struct arch_raw *raw)
{
	uint64_t now = clock_now(), end = now + procfs_scheduler_tick_ns(), left;
	struct restart *m = t->restart;

	m->done = m->whole = 0;
	m->unfinished = m->has_deadline = false;
	if (restarter->ending || is_nonblocking(m->call, raw) || !recall(t, raw))
		return false;
	m->before = *raw;
	/*
	 * If the socket has no time-out, a call that waits ends with another result: this call did
	 * not wait, and its result must stay.
	 */
	m->has_deadline = find_deadline(restarter, t, raw, now, &left);
	if (!m->has_deadline || !left)
		return false;
	m->deadline_ns = m->deadline_ns < end ? m->deadline_ns : end;
	restart_await_deadline(restarter, m);
	m->timed_out = (int64_t)raw->word[arch_native.restart->result];
	restart(raw);
	restarter->repaired++;
	return true;
}

/*
 * Reads the vector of @n parts at @at. Stores in @ret_rest the parts that remain after the first
 * m->done bytes, RESTART_PARTS at most. Sets m->whole to the bytes of all parts, and m->piece to
 * those of the stored parts. Returns the number of stored parts. 0: the vector is unreadable or too
 * long, or nothing remains.
 */
static size_t read_rest(
	struct tracee *t, uint64_t at, uint64_t n, struct restart_part ret_rest[RESTART_PARTS])
{
	struct restart *m = t->restart;
	struct restart_part part[PARTS_READ];
	uint64_t skip = m->done;
	size_t rest = 0;

	m->whole = m->piece = 0;
	if (n > PARTS_MOST)
		return 0;
	for (uint64_t i = 0; i < n; i += PARTS_READ) {
		size_t some = n - i < PARTS_READ ? (size_t)(n - i) : PARTS_READ;

		if (!get_memory(t, at + i * sizeof(*part), part, some * sizeof(*part)))
			return 0;
		for (size_t k = 0; k < some; k++)
			m->whole += part[k].bytes;
		rest += restart_rest(
			part, some, &skip, ret_rest + rest, RESTART_PARTS - rest, &m->piece);
	}
	return m->whole > m->done ? rest : 0;
}

/*
 * Writes below the thread's stack the vector of the parts that remain to be transferred; with
 * @message, also a msghdr that points to this vector. Sets the arguments in @raw accordingly.
 */
static bool advance_vector(
	struct restarter *restarter, struct tracee *t, struct arch_raw *raw, bool message)
{
	struct restart *m = t->restart;
	unsigned first = m->call->argument;
	uint64_t at = argument(&m->before, first), n, parts_at;
	struct {
		uint8_t header[64];
		struct restart_part part[RESTART_PARTS];
	} image;
	size_t rest, skip = message ? 0 : sizeof(image.header), bytes;

	memset(&image, 0, sizeof(image));
	if (message) {
		uint64_t control;

		if (!get_memory(t, at, image.header, MESSAGE_BYTES))
			return false;
		memcpy(&at, image.header + MESSAGE_VECTOR, 8);
		memcpy(&n, image.header + MESSAGE_PARTS, 8);
		memcpy(&control, image.header + MESSAGE_CONTROLS, 8);
		/* A restarted recvmsg() would overwrite the control data of the first one. */
		if (control && m->call->whole == ARCH_WHOLE_WAITALL)
			return false;
	} else {
		n = argument(&m->before, first + 1);
	}
	rest = read_rest(t, at, n, image.part);
	if (!rest)
		return false;
	/* All of @image is written, also unused parts, so it is always at the same address. */
	bytes = sizeof(image) - skip;
	parts_at = ((m->before.word[arch_native.restart->sp] - arch_native.red_zone_bytes - bytes) &
			   ~UINT64_C(15)) +
		(message ? sizeof(image.header) : 0);
	if (message) {
		uint64_t zero = 0, some = rest;

		memcpy(image.header + MESSAGE_VECTOR, &parts_at, 8);
		memcpy(image.header + MESSAGE_PARTS, &some, 8);
		memcpy(image.header + MESSAGE_CONTROL, &zero, 8);
		memcpy(image.header + MESSAGE_CONTROLS, &zero, 8);
	}
	if (!use_scratch(restarter, t, (uint8_t *)&image + skip, bytes))
		return false;
	set_argument(raw, first, m->scratch_at);
	if (!message)
		set_argument(raw, first + 1, rest);
	return true;
}

bool restart_advance(struct restarter *restarter, struct tracee *t, struct arch_raw *raw)
{
	struct restart *m = t->restart;
	unsigned first = m->call->argument;

	switch (m->call->transfer) {
	case ARCH_TRANSFER_BUFFER:
		m->whole = argument(&m->before, first + 1);
		if (m->whole <= m->done)
			return false;
		m->piece = m->whole - m->done;
		set_argument(raw, first, argument(&m->before, first) + m->done);
		set_argument(raw, first + 1, m->piece);
		return true;
	case ARCH_TRANSFER_COUNT:
		m->whole = argument(&m->before, first);
		if (m->whole <= m->done)
			return false;
		m->piece = m->whole - m->done;
		set_argument(raw, first, m->piece);
		return true;
	case ARCH_TRANSFER_VECTOR: return advance_vector(restarter, t, raw, false);
	case ARCH_TRANSFER_MESSAGE: return advance_vector(restarter, t, raw, true);
	default: return false;
	}
}

/*
 * Would the transfer have continued without our stop? That depends on the call, its flags, and the
 * kind of file that its descriptor refers to.
 */
static bool meant_whole(struct tracee *t, const struct arch_raw *raw)
{
	const struct arch_call *call = t->restart->call;
	enum descriptor_kind kind;

	if (call->whole == ARCH_WHOLE_ALWAYS)
		return true;
	if (call->whole == ARCH_WHOLE_WAITALL && !waits_for_all(call, raw))
		return false;
	kind = descriptor_kind(t->process->pid, t->tid, (int)argument(raw, 0));
	switch (call->whole) {
	case ARCH_WHOLE_WRITE:
		return kind == DESCRIPTOR_PIPE || kind == DESCRIPTOR_STREAM ||
			kind == DESCRIPTOR_TERMINAL;
	case ARCH_WHOLE_DEVICE: return kind == DESCRIPTOR_ENDLESS;
	/*
	 * A transfer into a pipe is not continued: perhaps only the program itself empties the
	 * pipe, after the call (test: sendfile_own_pipe in transfer_is_not_cut_short).
	 */
	case ARCH_WHOLE_COPY:
		return kind == DESCRIPTOR_FILE || kind == DESCRIPTOR_STREAM ||
			kind == DESCRIPTOR_TERMINAL;
	default: return kind == DESCRIPTOR_STREAM;
	}
}

/*
 * Continues a transfer that was cut short. If its deadline has passed, the call ends with the bytes
 * transferred so far; a restart would give the remaining bytes the whole time-out again (test:
 * transfer_keeps_its_deadline). True: the call must be watched.
 */
static bool complete(struct restarter *restarter, struct tracee *t, struct arch_raw *raw)
{
	struct restart *m = t->restart;
	int64_t result = (int64_t)raw->word[arch_native.restart->result];
	uint64_t left;
	bool meant;

	if (restarter->ending || is_whole(m->call, raw, result) || !recall(t, raw)) {
		m->unfinished = false;
		return false;
	}
	m->before = *raw;
	m->done = (uint64_t)result;
	meant = meant_whole(t, raw);
	m->has_deadline = meant && !is_nonblocking(m->call, raw) &&
		find_deadline(restarter, t, raw, clock_now(), &left);
	m->unfinished = false;
	if (m->has_deadline && !left) {
		set_over(t, raw, result);
		restart_set_registers(t, &m->before, raw);
		return false;
	}
	if (!meant || !restart_advance(restarter, t, raw))
		return false;
	restart_await_deadline(restarter, m);
	restart(raw);
	restarter->repaired++;
	return true;
}

bool restart_call(struct restarter *restarter, struct tracee *t, enum restart_need need,
	const struct arch_call *call)
{
	struct arch_raw raw, seen;
	bool watch;

	if (!restart_of(t))
		return false;
	/* No stop of the process may have been requested before (test: first_stop_restarts). */
	procfiles_open_memory(restarter->files, t->process, t->tid);
	if (tracer_get_raw(t->tid, &raw) < 0 || raw.bytes != arch_native.restart->bytes ||
		!entered_natively(t, &raw)) {
		t->restart->unfinished = false;
		return false;
	}
	seen = raw;
	t->restart->call = call;
	t->restart->to_entry = false;
	switch (need) {
	case RESTART_BEGIN_AGAIN: watch = begin_again(restarter, t, &raw); break;
	case RESTART_MAYBE_EARLY: watch = wait_for_the_tick(restarter, t, &raw); break;
	default: watch = complete(restarter, t, &raw); break;
	}
	if (need == RESTART_BEGIN_AGAIN || watch)
		restart_set_registers(t, &seen, &raw);
	t->restarting = watch;
	t->restart->inside = false;
	return watch;
}
