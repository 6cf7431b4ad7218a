/* SPDX-License-Identifier: MIT */
/* State and functions that the sources of pprof_read() share. */
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

	uint32_t *string; /* offsets in the file of the fields with the strings */
	size_t strings;
	struct ids longs;    /* strings of POOL_LONG_BYTES or more: ids in the profile's pool */
	uint64_t used_bytes; /* bytes of strings, counted at each reference; bounded */

	struct pprof_column *column;
	size_t columns;
	bool has_samples, has_cpu;
	bool has_remarks; /* sprofil's audit figures and notes are in the file */
	int64_t period;
	int64_t cpu_of_sample; /* CPU time per sample in ns; 0: unknown, or in a column */

	struct ids mappings, functions, locations;
	int no_mapping; /* index of the mapping for locations without one; -1: not needed yet */

	struct location_line *line;
	size_t line_room;
	uint32_t *stack;
	size_t stack_room;
	uint32_t *sample; /* sample[i]: index in the profile of the file's sample i */
	size_t samples, sample_room;

	struct label *label; /* of the current sample */
	size_t label_room, labels;
	struct byte_span last_labels; /* bytes of the last sample's labels, in the file */
	int last_task;                /* the task of last_labels; -1: none yet */
	uint32_t last_set;            /* set of those last_labels that are not the task's */

	struct scan_arena arena;
};

/* Sets the problem, a constant sentence, and returns -EBADMSG. */
int pprof_reading_bad(struct reading *r, const char *problem);

/*
 * Unpacks a message, which is valid until the next pprof_reading_unpack(). 0; -ENOMEM; -EBADMSG,
 * with the problem set: the field is no such message.
 */
int pprof_reading_unpack(struct reading *r, const struct field *field,
	const ProtobufCMessageDescriptor *descriptor, ProtobufCMessage **ret_message);

/*
 * Returns a string, which is in the profile's pool then. NULL: out of memory; or, with the problem
 * set, the string is missing, or r->used_bytes too large.
 */
const char *pprof_reading_text(struct reading *r, int64_t index);

/* Handles a field of the top level. 0; -EBADMSG, with the problem set; -ENOMEM. */
typedef int reading_take(struct reading *r, const struct field *field);

#endif
