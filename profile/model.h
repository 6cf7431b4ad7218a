/* SPDX-License-Identifier: MIT */
/* The representation of struct profile, for the files of profile/ only. */
#ifndef PROFILE_MODEL_H
#define PROFILE_MODEL_H

#include "base/pool.h"
#include "base/table.h"
#include "profile/foreign.h"
#include "profile/labels.h"
#include "profile/profile.h"
#include "profile/timeline.h"

struct location_item {
	uint64_t address;
	size_t first; /* first of its lines in location_line[] */
	uint32_t mapping;
	uint32_t lines;
	bool named; /* the lines are part of its identity, and it is in named_table */
};

struct task_item {
	struct task task;
	uint64_t cpu_ns;
	bool has_cpu_ns;
};

struct sample_item {
	size_t first; /* first frame of its stack in frame[] */
	uint32_t n;
	uint32_t task;
	uint32_t labels; /* set of labels (labels.h) */
};

struct label_set {
	size_t first; /* first label of the set in label[] */
	size_t n;
};

struct audit_item {
	uint32_t key;
	uint64_t value;
};

/* A full piece of the time line, encoded (timeline_code.h). */
struct timeline_piece {
	uint8_t *data;
	size_t bytes;
};

struct timeline {
	struct timeline_rows *open; /* rows that do not fill a piece yet; NULL: none */
	uint8_t *scratch;           /* buffer for the encoding of a piece */
	struct timeline_piece *piece;
	size_t pieces, piece_room;
	size_t bytes;    /* bytes of all pieces */
	size_t instants; /* number of instants, also those not yet in a piece */
	uint64_t first_ns, last_ns;
	size_t most; /* limit of @bytes before it is thinned; 0: TIMELINE_MOST_BYTES */
};

struct profile {
	struct pool strings;
	const char *unsampled; /* the pool's copy of PROFILE_UNSAMPLED; NULL: no such function */

	uint32_t main; /* mapping of the main program */
	size_t value_types;
	size_t default_value; /* SIZE_MAX: none */
	struct value_type value_type[VALUE_TYPES_MAX];

	/* Texts in these structures are strings of the pool, so equal ones are equal pointers. */
	struct mapping *mapping;
	struct function *function;
	struct location_item *location;
	struct location_line *location_line;
	struct task_item *task;
	struct sample_item *sample;
	uint32_t *frame;
	int64_t *value; /* value_types values per sample */
	struct audit_item audit[PROFILE_AUDITS_MAX];
	uint32_t *note;
	struct label *label;
	struct label_set *label_set;

	size_t mappings, mapping_room;
	size_t functions, function_room;
	size_t locations, location_room;
	size_t location_lines, location_line_room;
	size_t tasks, task_room;
	size_t samples, sample_room;
	size_t frames, frame_room;
	size_t value_room;
	size_t audits;
	size_t notes, note_room;
	size_t labels, label_room;
	size_t label_sets, label_set_room;

	struct table mapping_table, function_table, task_table, sample_table, note_table,
		label_table;
	struct table location_table; /* by mapping and address: at most one for each pair */
	struct table named_table;    /* the named locations, by mapping, address and lines */
	bool named_is_stale;         /* a named location got other lines, so refill named_table */

	struct timeline timeline;
	const char *timeline_left_out; /* why there is no time line; NULL: it was not left out */

	struct foreign foreign;
	uint32_t command;
	uint64_t realtime_ns, duration_ns, period_ns;
	/*
	 * bounds in ns of the span of time that timeline_span() took; both 0: it did not; not
	 * stored in files
	 */
	uint64_t part_from_ns, part_to_ns;
};

#endif
