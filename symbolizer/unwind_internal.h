/* SPDX-License-Identifier: MIT */
/* What the files of the unwinder share. */
#ifndef SYMBOLIZER_UNWIND_INTERNAL_H
#define SYMBOLIZER_UNWIND_INTERNAL_H

#include "symbolizer/module.h"
#include "symbolizer/unwind.h"
#include "symbolizer/unwind_row.h"

struct unwind_entry;
struct unwind_table;

/* What differs between machines. Numbers are DWARF's. */
struct unwind_machine {
	uint16_t machine;
	uint8_t registers, sp, fp,
		link;     /* link: where a call leaves the return address, 0xff the stack */
	uint8_t width;    /* bytes of a word on the stack */
	uint64_t kept;    /* registers that a call leaves alone */
	uint64_t pc_mask; /* without the bits that sign a return address */
};
#define UNWIND_NO_LINK 0xff

/* A row as it is kept: only what it changes. */
struct unwind_step {
	const struct module *module;
	uint64_t svma;
	const struct unwind_rule *rule;
	struct unwind_rule cfa;
	uint32_t tag;
	uint8_t rules, return_column;
	bool usable, signal;
};

struct module_table {
	const struct module *module;
	struct unwind_table *table;
};

struct unwinder {
	struct symbolizer *symbolizer;
	struct unwind_step **step; /* open addressing, a power of two; in the arena */
	size_t steps, step_room;
	struct module_table *table; /* the same */
	size_t tables, table_room;
	struct arena arena; /* steps and rules */
	struct unwind_frame *frame;
	size_t frame_room;
};

/* A frame on the way. */
struct cursor {
	struct unwinder *unwinder;
	const struct space *space;
	const struct unwind_input *input;
	const struct unwind_machine *machine;
	uint64_t reg[UNWIND_REGISTERS];
	uint64_t known; /* a bit for each register */
	uint64_t pc, sp;
	bool exact;    /* pc is where it is executing, not a return address */
	bool uncalled; /* its callee returns to its first byte: if it has a caller, that is chance
			*/
	bool guessed, searched;        /* how this frame was reached; see unwind.h */
	const struct mapping *mapping; /* of the pc, NULL none */
	struct unwind_step *step;      /* of the pc, NULL none */
	unsigned searches;             /* frames that were searched for */
	bool beyond;                   /* memory behind the end of a truncated piece was wanted */
};

/* A row kept for @svma, made when it is new. NULL: out of memory. !usable: there is none. */
struct unwind_step *unwind_step_find(
	struct unwinder *unwinder, struct module *module, uint64_t svma);

/* A word of the target. -EFAULT: not in the copy, and not in a file. */
int unwind_read(struct cursor *cursor, uint64_t address, unsigned bytes, uint64_t *ret_value);

/*
 * Goes to the caller. 1: there is none, this was the outermost frame; -EFAULT, -ENOEXEC: it cannot
 * be told, the cursor is as it was.
 */
int unwind_apply(struct cursor *cursor);

/* The same, where a frame's CFA is known from elsewhere. */
int unwind_apply_at(struct cursor *cursor, uint64_t cfa);

/*
 * The same, where the register that the CFA follows from is not known: it is searched for.
 * -ENOEXEC: it is another register that is not known, or nothing plausible is there.
 */
int unwind_search(struct cursor *cursor);

/* The entry that covers @svma, searched for anew. -ENOENT, -ENOMEM. */
int unwind_entry_find(struct unwinder *unwinder, struct module *module, uint64_t svma,
	struct unwind_entry *ret_entry);

/* Does a call instruction end at @pc? Of a direct call *@ret_target is where to, else 0. */
bool unwind_follows_call(const struct cursor *cursor, uint64_t pc, uint64_t *ret_target);

/* The same without information. -ENOENT: nothing plausible. */
int unwind_guess(struct cursor *cursor);
/* By the frame pointer alone. */
int unwind_follow_pointer(struct cursor *cursor);

/* Is @pc in an executable mapping? */
bool unwind_is_code(const struct cursor *cursor, uint64_t pc);

/* unwind_memory.c */
/* Prepares for a new stack. */
void unwind_memory_compare(struct unwind_memory *memory, const struct unwind_input *input,
	const struct unwind_machine *machine);
/*
 * How many frames, from the one that the cursor stands at on outwards, are as they were, because
 * the registers and all of the stack from there on are; 0 none.
 */
size_t unwind_memory_match(struct unwind_memory *memory, const struct cursor *cursor);
/* Those frames, leaf first, and how they ended. */
void unwind_memory_take(const struct unwind_memory *memory, size_t n,
	struct unwind_frame *ret_frames, struct unwind_result *result);
/* Notes the frame that the cursor stands at. -ENOMEM. */
int unwind_memory_note(struct unwind_memory *memory, const struct cursor *cursor);
/* Keeps the stack, or forgets it where it cannot. */
void unwind_memory_keep(struct unwind_memory *memory, const struct unwind_input *input,
	const struct unwind_result *result);

#endif
