/* SPDX-License-Identifier: MIT */
/*
 * Shared by the hotspot*.c files: generated code and methods. Results, unless a comment says
 * otherwise: 1; 0: there is none; -EAGAIN: memory is needed first; -ENOMEM.
 */
#ifndef ANALYST_HOTSPOT_INTERNAL_H
#define ANALYST_HOTSPOT_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "analyst/hotspot/hotspot_layout.h"
#include "base/load.h"
#include "base/table.h"
#include "symbolizer/unwind/unwind.h"

struct locations;
struct peek;
struct location_line;

enum { HOTSPOT_HEAPS_MOST = 8, HOTSPOT_NAME_MOST = 1024 };

/* A code heap, divided into segments of equal size. */
struct hotspot_heap {
	uint64_t start, end; /* of the reserved memory */
	uint64_t segments;   /* address of the map, a byte for each segment */
	uint32_t log2;       /* a segment has 1 << log2 bytes */
};

struct hotspot_method {
	uint64_t address;  /* the first member: the key of struct hotspot.by_address */
	bool is_method;    /* false: there is no method at @address */
	bool is_yield;     /* it is doYield(), which moves a virtual thread's frames to the heap */
	uint32_t function; /* index in the profile */
	/*
	 * Address of the method's ConstMethod (bytecode and names). Another value means that
	 * another method is at @address.
	 */
	uint64_t const_method;
	uint64_t read_ns;    /* when the whole method was last read */
	uint64_t checked_ns; /* when last compared with the target's memory */
	uint32_t code_bytes; /* of bytecode */
	uint8_t *lines;      /* compressed; owned; NULL: none */
	size_t lines_bytes;
};

enum hotspot_kind {
	HOTSPOT_METHOD, /* compiled Java */
	HOTSPOT_INTERPRETER,
	HOTSPOT_FRAME, /* a stub with a frame of fixed size */
	HOTSPOT_STUB,  /* a stub without a frame, or whose frame begins at the frame pointer */
};

/* The location of a stub, a pc of a compiled method, or a line of an interpreted one. */
struct hotspot_place {
	/*
	 * @key: see KEY_KINDS. @line: of compiled code its compile id; of a stub 0; of an
	 * interpreted method the source line.
	 */
	uint64_t key, line;
	uint32_t location;
};

struct hotspot_part {
	uint32_t at, bytes; /* position and length in hotspot_blob.debug */
};

/* A piece of generated code ("CodeBlob"). */
struct hotspot_blob {
	uint64_t start, end; /* with its header */
	/* verified: a compiled method's entry for callers that have checked the receiver's class */
	uint64_t code, code_end, verified;
	/* deopt...: handlers to which a deoptimized frame returns */
	uint64_t method, deopt, deopt_mh;
	uint64_t learned_ns; /* when it was read */
	uint64_t checked_ns; /* when last compared with the target's memory */
	enum hotspot_kind kind;
	bool native; /* calls a native method */
	uint32_t frame_bytes, id;
	int32_t frame_complete; /* the frame is complete from this offset in @code on; < 0: never */
	/* offset from sp of the word with the original pc of a deoptimized frame */
	uint32_t original_pc;
	char name[64];  /* the stub's name; of a method "nmethod" or "native nmethod" */
	uint8_t *debug; /* owned */
	uint32_t debug_bytes;
	/* the parts of @debug: pointers to methods; what is inlined where; PcDescs */
	struct hotspot_part methods, scopes, pcs;
};

struct hotspot {
	struct hotspot_tables tables;
	struct locations *list;
	struct peek *peek;
	int mapping; /* index in the profile */
	struct hotspot_heap heap[HOTSPOT_HEAPS_MOST];
	size_t heaps;
	uint64_t heaps_ns;         /* when @heap was last read; 0: never */
	uint64_t layout_ns;        /* when the library was last found not ready */
	uint64_t call_stub_return; /* where Java returns to in the VM's call stub */
	/*
	 * The pc of interpreted frames that the deoptimizer has made but not filled yet. No other
	 * frame of the interpreter has this pc (JDK 11 to 27). 0: unknown.
	 */
	uint64_t unfilled_pc;
	struct hotspot_blob **blob; /* ascending, disjoint; owned */
	size_t blobs, blob_room;
	uint64_t debug_bytes;          /* of all blobs */
	struct hotspot_method *method; /* owned */
	size_t methods, method_room;
	struct table by_address;     /* indexes of @method */
	struct hotspot_place *place; /* owned */
	size_t places, place_room;
	struct table by_key;  /* indexes of @place */
	uint64_t now_ns;      /* of the current sample */
	uint64_t replaced_ns; /* time of the last sample that found a blob or method replaced */
	/* tags (location + 1) of frames in Java's heap, innermost first; owned */
	uint32_t *inner;
	size_t inners, inner_room;
	unsigned chunk_tries; /* samples for which hotspot_find_chunks() found no layout */
	bool chunks_told;     /* the supervisor knows where the heap's frames are */
};

/*
 * hotspot_heap.c: if @pc is in no known code heap, reads the bounds of all code heaps again, at
 * most every 50 ms.
 */
int hotspot_heaps_read(struct hotspot *hotspot, uint64_t pc);
/* Is @pc in a known code heap? */
bool hotspot_is_code(const struct hotspot *hotspot, uint64_t pc);
/* Sets *@ret_block to the address of the heap block with @pc. */
int hotspot_block_find(struct hotspot *hotspot, uint64_t pc, uint64_t *ret_block);

