/* SPDX-License-Identifier: MIT */
/* Shared by the files of the unwinder. */
#ifndef SYMBOLIZER_UNWIND_INTERNAL_H
#define SYMBOLIZER_UNWIND_INTERNAL_H

#include "base/table.h"
#include "symbolizer/base/arena.h"
#include "symbolizer/module.h"
#include "symbolizer/unwind/unwind.h"
#include "symbolizer/unwind/unwind_row.h"

struct unwind_entry;
struct unwind_table;

/* The differences between machines. Numbers are DWARF's. */
struct unwind_machine {
	uint16_t machine;
	uint8_t registers, sp, fp,
		/* link: register in which a call leaves the return address, 0xff: on the stack */
		link;
	uint8_t width;    /* bytes of a word on the stack */
	uint64_t kept;    /* registers that a call preserves */
	uint64_t pc_mask; /* removes the bits that sign a return address */
};
#define UNWIND_NO_LINK 0xff

/* A row as stored: only its changes. */
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
	 * The next address begins a function to which its callee returns without a call of it: a
	 * return address there is looked up as it is.
	 */
	bool before_uncalled;
};

struct module_table {
	const struct module *module;
	struct unwind_table *table;
};

struct unwinder {
	struct symbolizer *symbolizer;
	struct table by_place, by_module; /* steps; tables */
	struct unwind_step **step;        /* in the arena */
	size_t steps, step_room;
	struct module_table *table; /* the modules' call frame information */
	size_t tables, table_room;
	struct arena arena; /* steps and rules */
	struct unwind_frame *frame;
	size_t frame_room;
};

/* The current frame. */
struct cursor {
	struct unwinder *unwinder;
	const struct space *space;
	const struct unwind_input *input;
	const struct unwind_machine *machine;
	uint64_t reg[UNWIND_REGISTERS];
	uint64_t known; /* a bit for each register */
	uint64_t pc, sp;
	bool exact; /* pc is the executing instruction, not a return address */
	/*
	 * its callee returns to its first byte, so it was not called from there, except by chance
	 */
	bool uncalled;
	bool guessed, searched;        /* how this frame was found; see unwind.h */
	bool pointed;                  /* reached by the frame pointer alone */
	const struct mapping *mapping; /* of the pc, NULL none */
	struct unwind_step *step;      /* of the pc, NULL none */
	struct unwind_step own;        /* the step of generated code, with these rules */
	struct unwind_rule own_rule[UNWIND_REGISTERS];
	/* the generated code at the pc is a trampoline (struct unwind_generated) */
	bool trampoline;
	bool of_runtime; /* its runtime knows this code, and has said: */
	struct unwind_runtime_caller caller;
	bool dropped;      /* unwind_runtime_caller.drop_left of a frame before */
	bool switched;     /* the cursor has gone over to the goroutine's stack */
	unsigned searches; /* number of frames searched for */
	bool beyond;       /* memory behind the end of a truncated piece was needed */
};

/* The row for @svma, created if it is new. NULL: out of memory. !usable: no row exists. */
struct unwind_step *unwind_step_find(
	struct unwinder *unwinder, struct module *module, uint64_t svma);

/*
 * Fills the cursor's own step from call frame information of the generated code at @pc; unusable if
 * there is none, or it is damaged.
 */
void unwind_step_generated(
	struct cursor *cursor, uint64_t pc, const struct unwind_generated *generated);

/* Reads a word of the target. -EFAULT: neither in the copy nor in a file. */
int unwind_read(struct cursor *cursor, uint64_t address, unsigned bytes, uint64_t *ret_value);

/*
 * Steps to the caller. 1: there is none, this was the outermost frame; -EFAULT, -ENOEXEC: unknown,
 * and the cursor is unchanged.
 */
int unwind_apply(struct cursor *cursor);

/* Steps to the caller with the frame's CFA known from elsewhere; otherwise as unwind_apply(). */
int unwind_apply_at(struct cursor *cursor, uint64_t cfa);

/*
 * Searches the frame, because the register on which the CFA depends is unknown, and steps to the
 * caller. -ENOEXEC: another register is unknown, or nothing plausible was found.
 */
int unwind_search(struct cursor *cursor);

/* Fills a new step from a Go program's own table. 1: done, 0: not of Go's, -ENOMEM. */
int unwind_go_row(struct unwinder *unwinder, struct module *module, struct unwind_step *step);
/*
 * Steps from the thread's own stack to that of its goroutine. 0, 1: as unwind_apply(); -ENOENT: the
 * function's caller is found as usual; -EFAULT.
 */
int unwind_go_leave(struct cursor *cursor);

/* Searches the entry that covers @svma. -ENOENT, -ENOMEM. */
int unwind_entry_find(struct unwinder *unwinder, struct module *module, uint64_t svma,
	struct unwind_entry *ret_entry);

/* Does a call instruction end at @pc? *@ret_target: the target of a direct call, otherwise 0. */
bool unwind_follows_call(const struct cursor *cursor, uint64_t pc, uint64_t *ret_target);

/* Steps to the caller without information. -ENOENT: nothing plausible. */
int unwind_guess(struct cursor *cursor);
/* Steps out of a trampoline. -ENOENT: the frame is not as a trampoline's. */
int unwind_leave_trampoline(struct cursor *cursor);
/* Steps to the caller that the runtime has named. */
int unwind_follow_runtime(struct cursor *cursor);
/* Steps to the caller by the frame pointer alone. */
int unwind_follow_pointer(struct cursor *cursor);

/* Is @pc in an executable mapping? */
bool unwind_is_code(const struct cursor *cursor, uint64_t pc);

/* unwind_memory.c: */
/* Prepares for a new stack. */
void unwind_memory_compare(struct unwind_memory *memory, const struct unwind_input *input,
	const struct unwind_machine *machine);
/*
 * The number of frames, from the cursor's outwards, that are unchanged because the registers and
 * all of the stack from there on are; 0 none.
 */
size_t unwind_memory_match(struct unwind_memory *memory, const struct cursor *cursor);
/* Copies those frames, leaf first, and how the stack ended. */
void unwind_memory_take(const struct unwind_memory *memory, size_t n,
	struct unwind_frame *ret_frames, struct unwind_result *result);
/* Records the frame at the cursor. -ENOMEM. */
int unwind_memory_note(struct unwind_memory *memory, const struct cursor *cursor);
/* Keeps the stack for the next time, or forgets it if it cannot be kept. */
void unwind_memory_keep(struct unwind_memory *memory, const struct unwind_input *input,
	const struct unwind_result *result);

#endif
