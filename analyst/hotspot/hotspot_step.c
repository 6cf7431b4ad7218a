/* SPDX-License-Identifier: MIT */
/*
 * Steps out of a frame of generated code of any kind, on x86-64.
 *
 * A virtual thread's return barrier stands for callers whose frames are in Java's heap, in objects
 * called chunks. The supervisor copies these frames in the stop (supervisor/target/chunks.h). A
 * compiled frame is the same as on a stack. An interpreted frame has two addresses that are offsets
 * in words (JDK 21 to 27). The saved frame pointer of an interpreted caller is an offset from the
 * word that contains it. The address of the local variables is an offset from the frame pointer.
 * The caller's frame begins behind the local variables.
 */
#include <errno.h>
#include <string.h>

#include "analyst/hotspot/hotspot_internal.h"
#include "analyst/hotspot/hotspot_scopes.h"
#include "base/array.h"
#include "proto/chunk_layout.h"
#include "symbolizer/unwind/unwind.h"

/* Words from the fp to the address of the local variables. */
enum { LOCALS = -7 };

/*
 * A frame in a chunk. The word at @at is its fp, the next word its pc. Its stack begins at @sp. The
 * chunk ends at @end.
 */
struct chunk_frame {
	uint64_t at, sp, end;
};

static int add(struct hotspot *hotspot, uint32_t tag)
{
	if (array_grow(&hotspot->inner, &hotspot->inner_room, hotspot->inners + 1) < 0)
		return -ENOMEM;
	hotspot->inner[hotspot->inners++] = tag;
	return 1;
}

/* Moves @f from an interpreted frame with the frame pointer @fp to its caller. */
static bool leave_interpreted(struct hotspot_step *step, struct chunk_frame *f, uint64_t fp)
{
	uint64_t locals;

	if (fp <= f->at || fp >= f->end ||
		!hotspot_read_stack(step, fp + 8 * (int64_t)LOCALS, &locals) ||
		locals > (f->end - fp) / 8 + UINT16_MAX)
		return false;
	f->at = fp;
	f->sp = fp + 8 * (locals + 1);
	return f->sp >= fp + 16;
}

/*
 * Adds the frame @f to hotspot->inner, then moves @f to the frame's caller. 1: done; 0: the frame
 * is damaged; -EAGAIN; -ENOMEM.
 */
static int walk_frame(struct hotspot_step *step, struct chunk_frame *f)
{
	struct hotspot *hotspot = step->hotspot;
	struct unwind_runtime_frame frame = {
		.sp = f->sp, .read = step->frame->read, .reader = step->frame->reader};
	struct unwind_runtime_caller caller = {0};
	struct hotspot_blob *blob;
	enum hotspot_kind kind;
	int r;

	if (!hotspot_read_stack(step, f->at, &frame.fp) ||
		!hotspot_read_stack(step, f->at + 8, &frame.pc))
		return 0;
	r = hotspot_blob_find(hotspot, frame.pc - 1, &blob);
	if (r <= 0 || blob->kind == HOTSPOT_STUB)
		return r < 0 ? r : 0;
	kind = blob->kind;
	if (kind == HOTSPOT_INTERPRETER)
		frame.fp = f->at + 8 * frame.fp;
	r = hotspot_step_frame(hotspot, &frame, &caller);
	if (r <= 0 || !caller.found || !caller.tag)
		return r < 0 ? r : 0;
	r = add(hotspot, caller.tag);
	if (r < 0)
		return r;
	if (kind == HOTSPOT_INTERPRETER)
		return leave_interpreted(step, f, frame.fp);
	if (caller.sp <= f->sp)
		return 0;
	f->at = caller.sp - 16;
	f->sp = caller.sp;
	return 1;
}

/* Adds the frames of all chunks. 1; 0: some are missing; -EAGAIN; -ENOMEM. */
static int walk(struct hotspot_step *step)
{
	uint64_t at = step->frame->left_sp, words;

	step->hotspot->inners = 0;
	while (hotspot_read_stack(step, at, &words)) {
		struct chunk_frame f = {at + 8, at + 24, at + 8 + 8 * words};

		if (!words)
			return step->hotspot->inners > 0;
		if (words > UINT32_MAX)
			return 0;
		while (f.sp < f.end) {
			int r = walk_frame(step, &f);

			if (r <= 0)
				return r;
		}
		at = f.end;
	}
	return 0;
}

