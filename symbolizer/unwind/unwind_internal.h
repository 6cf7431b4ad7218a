/* SPDX-License-Identifier: MIT */
/* Shared by the files of the unwinder. */
#ifndef SYMBOLIZER_UNWIND_INTERNAL_H
#define SYMBOLIZER_UNWIND_INTERNAL_H

#include "base/table.h"
#include "symbolizer/base/arena.h"
#include "symbolizer/module.h"
#include "symbolizer/unwind/unwind.h"
#include "symbolizer/unwind/unwind_row.h"

/* What differs between machines. Register numbers are DWARF's. */
struct unwind_machine {
	uint16_t machine;
	uint8_t registers, sp, fp,
		/* The register in which a call leaves the return address; 0xff: on the stack. */
		link;
	uint8_t width;    /* bytes of a word on the stack */
	uint64_t kept;    /* a bit for each register that a call preserves */
	uint64_t pc_mask; /* removes the bits that sign a return address */
};
#define UNWIND_NO_LINK 0xff

/*
 * The row of the unwind table for one address. It has no rules for registers that keep their values
 * (UNWIND_SAME).
 */
struct unwind_step {
	const struct module *module;
	uint64_t svma;
	const struct unwind_rule *rule;
	struct unwind_rule cfa;
	uint32_t tag;
	uint8_t rules, return_column;
	uint8_t go; /* enum gopclntab_kind, for a Go function */
	bool usable, signal;
	bool elsewhere; /* the caller may be on another stack */
	/*
	 * At svma + 1 begins a function to which frames return though no call lies before that
	 * function (GOPCLNTAB_LEFT, GOPCLNTAB_SIGRETURN). So for the return address svma + 1, the
	 * row of svma + 1 is used instead of this one.
	 */
	bool before_uncalled;
};

struct unwinder {
	struct symbolizer *symbolizer;
	struct table by_place;     /* finds a step by module and svma */
	struct unwind_step **step; /* the steps are in the arena */
	size_t steps, step_room;
	struct arena arena; /* steps and rules */
	struct unwind_frame *frame;
	size_t frame_room;
};

/* The frame that the unwinder has reached, and how the rest is to be unwound. */
struct cursor {
	struct unwinder *unwinder;
	const struct space *space;
	const struct unwind_input *input;
	const struct unwind_machine *machine;
	uint64_t reg[UNWIND_REGISTERS];
	uint64_t known; /* a bit for each register whose value is known */
	uint64_t pc, sp;
	bool exact; /* pc is the executing instruction, not a return address */
	/*
	 * The pc is a return address and yet the first byte of a function. makecontext() makes such
	 * frames, calls seldom do. A frame made by makecontext() has no caller, so the stack is
	 * complete if the step to the caller fails.
	 */
	bool uncalled;
	bool guessed, searched;        /* how this frame was found; see unwind.h */
	bool pointed;                  /* the frame was reached by the frame pointer alone */
	const struct mapping *mapping; /* of the pc; NULL: none */
	struct unwind_step *step;      /* of the pc; NULL: none */
	struct unwind_step own;        /* the step of generated code; its rules are in @own_rule */
	struct unwind_rule own_rule[UNWIND_REGISTERS];
	/* the generated code at the pc is a trampoline (struct unwind_generated) */
	bool trampoline;
	bool of_runtime; /* the pc is in code of a runtime, which has set @caller */
	struct unwind_runtime_caller caller;
	bool dropped;      /* unwind_runtime_caller.drop_left was set for this or an inner frame */
	bool switched;     /* the cursor has moved to the goroutine's stack */
	unsigned searches; /* number of frames searched for so far */
	bool beyond;       /* memory behind the end of a truncated piece was needed */
};

/* Finds or makes the step for @svma, not @usable if there is no row. NULL: out of memory. */
struct unwind_step *unwind_step_find(
	struct unwinder *unwinder, struct module *module, uint64_t svma);

/*
 * Fills cursor->own from the generated code's call frame information; if that is invalid, the step
 * is not @usable.
 */
void unwind_step_generated(
	struct cursor *cursor, uint64_t pc, const struct unwind_generated *generated);

/* Reads a word of the target. -EFAULT: it is neither in the copy nor in a file. */
int unwind_read(struct cursor *cursor, uint64_t address, unsigned bytes, uint64_t *ret_value);

/*
 * Steps to the caller by the cursor's row. 0; 1: this frame is the outermost; -EFAULT: memory that
 * is needed cannot be read, or the caller's stack pointer would not be further out; -ENOEXEC: an
 * unknown register, or an invalid expression. On failure the cursor stays at the frame.
 */
int unwind_apply(struct cursor *cursor);

/* Does what unwind_apply() does, with the CFA @cfa instead of the row's. */
int unwind_apply_at(struct cursor *cursor, uint64_t cfa);

/*
 * Searches the stack for the frame's return address, as the CFA's register is unknown, and steps to
 * the caller. 0; 1: this frame is the outermost; -EFAULT: as of unwind_apply(); -ENOEXEC: no word
 * of the stack is a plausible return address, or too many frames were searched for; -ENOMEM.
 */
int unwind_search(struct cursor *cursor);

/* Fills a new step from a Go program's table. 1; 0: the table lacks the step's svma; -ENOMEM. */
int unwind_go_row(struct unwinder *unwinder, struct module *module, struct unwind_step *step);
/*
 * Steps from the thread's own stack to the goroutine's, on which the frame's function was called,
 * or to the caller of an asmcgocall that was called on the thread's own stack. 0; 1: no caller;
 * -ENOENT: the function does not switch stacks, or is itself executing, so unwinding goes on as
 * for other functions; -EFAULT, -ENOEXEC: the goroutine's stack is unknown, or the step out of its
 * innermost frame failed; -ENOMEM.
 */
int unwind_go_leave(struct cursor *cursor);

/* Does a call instruction end at @pc? *@ret_target: the target of a direct call, otherwise 0. */
bool unwind_follows_call(const struct cursor *cursor, uint64_t pc, uint64_t *ret_target);

/* Steps to the caller without unwind information. 0; 1: no caller; -ENOENT: none is plausible. */
int unwind_guess(struct cursor *cursor);
/* Steps out of a trampoline. 0; -ENOENT: the frame does not look like a trampoline's. */
int unwind_leave_trampoline(struct cursor *cursor);
/* Steps to cursor->caller. -ENOENT: the runtime found none, or the caller is not further out. */
int unwind_follow_runtime(struct cursor *cursor);
/* Steps to the caller by the frame pointer alone. Results are those of unwind_guess(). */
int unwind_follow_pointer(struct cursor *cursor);

/* Is @pc in an executable mapping? */
bool unwind_is_code(const struct cursor *cursor, uint64_t pc);

#endif
