/* SPDX-License-Identifier: MIT */
#include "supervisor/target/restart_rule.h"

#include <errno.h>

#define SECOND_NS  UINT64_C(1000000000)
#define FOR_EVER_S 3155760000 /* A hundred years. */

static const struct arch_call *find(const struct arch_restart *arch, int32_t number)
{
	for (size_t i = 0; i < arch->calls; i++) {
		if (arch->call[i].number == number)
			return &arch->call[i];
	}
	return NULL;
}

bool handled_calls_has(const struct handled_calls *places, uint64_t pc)
{
	for (unsigned i = 0; i < places->n && i < HANDLED_CALLS; i++) {
		if (places->pc[i] == pc)
			return true;
	}
	return places->n > HANDLED_CALLS;
}

void handled_calls_add(struct handled_calls *places, uint64_t pc)
{
	if (handled_calls_has(places, pc))
		return;
	if (places->n < HANDLED_CALLS)
		places->pc[places->n] = pc;
	places->n++;
}

enum restart_need restart_need(const struct arch_restart *arch, uint16_t machine,
	const struct arch_snapshot *snapshot, const struct arch_call **ret_call)
{
	bool interrupted = snapshot->result == -EINTR, block = snapshot->result == RESTART_BLOCK;
	bool timed_out = snapshot->result == -EAGAIN || snapshot->result == -EINPROGRESS ||
		snapshot->result == -EALREADY;
	const struct arch_call *call;

	if (snapshot->syscall < 0 ||
		(!interrupted && !block && !timed_out && snapshot->result <= 0))
		return RESTART_NOTHING;
	/* arch->call lists no calls of 32-bit threads, whose system calls have other numbers. */
	call = arch && snapshot->machine == machine ? find(arch, snapshot->syscall) : NULL;
	if (block) {
		if (!call || !call->block)
			return RESTART_NOTHING;
		*ret_call = call;
		return RESTART_FILTERED;
	}
	if (timed_out) {
		if (!call || !restart_timed_out(call, snapshot->result))
			return RESTART_NOTHING;
		*ret_call = call;
		return RESTART_MAYBE_EARLY;
	}
	if (interrupted && (!call || !call->restart))
		return RESTART_LEAVE;
	if (!interrupted && (!call || call->transfer == ARCH_TRANSFER_NONE))
		return RESTART_NOTHING;
	*ret_call = call;
	return interrupted ? RESTART_BEGIN_AGAIN : RESTART_MAYBE_SHORT;
}

bool restart_timed_out(const struct arch_call *call, int64_t result)
{
	if (call->wait < ARCH_WAIT_RECEIVE)
		return false;
	return result == -EAGAIN ||
		(call->wait == ARCH_WAIT_CONNECT &&
			(result == -EINPROGRESS || result == -EALREADY));
}

bool restart_get_wait(enum arch_wait kind, const int64_t value[2], uint64_t *ret_ns)
{
	uint64_t unit = kind == ARCH_WAIT_VAL ? 1000 : 1;

	switch (kind) {
	case ARCH_WAIT_MS:
		if ((int32_t)value[0] < 0)
			return false;
		*ret_ns = (uint64_t)(int32_t)value[0] * 1000000;
		return true;
	case ARCH_WAIT_SPEC:
	case ARCH_WAIT_FUTEX:
	case ARCH_WAIT_VAL:
		if (value[0] < 0 || value[0] > FOR_EVER_S || value[1] < 0 ||
			(uint64_t)value[1] > FOR_EVER_S)
			return false;
		*ret_ns = (uint64_t)value[0] * SECOND_NS + (uint64_t)value[1] * unit;
		return true;
	default: return false;
	}
}

void restart_put_wait(enum arch_wait kind, uint64_t ns, int64_t ret_value[2])
{
	switch (kind) {
	case ARCH_WAIT_MS:
		ret_value[0] = (int64_t)((ns + 999999) / 1000000);
		ret_value[1] = 0;
		break;
	case ARCH_WAIT_VAL:
		ns += 999;
		ret_value[0] = (int64_t)(ns / SECOND_NS);
		ret_value[1] = (int64_t)(ns % SECOND_NS / 1000);
		break;
	default:
		ret_value[0] = (int64_t)(ns / SECOND_NS);
		ret_value[1] = (int64_t)(ns % SECOND_NS);
		break;
	}
}

size_t restart_rest(const struct restart_part *part, size_t n, uint64_t *skip,
	struct restart_part *ret_rest, size_t room, uint64_t *bytes)
{
	size_t rest = 0;

	for (size_t i = 0; i < n && rest < room; i++) {
		if (*skip >= part[i].bytes) {
			*skip -= part[i].bytes;
			continue;
		}
		ret_rest[rest] = (struct restart_part){part[i].base + *skip, part[i].bytes - *skip};
		*bytes += ret_rest[rest++].bytes;
		*skip = 0;
	}
	return rest;
}
