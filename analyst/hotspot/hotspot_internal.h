/* SPDX-License-Identifier: MIT */
/* Shared by the hotspot*.c files: the code that HotSpot has generated, and its methods. */
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

/* A code heap: memory for generated code, divided into segments of equal size. */
struct hotspot_heap {
	uint64_t start, end; /* of the reserved memory */
	uint64_t segments;   /* address of the map, which has a byte for each segment */
	uint32_t log2;       /* binary logarithm of a segment's bytes */
};

/* A method of Java. */
struct hotspot_method {
	uint64_t address;  /* the first member: the key of struct hotspot.by_address */
	bool is_method;    /* false: what is at @address is no method */
	bool is_yield;     /* the method moves the frames of a virtual thread to the heap */
	uint32_t function; /* index in the profile */
	/* the method's ConstMethod; if this changes, @address has another method */
	uint64_t const_method;
	uint64_t read_ns;    /* when the whole method was last read */
	uint64_t checked_ns; /* when the method was last compared with the target's memory */
	uint32_t code_bytes; /* of bytecode */
	uint8_t *lines;      /* the compressed table of lines; owned; NULL: none */
	size_t lines_bytes;
};

enum hotspot_kind {
	HOTSPOT_METHOD, /* compiled Java */
	HOTSPOT_INTERPRETER,
	HOTSPOT_FRAME, /* a stub with a frame of fixed size */
	HOTSPOT_STUB,  /* a stub that has no frame, or whose frame begins at the frame pointer */
};

/* A known location: of a stub, of a pc of a compiled method, of a line of an interpreted one. */
struct hotspot_place {
	/*
	 * What identifies the location (hotspot_place.c). @line of compiled code is its compile id,
	 * of a stub 0.
	 */
	uint64_t key, line;
	uint32_t location;
};

/* A part of a blob's debug information. */
struct hotspot_part {
	uint32_t at, bytes; /* position and length in hotspot_blob.debug */
};

/* A piece of generated code ("CodeBlob"). */
struct hotspot_blob {
	uint64_t start, end; /* of the blob, which begins with its header */
	/* verified: the entry of a compiled method behind the check of the receiver's class */
	uint64_t code, code_end, verified;
	uint64_t method, deopt, deopt_mh; /* deopt...: return addresses that deoptimize a frame */
	uint64_t learned_ns;              /* when the blob was read */
	/* when the blob was last compared with the target's memory */
	uint64_t checked_ns;
	enum hotspot_kind kind;
	bool native; /* the blob is the code that calls a native method */
	uint32_t frame_bytes, id;
	int32_t frame_complete; /* offset from @code where the frame is complete; negative: none */
	uint32_t original_pc;   /* offset from sp where a deoptimized frame keeps its old pc */
	char name[64];          /* of a stub, or "nmethod" or "native nmethod" */
	uint8_t *debug;         /* owned */
	uint32_t debug_bytes;
	/*
	 * Parts of @debug: pointers to methods; scopes, which say what is inlined where; PcDescs,
	 * which give the scope of a pc.
	 */
	struct hotspot_part methods, scopes, pcs;
};

struct hotspot {
	struct hotspot_tables tables;
	struct locations *list;
	struct peek *peek;
	int mapping; /* index in the profile */
	struct hotspot_heap heap[HOTSPOT_HEAPS_MOST];
	size_t heaps;
	uint64_t heaps_ns;  /* when @heap was last read; 0: never */
	uint64_t layout_ns; /* when the library was last found not ready (hotspot_layout_read()) */
	uint64_t call_stub_return; /* address in the VM's call stub to which Java returns */
	/*
	 * The return address of a frame that the deoptimizer has made but not filled yet; 0: not
	 * known. Interpreted frames that execute never have it (JDK 11 to 27).
	 */
	uint64_t unfilled_pc;
	struct hotspot_blob **blob; /* ascending, disjoint; owned */
	size_t blobs, blob_room;
	uint64_t debug_bytes;          /* of all blobs */
	struct hotspot_method *method; /* owned */
	size_t methods, method_room;
	struct table by_address;     /* of @method */
	struct hotspot_place *place; /* owned */
	size_t places, place_room;
	struct table by_key;  /* of @place */
	uint64_t now_ns;      /* of the current sample */
	uint64_t replaced_ns; /* of the last sample that found a blob or a method replaced */
	uint32_t *inner; /* tags (location + 1) of frames in the heap, innermost first; owned */
	size_t inners, inner_room;
	unsigned chunk_tries; /* samples in which hotspot_find_chunks() found nothing */
	bool chunks_told;     /* the supervisor knows where the frames in the heap are */
};

