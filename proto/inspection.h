/* SPDX-License-Identifier: MIT */
/*
 * Requests of sprofreport to sprofil-inspector, the process that reads ELF files for sprofreport,
 * and the answers. Both are streams of little-endian records. A record begins with its kind. A text
 * ends with a NUL; it is cut after INSPECTION_TEXT_MOST bytes.
 *
 * Requests, one object after the other:
 *
 *   size  field
 *      1  kind         INSPECTION_OBJECT
 *      1  skip         enum symbolizer_skip: how much of the file to skip
 *      8  start        of the mapping, as in the profile
 *      8  limit
 *      8  offset
 *         build_id     text; "": unknown
 *         path         text
 *      4  addresses    number of addresses; they follow, each with these two fields:
 *
 *      1  code         1: send the instructions of the function at the address, too
 *      8  address
 *
 * Answers, for each object in turn:
 *
 *      1  INSPECTION_STATE
 *      1  found        1: the file exists, and is the one that was profiled
 *      4  named        number of addresses with a function's name
 *      4  lined        number of addresses with a source line
 *         symbols      text: the source of the names, "symtab" …
 *         lines        text: the file with DWARF, or "none"
 *         problem      text: what is missing; "": nothing
 *         language     text: "Go", or "": unknown
 *
 *      1  INSPECTION_INSTRUCTION, any number of these records
 *      8  address      as in the profile
 *         text         text: the disassembled instruction
 *      1  frames       number of frames; they follow, innermost first, each with these fields:
 *
 *         function     text
 *         file         text
 *      4  line
 *
 *      1  INSPECTION_PROBLEM, if instructions are missing
 *         problem      text
 *
 *      1  INSPECTION_END
 *
 * Or a single request: the profile of a histogram that a program took of itself.
 *
 *      1  kind         INSPECTION_HISTOGRAM
 *      1  skip
 *         program      text: its path, absolute
 *      8  bytes        of the mon.out (profile/monout.h) that follows, up to INSPECTION_FILE_MOST
 *
 * The answer: INSPECTION_PROBLEM, as above, or
 *
 *      1  INSPECTION_PROFILE
 *      8  bytes        of the profile (profile/pprof.h) that follows
 *
 *      1  INSPECTION_END
 */
#ifndef PROTO_INSPECTION_H
#define PROTO_INSPECTION_H

#include "proto/bytes.h"

enum inspection_kind {
	INSPECTION_OBJECT = 'O',
	INSPECTION_STATE = 'S',
	INSPECTION_INSTRUCTION = 'I',
	INSPECTION_PROBLEM = 'P',
	INSPECTION_END = 'E',
	INSPECTION_HISTOGRAM = 'H',
	INSPECTION_PROFILE = 'F',
	/* parts of other records: the stream has no kind for them */
	INSPECTION_ADDRESS = 256,
	INSPECTION_FRAME,
};

enum { INSPECTION_FRAMES_MOST = 128, INSPECTION_TEXT_MOST = 8191 };

#define INSPECTION_FILE_MOST ((size_t)128 << 20)

/* The structures borrow texts and data; decoded ones borrow from the span of the reader. */
struct inspection_object {
	uint8_t skip;
	uint64_t start, limit, offset;
	const char *build_id, *path;
	uint32_t addresses;
};

struct inspection_address {
	uint8_t code;
	uint64_t address;
};

struct inspection_state {
	uint8_t found;
	uint32_t named, lined;
	const char *symbols, *lines, *problem, *language;
};

struct inspection_instruction {
	uint64_t address;
	const char *text;
	uint8_t frames;
};

struct inspection_frame {
	const char *function, *file;
	uint32_t line;
};

struct inspection_problem {
	const char *problem;
};

struct inspection_histogram {
	uint8_t skip;
	const char *program;
	uint64_t bytes;
	const uint8_t *data;
};

struct inspection_profile {
	uint64_t bytes;
	const uint8_t *data;
};

/* Bytes that suffice for any record, not counting the member data of its structure. */
enum { INSPECTION_BYTES_MOST = 3 * (INSPECTION_TEXT_MOST + 1) + 64 };

/*
 * Writes @record, the structure of kind @kind. The caller writes the member data after it. Sets
 * w->bad if the record does not fit.
 */
void inspection_put(struct writer *w, enum inspection_kind kind, const void *record);

/*
 * Reads a record of kind @kind, from behind its kind on, into @ret_record, the structure of that
 * kind, including the member data. A missing or malformed field sets r->bad. Then this field and
 * all later ones are 0, a text is "", and data are NULL.
 */
void inspection_get(struct reader *r, enum inspection_kind kind, void *ret_record);

#endif
