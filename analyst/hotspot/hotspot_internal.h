/* SPDX-License-Identifier: MIT */
/* Shared by the hotspot*.c files: the code that HotSpot has generated, and its methods. */
#ifndef ANALYST_HOTSPOT_INTERNAL_H
#define ANALYST_HOTSPOT_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "analyst/hotspot/hotspot_layout.h"
#include "symbolizer/unwind/unwind.h"

struct locations;
struct peek;
struct location_line;

enum { HOTSPOT_HEAPS_MOST = 8, HOTSPOT_NAME_MOST = 1024 };

/* A code heap: generated code in segments. */
struct hotspot_heap {
	uint64_t start, end; /* reserved */
	uint64_t segments;   /* a byte for each segment */
	uint32_t log2;       /* of a segment's bytes */
};

/* A method of Java. */
struct hotspot_method {
	uint64_t address;
	bool used;
	bool is_method;        /* it made sense */
	bool is_yield;         /* it moves the frames of a virtual thread to the heap */
	uint32_t function;     /* index in the profile */
	uint64_t const_method; /* with its method, the key: when it changes, so may the rest */
	uint64_t checked_ns;
	uint32_t code_bytes; /* of bytecode */
	uint8_t *lines;      /* the compressed table; owned; NULL: none */
	size_t lines_bytes;
};

enum hotspot_kind {
	HOTSPOT_METHOD, /* compiled Java */
	HOTSPOT_INTERPRETER,
	HOTSPOT_FRAME, /* a stub with a frame of fixed size */
	HOTSPOT_STUB,  /* a stub that has no frame, or whose frame begins at the frame pointer */
};

/* A location for a pc, or for a line of a method. */
struct hotspot_place {
	uint64_t key, line;
	uint32_t location;
	bool used;
};

/* A part of a blob's debug information. */
struct hotspot_part {
	uint32_t at, bytes; /* in hotspot_blob.debug */
};

/* A piece of generated code ("CodeBlob"). */
struct hotspot_blob {
	uint64_t start, end;               /* of the blob, which begins with its header */
	uint64_t code, code_end, verified; /* verified: entry of a compiled method */
	uint64_t method, deopt, deopt_mh;
	uint64_t checked_ns;
	enum hotspot_kind kind;
	bool native; /* the code that calls a native method */
	uint32_t frame_bytes, id;
	int32_t frame_complete; /* where the frame is complete, from @code on; negative: nowhere */
	uint32_t original_pc;   /* where a deoptimized frame keeps it, from its sp on */
	char name[64];          /* of a stub */
	uint8_t *debug;         /* owned */
	uint32_t debug_bytes;
	/* Parts of @debug: methods, what is inlined where, the addresses that have such. */
	struct hotspot_part methods, scopes, pcs;
};

struct hotspot {
	struct hotspot_tables tables;
	struct locations *list;
	struct peek *peek;
	int mapping; /* in the profile */
	struct hotspot_heap heap[HOTSPOT_HEAPS_MOST];
	size_t heaps;
	uint64_t heaps_ns;  /* when they were read; 0: never */
	uint64_t layout_ns; /* when its reading was last tried */
	uint64_t call_stub_return;
	struct hotspot_blob **blob; /* ascending, disjoint */
	size_t blobs, blob_room;
	uint64_t debug_bytes;          /* of all blobs */
	struct hotspot_method *method; /* open addressing, a power of two */
	size_t methods, method_room;
	struct hotspot_place *place; /* the same */
	size_t places, place_room;
	uint64_t now_ns; /* of the sample at hand */
	uint32_t *inner; /* locations of frames in the heap, and 1 */
	size_t inners, inner_room;
	unsigned chunk_tries; /* to find out where these frames are */
	bool chunks_told;
};

/* Numbers of 8, 4 and 2 bytes in memory that has been read. */
static inline uint64_t hotspot_word(const uint8_t *data, uint32_t offset)
{
	uint64_t word;

	memcpy(&word, data + offset, sizeof(word));
	return word;
}

static inline uint32_t hotspot_half(const uint8_t *data, uint32_t offset)
{
	uint32_t half;

	memcpy(&half, data + offset, sizeof(half));
	return half;
}

static inline uint32_t hotspot_short(const uint8_t *data, uint32_t offset)
{
	uint16_t value;

	memcpy(&value, data + offset, sizeof(value));
	return value;
}

/* hotspot_heap.c: 1; 0: not there; -EAGAIN: memory is needed first. */
/* Reads where the heaps are, if @pc is in none of them, and that was not read just now. */
int hotspot_heaps_read(struct hotspot *hotspot, uint64_t pc);
/* Is @pc in one of the code heaps that have been read? */
bool hotspot_is_code(const struct hotspot *hotspot, uint64_t pc);
/* The block of a heap that contains @pc. */
int hotspot_block_find(struct hotspot *hotspot, uint64_t pc, uint64_t *ret_block);