/*
 * hotspot_heap.c: reads the bounds of the code heaps, unless @pc is in a known one, or they were
 * read less than 50 ms ago. 1; 0: there are none yet; -EAGAIN: memory is needed first; -ENOMEM.
 */
int hotspot_heaps_read(struct hotspot *hotspot, uint64_t pc);
/* Is @pc in one of the code heaps that have been read? */
bool hotspot_is_code(const struct hotspot *hotspot, uint64_t pc);
/*
 * Sets *@ret_block to the address of the heap block that contains @pc. 1; 0: there is none;
 * -EAGAIN: memory is needed first; -ENOMEM.
 */
int hotspot_block_find(struct hotspot *hotspot, uint64_t pc, uint64_t *ret_block);

/* hotspot_blob.c: fields of the header of a CodeBlob. */
struct hotspot_header {
	uint64_t name, code, code_end;
	uint32_t bytes, frame_words;
	int32_t frame_complete;
};
/* Decodes the header @head of the blob at @start. */
struct hotspot_header hotspot_blob_header(
	const struct hotspot_layout *layout, uint64_t start, const uint8_t *head);
/*
 * Fills in @blob, of which only start is set, from its header @head of @bytes bytes. 1; 0: the
 * header makes no sense; -EAGAIN: memory is needed first; -ENOMEM. The caller owns blob->debug,
 * also on failure.
 */
int hotspot_blob_read(
	struct hotspot *hotspot, struct hotspot_blob *blob, const uint8_t *head, size_t bytes);

/* These functions are in hotspot_code.c. */
/*
 * Finds the blob that contains @pc. A known blob is compared with the target's memory again after
 * 0.5 to 1 s only. 1: *@ret_blob, owned by @hotspot, valid until the next call; 0: there is none;
 * -EAGAIN: memory is needed first; -ENOMEM.
 */
int hotspot_blob_find(struct hotspot *hotspot, uint64_t pc, struct hotspot_blob **ret_blob);
/*
 * Does what hotspot_blob_find() does, but first compares a known blob's header with the target's
 * memory as it was at hotspot->now_ns or later.
 */
int hotspot_blob_find_now(struct hotspot *hotspot, uint64_t pc, struct hotspot_blob **ret_blob);
void hotspot_blobs_forget(struct hotspot *hotspot);

/* These functions are in hotspot_method.c. */
/*
 * Finds the method at @address, as it was at @since_ns or later. A known method is compared with
 * the target's memory again after 0.5 to 1 s only. 1: *@ret_method, owned by @hotspot, valid until
 * the next call; 0: there is no method; -EAGAIN: memory is needed first; -ENOMEM.
 */
int hotspot_method_find(struct hotspot *hotspot, uint64_t address, uint64_t since_ns,
	struct hotspot_method **ret_method);
/*
 * Does what hotspot_method_find() does, for an interpreted frame: a method that was read more than
 * 2 s ago, or before a method or a blob was last found replaced, is read again.
 */
int hotspot_method_find_now(
	struct hotspot *hotspot, uint64_t address, struct hotspot_method **ret_method);
/* Frees all methods and locations. */
void hotspot_methods_release(struct hotspot *hotspot);
/*
 * Returns the profile's location of @key and @line. If there is none yet, adds one with the @n
 * elements of @lines, innermost function first. -ENOENT: there is none yet, and @n is 0; -ENOMEM.
 */
int hotspot_location(struct hotspot *hotspot, uint64_t key, uint64_t line,
	const struct location_line *lines, size_t n);

/* A frame of generated code, the blob that its pc is in, and its caller as far as it is known. */
struct hotspot_step {
	struct hotspot *hotspot;
	const struct unwind_runtime_frame *frame;
	const struct hotspot_blob *blob;
	struct unwind_runtime_caller caller;
};

