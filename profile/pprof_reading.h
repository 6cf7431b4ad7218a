/* SPDX-License-Identifier: MIT */
/*
 * The inside of reading a pprof file: pprof_read.c, pprof_sample.c for its samples, and
 * pprof_head.c for what is said but once.
 */
#ifndef PROFILE_PPROF_READING_H
#define PROFILE_PPROF_READING_H

#include "profile/labels.h"
#include "profile/pprof_scan.h"
#include "profile/pprof_types.h"
#include "profile/profile.h"

struct reading {
	struct profile *profile;
	struct span file;
	const char *problem;

	char *text;     /* all strings of the file, each with a NUL */
	size_t *string; /* where each begins in it */
	size_t strings;

	struct pprof_column *column;
	size_t columns;
	bool has_samples, has_cpu;
	bool has_remarks; /* our figures and notes */
	int64_t period;
	int64_t cpu_of_sample; /* what a sample stands for, if no column tells; else 0 */

	struct ids mappings, functions, locations;
	int no_mapping; /* index of the mapping of locations without one, -1 not needed yet */

	struct location_line *line;
	size_t line_room;
	uint32_t *stack;
	size_t stack_room;
	uint32_t *sample; /* by sample of the file: its index in the model */
	size_t samples, sample_room;

	struct label *label; /* of the sample under way */
	size_t label_room, labels;
	struct span last_labels; /* of the last sample, in the file */
	int last_task;           /* what they say, -1 none yet */
	uint32_t last_set;

	struct scan_arena arena;
};

/* Notes what is wrong, and returns -EBADMSG. */
int pprof_reading_bad(struct reading *r, const char *problem);

/* The part in @field, valid until the next one is unpacked. */
int pprof_reading_unpack(struct reading *r, const struct field *field,
	const ProtobufCMessageDescriptor *descriptor, ProtobufCMessage **ret_message);

/* NULL, and the problem: there is no such string. */
const char *pprof_reading_text(struct reading *r, int64_t index);

/* Each takes a field of the top level. The period comes before its type, the values before both. */
typedef int reading_take(struct reading *r, const struct field *field);

reading_take pprof_head_value_type;
reading_take pprof_head_period;
reading_take pprof_head_period_type;
reading_take pprof_head_time_nanos;
reading_take pprof_head_duration_nanos;
reading_take pprof_head_default_type;
reading_take pprof_head_comment;
/* The same for comments that other programs do not show; comes before those that they do. */
reading_take pprof_head_remark;

/* A sample; mappings, functions and locations are read. */
reading_take pprof_sample_read;

#endif