/* hotspot_blob.c: of a blob's header, and of what only compiled methods have. */
struct hotspot_header {
	uint64_t name, code, code_end;
	uint32_t bytes, frame_words;
	int32_t frame_complete;
};
/* The header @head of the blob at @start. */
struct hotspot_header hotspot_blob_header(
	const struct hotspot_layout *layout, uint64_t start, const uint8_t *head);
/*
 * Fills in @blob, whose start is known, from its header of @bytes bytes. 1; 0: it makes no sense;
 * -EAGAIN: memory is needed first; -ENOMEM. The caller owns blob->debug, also on failure.
 */
int hotspot_blob_read(
	struct hotspot *hotspot, struct hotspot_blob *blob, const uint8_t *head, size_t bytes);

/* hotspot_code.c */
/*
 * The blob at @pc. 1: *@ret_blob, valid until the next call; 0: there is none; -EAGAIN: memory is
 * needed first; -ENOMEM.
 */
int hotspot_blob_find(struct hotspot *hotspot, uint64_t pc, struct hotspot_blob **ret_blob);
/* The same; one that was known is compared with the memory first. */
int hotspot_blob_find_now(struct hotspot *hotspot, uint64_t pc, struct hotspot_blob **ret_blob);
void hotspot_blobs_forget(struct hotspot *hotspot);

/* hotspot_method.c */
/* The method at @address. 1: *@ret_method, valid until the next call; 0: none; as above. */
int hotspot_method_find(
	struct hotspot *hotspot, uint64_t address, struct hotspot_method **ret_method);
void hotspot_methods_forget(struct hotspot *hotspot);
/* A location, @n lines of functions, innermost first; -ENOMEM. */
int hotspot_location(struct hotspot *hotspot, uint64_t key, uint64_t line,
	const struct location_line *lines, size_t n);

/* A frame of generated code, and what has been found out about it. */
struct hotspot_step {
	struct hotspot *hotspot;
	const struct unwind_runtime_frame *frame;
	const struct hotspot_blob *blob;
	struct unwind_runtime_caller caller;
};

/*
 * hotspot_place.c: set step->caller.tag to the location of the frame: of a stub, of a pc of a
 * compiled method, of a bytecode of the method at @address. 1; 0: there is no such method; -EAGAIN:
 * memory is needed first; -ENOMEM.
 */
int hotspot_name_stub(struct hotspot_step *step);
/* Names what stands for frames that are not on the stack now. */
int hotspot_name_gap(struct hotspot_step *step);
int hotspot_name_compiled(struct hotspot_step *step, uint64_t pc);
int hotspot_name_interpreted(struct hotspot_step *step, uint64_t address, uint64_t bytecode);

/* hotspot_caller.c */
/* Reads a word of the copied stack. */
bool hotspot_read_stack(const struct hotspot_step *step, uint64_t address, uint64_t *ret_word);
/* The caller whose return address is at @at, behind which its stack begins. */
void hotspot_set_caller(struct hotspot_step *step, uint64_t at, uint64_t fp);
/* As hotspot_set_caller(); the caller's frame pointer is saved in the word below. */
void hotspot_set_caller_saved(struct hotspot_step *step, uint64_t at);
/* Is it a return address into generated code, behind a call? -EAGAIN. */
int hotspot_is_return(struct hotspot_step *step, uint64_t pc);

/* hotspot_interpreter.c: a step out of the interpreter. 1; -EAGAIN; -ENOMEM. */
int hotspot_step_interpreted(struct hotspot_step *step);

/*
 * hotspot_compiled.c: a step out of a compiled method. 1; 0: there is no such method; -EAGAIN;
 * -ENOMEM.
 */
int hotspot_step_compiled(struct hotspot_step *step);
/* The caller of a frame of fixed size, that of a compiled method or of a stub. 1; -EAGAIN. */
int hotspot_leave_fixed(struct hotspot_step *step);

/*
 * hotspot_stub.c: a step out of code without a known frame: the return address is on top, or behind
 * a frame pointer. 1; -EAGAIN; -ENOMEM.
 */
int hotspot_step_stub(struct hotspot_step *step);
/*
 * The frame that the frame pointer tells. The stub that checks at the entry of a method whether its
 * code is still valid has a word of all ones between the frame pointer and the return address.
 */
void hotspot_leave_by_pointer(struct hotspot_step *step);
/*
 * The last frame of a virtual thread that is on the stack returns to the beginning of a stub, which
 * fetches more of them from the heap. 1: this is the stub; 0; -EAGAIN.
 */
int hotspot_is_return_barrier(struct hotspot_step *step);

/*
 * hotspot_chunks.c: finds out where the frames in the heap are, and tells the supervisor: the
 * object that leads to them is on the stack. It is read while the thread runs; if it does not fit,
 * the next sample may. 1, -EAGAIN.
 */
int hotspot_find_chunks(struct hotspot_step *step);

/* hotspot_step.c: as unwind_input.runtime; -EAGAIN: memory is needed first. */
int hotspot_step_frame(struct hotspot *hotspot, const struct unwind_runtime_frame *frame,
	struct unwind_runtime_caller *ret_caller);

#endif