/*
 * hotspot_place.c: these functions set step->caller.tag to the frame's location + 1. 1; 0: there is
 * no method at @address; -EAGAIN: memory is needed first; -ENOMEM.
 */
/* Gives the frame a location with the name of the step's blob. */
int hotspot_name_stub(struct hotspot_step *step);
/* Gives the frame the location that stands for frames in the heap, which the stack lacks. */
int hotspot_name_gap(struct hotspot_step *step);
/*
 * Gives the frame the location of @pc in the step's blob, a compiled method; it has the methods
 * inlined there, too.
 */
int hotspot_name_compiled(struct hotspot_step *step, uint64_t pc);
/*
 * Gives the frame the location of the source line that @bytecode, an address, belongs to in the
 * interpreted method at @address.
 */
int hotspot_name_interpreted(struct hotspot_step *step, uint64_t address, uint64_t bytecode);

/* These functions are in hotspot_caller.c. */
/* Reads a word of the copied stack. False: the copy does not contain it. */
bool hotspot_read_stack(const struct hotspot_step *step, uint64_t address, uint64_t *ret_word);
/*
 * Sets step->caller: its pc is the return address at @at, its stack begins at @at + 8, its frame
 * pointer is @fp. Does nothing if the copied stack does not contain @at.
 */
void hotspot_set_caller(struct hotspot_step *step, uint64_t at, uint64_t fp);
/* Calls hotspot_set_caller() with the frame pointer that is saved in the word below @at. */
void hotspot_set_caller_saved(struct hotspot_step *step, uint64_t at);
/*
 * Can @pc be a return address into generated code: is @pc - 1 in a blob? 1; 0; -EAGAIN: memory is
 * needed first; -ENOMEM.
 */
int hotspot_is_return(struct hotspot_step *step, uint64_t pc);

/*
 * hotspot_interpreter.c: finds the caller of a frame of the interpreter. 1; -EAGAIN: memory is
 * needed first; -ENOMEM.
 */
int hotspot_step_interpreted(struct hotspot_step *step);

/*
 * hotspot_compiled.c: finds the caller and the location of a frame of a compiled method. 1;
 * -EAGAIN: memory is needed first; -ENOMEM.
 */
int hotspot_step_compiled(struct hotspot_step *step);
/*
 * Finds the caller of a frame of fixed size, that of a compiled method or of a stub. 1; -EAGAIN:
 * memory is needed first; -ENOMEM.
 */
int hotspot_leave_fixed(struct hotspot_step *step);

/*
 * hotspot_stub.c: finds the caller and the location of a frame of unknown size: the return address
 * is on top of the stack, behind words that the stub pushed, or where the frame pointer leads. 1;
 * -EAGAIN: memory is needed first; -ENOMEM.
 */
int hotspot_step_stub(struct hotspot_step *step);
/*
 * Sets step->caller from the frame that the frame pointer points to: the saved frame pointer, and
 * the return address above it. The stub that checks at the entry of a method whether its code is
 * still valid has a word of all ones between the two.
 */
void hotspot_leave_by_pointer(struct hotspot_step *step);
/*
 * Does the frame belong to the return barrier? The barrier is the beginning of a stub to which the
 * last frame of a virtual thread on the stack returns; the stub fetches more frames from the heap.
 * 1; 0; -EAGAIN: memory is needed first; -ENOMEM.
 */
int hotspot_is_return_barrier(struct hotspot_step *step);

/*
 * hotspot_chunks.c: finds out where the frames of virtual threads in the heap are, and tells the
 * supervisor. The stack has a pointer to the object that leads to them. This object is read while
 * the thread runs; if it makes no sense, the next sample is tried. 1; -EAGAIN: memory is needed
 * first; -ENOMEM.
 */
int hotspot_find_chunks(struct hotspot_step *step);

/*
 * hotspot_step.c: finds the caller and the location of a frame of generated code. 1; 0: it is not
 * code of HotSpot; -EAGAIN: memory is needed first; -ENOMEM.
 */
int hotspot_step_frame(struct hotspot *hotspot, const struct unwind_runtime_frame *frame,
	struct unwind_runtime_caller *ret_caller);

#endif
