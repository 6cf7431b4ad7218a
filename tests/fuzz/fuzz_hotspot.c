/* SPDX-License-Identifier: MIT */
/*
 * A hostile HotSpot: the memory of tests/made_hotspot.h, damaged, also while it is read. The input
 * is a list of actions of 4 bytes; the lowest 3 bits of an action's first byte are its number. In
 * the first byte of the input, bit 5 chooses JDK 25, and bit 6 the stub of virtual threads.
 *
 * 0 to 2: writes byte 3 to the memory, at the offset in bytes 1 and 2. 3: writes likewise to the
 * stack, or, if byte 0 is 128 or more, to the registers. 4: unwinds a step from the pc at that
 * offset of the memory; bit 0 of byte 3: the pc is exact, bit 1: the frame pointer is a register's,
 * its other bits: where in the stack the frame is; bit 6 of byte 0: frames in the heap have been
 * copied. 5: lets time pass. 6: as 0, but after the next step. 7: looks up lines, scopes and
 * instructions in the rest of the input.
 */
#include "analyst/hotspot/hotspot_frame.h"
#include "analyst/hotspot/hotspot_scopes.h"
#include "tests/fuzz/fuzz.h"
#include "tests/made_hotspot.h"

enum { STEP, STEP_OF_JDK_25, LINE, SCOPE, PC, PARTS };
const unsigned fuzz_parts = PARTS;

enum { STEPS_MOST = 64 };

struct late {
	uint16_t at;
	uint8_t value;
	bool set;
};

static void try_step(struct made *m, const uint8_t piece[4], struct late *late, unsigned part)
{
	const uint64_t pc = MADE_BASE + (uint64_t)(piece[1] | piece[2] << 8) % MADE_BYTES;
	struct unwind_runtime_frame frame = {.pc = pc,
		.sp = MADE_STACK + 8 * (uint64_t)(piece[3] >> 4),
		.fp = piece[3] & 2 ? m->reg[6] : MADE_STACK + 8 * (uint64_t)(piece[3] >> 2),
		.exact = piece[3] & 1,
		.left_sp = piece[0] & 64 ? CHUNKS_BASE : 0,
		.reg = piece[3] & 1 ? m->reg : NULL};
	struct unwind_runtime_caller caller;

	frame.left_pc = frame.fp;
	for (int i = 0; i < 12; i++) {
		int r = made_step(m, frame, &caller);

		if (late->set)
			m->memory[late->at] = late->value;
		late->set = false;
		if (r <= 0 || !caller.found)
			return;
		fuzz_accept(part);
		/* As in the unwinder, a caller's frame must lie further out. */
		if (caller.sp < frame.sp || (caller.sp == frame.sp && !frame.exact))
			return;
		frame = (struct unwind_runtime_frame){
			.pc = caller.pc, .sp = caller.sp, .fp = caller.fp};
	}
}

static void look_up(const uint8_t *data, size_t bytes)
{
	struct hotspot_scope scope;
	struct hotspot_pc pc;

	for (uint32_t version = 17; version <= 21; version += 4) {
		if (hotspot_line(data, bytes, 40, version))
			fuzz_accept(LINE);
		for (uint32_t at = 0; at < 64; at++)
			if (hotspot_scope_read(data, bytes, at, version, &scope) && scope.method)
				fuzz_accept(SCOPE);
	}
	if (hotspot_pc_find(data, bytes, 100, &pc))
		fuzz_accept(PC);
	(void)hotspot_frame_at_begin(data, bytes < 64 ? bytes : 64);
	if (bytes > HOTSPOT_FRAME_BEFORE)
		(void)hotspot_frame_at(&(struct hotspot_code){.code = data + HOTSPOT_FRAME_BEFORE,
			.bytes = bytes - HOTSPOT_FRAME_BEFORE < 64 ? bytes - HOTSPOT_FRAME_BEFORE
								   : 64,
			.start = -(int64_t)data[0],
			.end = data[1]});
	if (bytes >= 2)
		(void)hotspot_frame_popped(data, data + 2, bytes - 2);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const unsigned part = size && data[0] & 32 ? STEP_OF_JDK_25 : STEP;
	struct made *m = made_new(part == STEP_OF_JDK_25 ? 25 : 17);
	struct late late = {0};
	int steps = 0;

	if (size && data[0] & 64)
		made_put(m, MADE_STUB + MADE_HEADER + 48,
			made_name(m, "StubRoutines (continuation stubs)"), 8);
	for (; size >= 4; data += 4, size -= 4) {
		const uint16_t at = (uint16_t)(data[1] | data[2] << 8);

		switch (data[0] & 7) {
		case 3:
			if (data[0] < 128)
				((uint8_t *)m->stack)[at % sizeof(m->stack)] = data[3];
			else
				((uint8_t *)m->reg)[at % sizeof(m->reg)] = data[3];
			break;
		case 4:
			if (steps++ < STEPS_MOST)
				try_step(m, data, &late, part);
			break;
		case 5:
			m->hotspot.now_ns += UINT64_C(10000000) * data[3];
			if (m->now_ns < m->hotspot.now_ns)
				m->now_ns = m->hotspot.now_ns;
			if (data[1] & 1)
				peek_tidy(&m->peek);
			break;
		case 6: late = (struct late){at, data[3], true}; break;
		case 7: look_up(data + 4, size - 4); break;
		default: m->memory[at] = data[3]; break;
		}
	}
	made_free(m);
	return 0;
}
