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
struct unwind_memory;

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
	 * The code is a trampoline: its frame is one word, which the return address follows. If the
	 * frame pointer points to that word, the word is the caller's frame pointer.
	 */
	bool trampoline;
};

/* A frame of generated code, for its runtime. */
struct unwind_runtime_frame {
	uint64_t pc, sp;
	uint64_t fp;               /* the frame pointer; 0: lost, or it has another use */
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
	uint32_t tag;    /* of the frame, for unwind_frame.runtime_tag */
	bool gap;        /* of the frame, for unwind_frame.gap */
	bool drop_left;  /* unwind_input.left_sp must not be used for the rest of the stack */
	/*
	 * Tags of the runtime's frames that are called by this frame, call the callee, and are not
	 * on the stack. Valid until the next call.
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
	 * Go: the pc and sp with which a thread, now on its own stack, left its goroutine's stack,
	 * which is one of the pieces. 0: none, or unknown. Java: see proto/record.h.
	 */
	uint64_t left_pc, left_sp;
	bool truncated; /* the stack continues behind the end of a piece */
	/* The thread was not stopped: only pc and sp are known, and callers may be searched for. */
	bool blocked;
	bool frame_pointers; /* follow frame pointers, and use tables only if that fails */
	/* The thread's last stack, whose unchanged frames are reused; NULL: not kept. */
	struct unwind_memory *memory;
	/*
	 * Finds the generated code at @pc, in a mapping that begins at @start. 1: found, its data
	 * are valid until the next call; 0: unknown; -ENOMEM. The pointer is NULL if no code is
	 * generated.
	 */
	int (*generated)(
		void *context, uint64_t pc, uint64_t start, struct unwind_generated *ret_generated);
	/*
	 * Asks the runtime about frame->pc. 1: the code is the runtime's, even if no caller is
	 * found; 0: it is not; -ENOMEM. The pointer is NULL if there is no runtime.
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
	/* the frame was found without unwind information, or without a register it needs */
	bool guessed;
	/* with @guessed: the stack was searched for the callee's return address */
	bool searched;
	bool gap; /* a frame of a runtime, in place of frames that are not on the stack now */
	/* The location's word, 0 at first, which unwind_stack()'s caller may set; NULL: none. */
	uint32_t *tag;
};

struct unwind_result {
	const struct unwind_frame *frame; /* leaf first; valid until the next call */
	size_t n;                         /* at least 1 */
	size_t guessed;
	size_t reused; /* outermost frames taken from the memory */
	enum unwind_end end;
	const char *why; /* the reason if incomplete; otherwise "" */
};

/* Unwinds a stack. -ENOMEM is the only error. */
int unwind_stack(struct unwinder *unwinder, const struct space *space,
	const struct unwind_input *input, struct unwind_result *ret_result);

/* Makes a memory for a thread's last stack; clear it when mappings change. NULL: out of memory. */
struct unwind_memory *unwind_memory_new(void);
void unwind_memory_clear(struct unwind_memory *memory);
void unwind_memory_free(struct unwind_memory *memory);

#endif
