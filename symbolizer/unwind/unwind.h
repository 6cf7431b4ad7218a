/* SPDX-License-Identifier: MIT */
/*
 * Unwinds a copy of a thread's registers and stack to frames. A row of call frame information is
 * made once per address in a module, for all processes: a step with a known row takes some 30 ns.
 * Without such information, the frame pointer is followed if it leads to a plausible location, and
 * the frame is marked as guessed. Otherwise the stack ends, and the result says why.
 */
#ifndef SYMBOLIZER_UNWIND_H
#define SYMBOLIZER_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbolizer/symbolizer.h"

/* Deeper stacks are cut, and count as truncated. */
#define UNWIND_FRAMES_MOST 65536
#define UNWIND_PIECES      2

struct unwinder;

/* Creates an unwinder, which the symbolizer must outlive. -ENOMEM. */
int unwinder_new(struct symbolizer *symbolizer, struct unwinder **ret_unwinder);
void unwinder_free(struct unwinder *unwinder);

struct unwind_piece {
	uint64_t base; /* address of the first byte */
	const uint8_t *data;
	size_t bytes;
};

/* What is known of a piece of generated code. */
struct unwind_generated {
	uint64_t start, end; /* runtime addresses */
	/* call frame information of this code; NULL: none */
	const uint8_t *eh_frame;
	size_t bytes; /* of eh_frame */
	/*
	 * The code is a trampoline: its frame is one word, directly below the return address. If
	 * the frame pointer points to that word, the word is the caller's frame pointer.
	 */
	bool trampoline;
};

/* A frame about which unwind_input.runtime() is asked. */
struct unwind_runtime_frame {
	uint64_t pc, sp;
	uint64_t fp;               /* content of the frame pointer register; 0: lost */
	bool exact;                /* pc is the executing instruction, not a return address */
	const uint64_t *reg;       /* if exact: all registers, as in unwind_input; NULL: lost */
	uint64_t left_pc, left_sp; /* as in unwind_input */
	/* Reads a word of memory. False: it is neither in the copy nor in a file. */
	bool (*read)(void *reader, uint64_t address, uint64_t *ret_word);
	void *reader;
};

/* What the runtime says about a frame and its caller. */
struct unwind_runtime_caller {
	bool found;      /* false: the stack ends here, and is incomplete */
	uint64_t pc, sp; /* of the caller */
	uint64_t fp;     /* of the caller */
	uint32_t tag;    /* for unwind_frame.runtime_tag of the frame that was asked about */
	bool gap;        /* for unwind_frame.gap of the frame that was asked about */
	/*
	 * unwind_input.left_sp must not be used for the rest of the stack, as the frames there may
	 * repeat frames of this stack
	 */
	bool drop_left;
	/*
	 * Tags of frames that are not on the stack, innermost first: the frame that was asked about
	 * calls the last of them, and the first calls the callee. Valid until the next call of
	 * runtime().
	 */
	const uint32_t *inner;
	size_t inners;
};

struct unwind_input {
	uint16_t machine;    /* ELF e_machine: x86-64, i386, aarch64 */
	uint16_t registers;  /* number of elements of reg */
	const uint64_t *reg; /* in the order of the machine's DWARF numbers, the pc last */
	uint64_t pc, sp;
	struct unwind_piece piece[UNWIND_PIECES]; /* pieces of the stack; bytes 0: none */
	/*
	 * Go: if the thread is on its own stack, the pc and sp with which it left its goroutine's
	 * stack. That stack is then one of the pieces. Java: see left_pc and left_sp in
	 * proto/record.h. left_sp 0: none, or unknown.
	 */
	uint64_t left_pc, left_sp;
	bool truncated; /* the stack continues behind the end of a piece */
	/*
	 * The thread was not stopped, so only pc and sp are known. If a step needs another
	 * register, the stack is searched for the return address.
	 */
	bool blocked;
	/*
	 * A step out of a caller's frame follows the frame pointer, and uses unwind information
	 * only if that fails. A step out of the innermost frame, or out of one that a signal
	 * interrupted, uses unwind information if there is any.
	 */
	bool frame_pointers;
	/*
	 * Finds the generated code at @pc, in a mapping that begins at @start. 1: found, and the
	 * data in *@ret_generated are valid until the next call; 0: unknown; -ENOMEM. @generated is
	 * NULL if the process has no generated code.
	 */
	int (*generated)(
		void *context, uint64_t pc, uint64_t start, struct unwind_generated *ret_generated);
	/*
	 * Asks the runtime about frame->pc. 1: the code is the runtime's, even if no caller is
	 * found; 0: the code is not the runtime's; -ENOMEM. @runtime is NULL if there is no
	 * runtime.
	 */
	int (*runtime)(void *context, const struct unwind_runtime_frame *frame,
		struct unwind_runtime_caller *ret_caller);
	void *generated_context; /* the context of generated() and of runtime() */
};

enum unwind_end {
	UNWIND_COMPLETE,   /* the outermost frame was reached */
	UNWIND_TRUNCATED,  /* the copy of the stack ends before the outermost frame */
	UNWIND_INCOMPLETE, /* something is missing or damaged; the stack may continue */
};

struct unwind_frame {
	/* an address inside the current instruction or, in a caller's frame, inside its call */
	struct code_location location;
	uint64_t pc; /* runtime address of the location */
	uint64_t sp;
	uint64_t generated;   /* start of the mapping of generated code, 0: code of a file */
	uint32_t runtime_tag; /* of generated code: the tag that its runtime has set; 0: none */
	bool signal;          /* a frame made by the kernel, to which a signal handler returns */
	/*
	 * the callee has no unwind information, or its unwind information needs a register whose
	 * value is unknown, so this frame was found in another way
	 */
	bool guessed;
	/* with @guessed: the return address into this frame was found by a search of the stack */
	bool searched;
	bool gap; /* a frame of a runtime, in place of frames that are not on the stack now */
	/*
	 * A word that is kept for the location, 0 at first. unwind_stack()'s caller may set it.
	 * NULL: none.
	 */
	uint32_t *tag;
};

struct unwind_result {
	const struct unwind_frame *frame; /* leaf first; valid until the next call */
	size_t n;                         /* at least 1 */
	size_t guessed;
	enum unwind_end end;
	const char *why; /* the reason if incomplete; otherwise "" */
};

/* Unwinds a stack. -ENOMEM is the only error. */
int unwind_stack(struct unwinder *unwinder, const struct space *space,
	const struct unwind_input *input, struct unwind_result *ret_result);

#endif
