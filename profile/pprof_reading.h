/* SPDX-License-Identifier: MIT */
/* State and functions that pprof_read.c and the sources that it calls share. */
#ifndef PROFILE_PPROF_READING_H
#define PROFILE_PPROF_READING_H

#include "profile/labels.h"
#include "profile/pprof_scan.h"
#include "profile/pprof_types.h"
#include "profile/profile.h"

struct reading {
	struct profile *profile;
	struct byte_span file;
	const char *problem;

	char *text;          /* strings of the file, each with a NUL */
	uint64_t used_bytes; /* bytes of strings referred to, counted once per reference; bounded */
	/* All strings: in @text, long ones (POOL_LONG_BYTES) in the profile. */
	const char **string;
	size_t strings;

	struct pprof_column *column;
	size_t columns;
	bool has_samples, has_cpu;
	bool has_remarks; /* the file has our figures and notes */
	int64_t period;
	int64_t cpu_of_sample; /* CPU time of a sample if no column has it; otherwise 0 */

	struct ids mappings, functions, locations;
	int no_mapping; /* index of the mapping for locations without one, -1: not needed yet */

	struct location_line *line;
	size_t line_room;
	uint32_t *stack;
	size_t stack_room;
	uint32_t *sample; /* by sample of the file: its index in the model */
	size_t samples, sample_room;

	struct label *label; /* of the current sample */
	size_t label_room, labels;
	struct byte_span last_labels; /* bytes of the last sample's labels, in the file */
	int last_task;                /* the task that last_labels name, -1: none yet */
	uint32_t last_set;

	struct scan_arena arena;
};

/* Sets the problem, and returns -EBADMSG. */
int pprof_reading_bad(struct reading *r, const char *problem);

/* Unpacks the message in @field; it is valid until the next one is unpacked. -EBADMSG; -ENOMEM. */
int pprof_reading_unpack(struct reading *r, const struct field *field,
	const ProtobufCMessageDescriptor *descriptor, ProtobufCMessage **ret_message);

/*
 * Returns the string with this index; NULL, with the problem set: there is none, or the file refers
 * to its strings so often that to print them would take more than its size permits.
 */
const char *pprof_reading_text(struct reading *r, int64_t index);

/* Handles a field of the top level. 0; -EBADMSG, with the problem set; -ENOMEM. */
typedef int reading_take(struct reading *r, const struct field *field);

#endif
