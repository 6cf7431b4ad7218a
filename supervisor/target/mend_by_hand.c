/* SPDX-License-Identifier: MIT */
#include "supervisor/target/mend_by_hand.h"

#include <errno.h>

void by_hand_set_back(struct mend *m, struct arch_raw *raw)
{
	const struct arch_repair *arch = arch_native.repair;

	m->first = raw->word[arch->argument[0]];
	raw->word[arch->pc] -= arch->instruction_bytes;
	raw->word[arch->result] = m->before.word[arch->entry];
}

void by_hand_enter(struct tracee *t)
{
	const struct arch_repair *arch = arch_native.repair;
	struct mend *m = t->mend;
	struct arch_raw raw;

	if (!arch->by_hand || m->first == m->before.word[arch->entry] ||
		tracer_get_raw(t->tid, &raw) < 0)
		return;
	raw.word[arch->result] = m->first;
	mend_set_registers(t, &m->before, &raw);
}

/* Of all registers but the result's. */
static uint64_t digest(const struct arch_raw *raw)
{
	uint64_t h = 0;

	for (size_t i = 0; i < raw->bytes / sizeof(*raw->word); i++) {
		if (i != arch_native.repair->result)
			h = (h ^ raw->word[i] ^ h >> 32) * UINT64_C(0x9e3779b97f4a7c15);
	}
	return h;
}

void by_hand_note(
	struct mender *mender, struct tracee *t, struct mend_end *end, const struct arch_raw *raw)
{
	struct cpu_time cpu = {0};

	(void)procfiles_read_cpu(mender->files, t, &cpu);
	*end = (struct mend_end){
		true, digest(raw), raw->word[arch_native.repair->argument[0]], cpu.slices};
}

/*
 * The thread has its registers of then, and has not slept since: to go on from that stop it has
 * been put on a CPU just once.
 */
static bool is_where_it_was(struct mender *mender, struct tracee *t, const struct mend_end *end,
	const struct arch_raw *raw)
{
	struct cpu_time cpu;

	return end->valid && end->registers == digest(raw) &&
		procfiles_read_cpu(mender->files, t, &cpu) == 0 && cpu.slices <= end->slices + 1;
}

/*
 * (handler_still_interrupts_blocked_call) Behind a handler a thread has the registers of its call
 * again, the result among them. What the kernel keeps tells it from a call that was interrupted
 * just now: its last call is rt_sigreturn, so the first argument is another one, but for chance.
 * And who was interrupted had slept. Where both fail a program that has a handler, and has just
 * seen an EINTR, sees one more. Never is a call begun again that its handler was to end.
 */
bool by_hand_is_over(struct mender *mender, struct tracee *t, const struct arch_raw *raw)
{
	const struct mend_end *handled = &t->mend->handled;

	if (is_where_it_was(mender, t, &t->mend->over, raw) ||
		is_where_it_was(mender, t, handled, raw))
		return true;
	return handled->valid && handled->registers == digest(raw) &&
		handled->first != raw->word[arch_native.repair->argument[0]];
}

void by_hand_meets_handler(struct mender *mender, struct tracee *t)
{
	const struct arch_repair *arch = arch_native.repair;
	struct arch_raw raw, seen;

	if (tracer_get_raw(t->tid, &raw) < 0 || raw.syscall < 0 || !mend_of(t))
		return;
	seen = raw;
	if (raw.again) {
		raw.word[arch->argument[0]] = raw.word[arch->result];
		raw.word[arch->pc] += arch->instruction_bytes;
		if (is_where_it_was(mender, t, &t->mend->set_back, &seen)) {
			raw.word[arch->result] = (uint64_t)-EINTR;
			mend_set_registers(t, &seen, &raw);
		}
	} else if (tracer_get_first_argument(t->tid, &raw) < 0) {
		return;
	}
	t->mend->set_back.valid = false;
	by_hand_note(mender, t, &t->mend->handled, &raw);
}