/*
 * Sets the caller's tags to the frames of a virtual thread that are in Java's heap. If the
 * supervisor has not copied these frames, tells it where they are. If some frames are missing, a
 * gap frame stands for them. 1; -EAGAIN; -ENOMEM.
 */
static int name_chunks(struct hotspot_step *step)
{
	struct hotspot *hotspot = step->hotspot;
	bool copied =
		step->frame->left_sp == CHUNKS_BASE && step->frame->left_pc == step->frame->fp;
	int r = copied ? walk(step) : 0;

	if (r < 0)
		return r;
	step->caller.inner = hotspot->inner;
	step->caller.inners = copied ? hotspot->inners : 0;
	if (r) {
		step->caller.tag = hotspot->inner[--step->caller.inners];
		return 1;
	}
	r = hotspot_name_gap(step);
	return r < 0 || copied ? r : hotspot_find_chunks(step);
}

/* In compiled code each call has debug information for its return address. */
static bool is_known_call(const struct hotspot_blob *blob, uint64_t pc)
{
	struct hotspot_pc at;

	return blob->kind != HOTSPOT_METHOD || pc == blob->deopt || pc == blob->deopt_mh ||
		(hotspot_pc_find(blob->debug + blob->pcs.at, blob->pcs.bytes,
			 (int64_t)(pc - blob->code), &at) &&
			blob->code + (uint64_t)(int64_t)at.pc == pc);
}

/*
 * The deoptimizer replaces a compiled frame by interpreted frames. It calls the VM twice. At the
 * first call, the deoptimizer's caller is the compiled frame. At the second call, its callers are
 * the interpreted frames, which the VM then fills. Before they are filled, only their frame
 * pointers and callers are valid. All of them have the same return address, which is learned here.
 * 1; -EAGAIN; -ENOMEM.
 */
static int learn_unfilled(struct hotspot_step *step)
{
	const char *name = step->blob->name;
	struct hotspot_blob *blob;
	int r;

	if (step->frame->exact || !step->caller.found ||
		(!strstr(name, "DeoptimizationBlob") && !strstr(name, "UncommonTrapBlob")) ||
		!hotspot_is_code(step->hotspot, step->caller.pc))
		return 1;
	r = hotspot_blob_find(step->hotspot, step->caller.pc - 1, &blob);
	if (r > 0 && blob->kind == HOTSPOT_INTERPRETER)
		step->hotspot->unfilled_pc = step->caller.pc;
	return r < 0 ? r : 1;
}

static int step_fixed(struct hotspot_step *step)
{
	int r = hotspot_leave_fixed(step);

	if (r > 0)
		r = learn_unfilled(step);
	return r > 0 ? hotspot_name_stub(step) : r;
}

/* Steps out of a stub of unknown size, or of the return barrier. */
static int step_without_frame(struct hotspot_step *step)
{
	int r = hotspot_is_return_barrier(step);

	if (r < 0)
		return r;
	if (!r)
		return hotspot_step_stub(step);
	r = name_chunks(step);
	if (r < 0)
		return r;
	/*
	 * The frame pointer at the barrier belongs to the caller of Continuation.enter(). So this
	 * steps out of that caller.
	 */
	hotspot_leave_by_pointer(step);
	return 1;
}

int hotspot_step_frame(struct hotspot *hotspot, const struct unwind_runtime_frame *frame,
	struct unwind_runtime_caller *ret_caller)
{
	struct hotspot_step step = {.hotspot = hotspot, .frame = frame};
	struct hotspot_blob *blob;
	struct hotspot_blob copy;
	int r = hotspot_blob_find(hotspot, frame->pc - !frame->exact, &blob);

	/*
	 * If no call of the known blob returns to the pc, another blob may have replaced it:
	 * compares it with memory now.
	 */
	if (r > 0 && !frame->exact && !is_known_call(blob, frame->pc))
		r = hotspot_blob_find_now(hotspot, frame->pc - 1, &blob);
	if (r <= 0)
		return r;
	/* The step works on a copy, as it may replace and free the blob. */
	copy = *blob;
	step.blob = &copy;
	switch (blob->kind) {
	case HOTSPOT_METHOD: r = hotspot_step_compiled(&step); break;
	case HOTSPOT_INTERPRETER: r = hotspot_step_interpreted(&step); break;
	case HOTSPOT_FRAME: r = step_fixed(&step); break;
	default: r = step_without_frame(&step); break;
	}
	*ret_caller = step.caller;
	return r;
}