/* hotspot_blob.c: the header of a CodeBlob. */
struct hotspot_header {
	uint64_t name, code, code_end;
	uint32_t bytes, frame_words;
	int32_t frame_complete;
};
struct hotspot_header hotspot_blob_header(
	const struct hotspot_layout *layout, uint64_t start, const uint8_t *head);
/* Fills in @blob (start is set) from its header @head. 0: damaged. The caller frees blob->debug. */
int hotspot_blob_read(
	struct hotspot *hotspot, struct hotspot_blob *blob, const uint8_t *head, size_t bytes);

/*
 * hotspot_code.c: finds the blob with @pc. A known blob is compared with memory again after 0.5 to
 * 1 s. *@ret_blob is owned by @hotspot, and valid until the next call.
 */
int hotspot_blob_find(struct hotspot *hotspot, uint64_t pc, struct hotspot_blob **ret_blob);
/* Like hotspot_blob_find(), but compares a known blob's header with memory of this sample. */
int hotspot_blob_find_now(struct hotspot *hotspot, uint64_t pc, struct hotspot_blob **ret_blob);
void hotspot_blobs_forget(struct hotspot *hotspot);

/*
 * hotspot_method.c: finds the method at @address. If it was last read before @since_ns, it is read
 * again. A known method is compared with memory again after 0.5 to 1 s. *@ret_method is owned by
 * @hotspot, valid until the next call.
 */
int hotspot_method_find(struct hotspot *hotspot, uint64_t address, uint64_t since_ns,
	struct hotspot_method **ret_method);
/* For interpreted frames: reads a method again after 2 s, or if a blob or method was replaced. */
int hotspot_method_find_now(
	struct hotspot *hotspot, uint64_t address, struct hotspot_method **ret_method);
void hotspot_methods_release(struct hotspot *hotspot);
/*
 * The index of the profile's location with @key and @line. If there is none, one is added with the
 * @n elements of @lines, innermost function first. -ENOENT: there is none, and none is added, as @n
 * is 0; -ENOMEM.
 */
int hotspot_location(struct hotspot *hotspot, uint64_t key, uint64_t line,
	const struct location_line *lines, size_t n);

/* One step of an unwind: a frame of generated code, its blob, and what is known of its caller. */
struct hotspot_step {
	struct hotspot *hotspot;
	const struct unwind_runtime_frame *frame;
	const struct hotspot_blob *blob;
	struct unwind_runtime_caller caller;
};

/*
 * hotspot_place.c: the hotspot_name_...() functions set step->caller.tag to the index of a location
 * + 1. This one: the location of the step's stub.
 */
int hotspot_name_stub(struct hotspot_step *step);
/* Sets the tag of the location that stands for frames in Java's heap that could not be read. */
int hotspot_name_gap(struct hotspot_step *step);
/* The location of @pc in the step's blob, a compiled method, with the methods inlined there. */
int hotspot_name_compiled(struct hotspot_step *step, uint64_t pc);
/*
 * Sets the tag of the interpreted method at @address, with the line of the bytecode at @bytecode.
 * 0: no method is at @address.
 */
int hotspot_name_interpreted(struct hotspot_step *step, uint64_t address, uint64_t bytecode);

/* hotspot_caller.c: reads a word of the copied stack. False: the copy does not contain @address. */
bool hotspot_read_stack(const struct hotspot_step *step, uint64_t address, uint64_t *ret_word);
/*
 * Sets step->caller's pc to the word at @at, its sp to @at + 8, and its fp to @fp. Does nothing if
 * the copied stack lacks that word.
 */
void hotspot_set_caller(struct hotspot_step *step, uint64_t at, uint64_t fp);
/* Calls hotspot_set_caller() with @fp read from the word below @at. */
void hotspot_set_caller_saved(struct hotspot_step *step, uint64_t at);
/* Can @pc be a return address into generated code: is @pc - 1 in a blob? */
int hotspot_is_return(struct hotspot_step *step, uint64_t pc);

/* hotspot_interpreter.c: finds the caller of a frame of the interpreter. */
int hotspot_step_interpreted(struct hotspot_step *step);

/* hotspot_compiled.c: finds the caller and the location of a frame of a compiled method. */
int hotspot_step_compiled(struct hotspot_step *step);
/* Finds the caller of a frame of fixed size, of a compiled method or a stub. */
int hotspot_leave_fixed(struct hotspot_step *step);

/*
 * hotspot_stub.c: finds the caller and the location of a frame of unknown size. The return address
 * is in one of three places: on top of the stack, behind words that the stub pushed, or behind the
 * word to which the frame pointer points.
 */
int hotspot_step_stub(struct hotspot_step *step);
/*
 * Sets step->caller's fp to the word at the frame pointer, and its pc to the word above that. The
 * stub that checks at a method's entry whether the method's code is still valid has a word of all
 * ones between these two words.
 */
void hotspot_leave_by_pointer(struct hotspot_step *step);
/* Is the frame the return barrier, a stub that fetches frames of a virtual thread from the heap? */
int hotspot_is_return_barrier(struct hotspot_step *step);

/*
 * hotspot_chunks.c: the stack points to an object that leads to a virtual thread's frames in Java's
 * heap. Finds the layout of such objects, and tells the supervisor. If the object makes no sense,
 * as the thread runs while it is read, the next sample is tried.
 */
int hotspot_find_chunks(struct hotspot_step *step);

/* hotspot_step.c: finds the frame's caller and location. 0: its code is not HotSpot's. */
int hotspot_step_frame(struct hotspot *hotspot, const struct unwind_runtime_frame *frame,
	struct unwind_runtime_caller *ret_caller);

#endif
