/* SPDX-License-Identifier: MIT */
#include "profile/timeline.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "profile/model.h"
#include "profile/timeline_code.h"

enum { SCRATCH_BYTES = TIMELINE_HEAD_BYTES + TIMELINE_ROWS * TIMELINE_ROW_BYTES };

static void release(struct timeline *timeline)
{
	for (size_t i = 0; i < timeline->pieces; i++)
		free(timeline->piece[i].data);
	free(timeline->piece);
	free(timeline->open);
	free(timeline->scratch);
	*timeline = (struct timeline){0};
}

void timeline_forget(struct profile *profile)
{
	release(&profile->timeline);
}

void timeline_leave_out(struct profile *profile, const char *why)
{
	profile->timeline_left_out = why;
}

const char *timeline_why_left_out(const struct profile *profile)
{
	return profile->timeline_left_out;
}

size_t timeline_instants(const struct profile *profile)
{
	return profile->timeline.instants;
}

static int close_piece(struct timeline *timeline)
{
	size_t bytes = timeline_encode(timeline->open, timeline->scratch);
	uint8_t *data = malloc(bytes);

	if (!data ||
		array_add(&timeline->piece, &timeline->piece_room, &timeline->pieces,
			(struct timeline_piece){data, bytes}) < 0) {
		free(data);
		return -ENOMEM;
	}
	memcpy(data, timeline->scratch, bytes);
	timeline->bytes += bytes;
	timeline->open->n = 0;
	return 0;
}

static int append(struct timeline *timeline, const struct instant *instant)
{
	if (!timeline->open) {
		timeline->scratch = malloc(SCRATCH_BYTES);
		timeline->open = timeline->scratch ? malloc(sizeof(*timeline->open)) : NULL;
		if (!timeline->open) {
			free(timeline->scratch);
			timeline->scratch = NULL;
			return -ENOMEM;
		}
		timeline->open->n = 0;
	}
	if (timeline->open->n == TIMELINE_ROWS && close_piece(timeline) < 0)
		return -ENOMEM;
	timeline->open->row[timeline->open->n++] = *instant;
	if (!timeline->instants++ || instant->time_ns < timeline->first_ns)
		timeline->first_ns = instant->time_ns;
	if (instant->time_ns > timeline->last_ns)
		timeline->last_ns = instant->time_ns;
	return 0;
}

/*
 * Combines each two consecutive instants of a stack to one, which is appended to @thin. @waiting
 * (by stack): the instant that has not been combined yet; weight 0: none. If @next and the waiting
 * instant have different states, or the sum of their weights overflows, the waiting instant is
 * appended alone, and @next waits instead. 0 or -ENOMEM.
 */
static int pair_up(struct timeline *thin, struct instant *waiting, const struct instant *next)
{
	struct instant both = *next, *mine = &waiting[next->sample];

	if (!mine->weight_ns) {
		*mine = *next;
		return 0;
	}
	if (mine->state != next->state ||
		__builtin_add_overflow(mine->weight_ns, next->weight_ns, &both.weight_ns) ||
		both.weight_ns > INT64_MAX) {
		both = *mine;
		*mine = *next;
	} else {
		mine->weight_ns = 0;
	}
	return append(thin, &both);
}

/*
 * Combines each two instants of a stack to one. If the result still takes more than three quarters
 * of the limit, doubles the limit: otherwise the next thinning would be due soon, and would save
 * even less. 0 or -ENOMEM.
 */
static int thin_out(struct profile *profile)
{
	struct instant *waiting = calloc(profile->samples + 1, sizeof(*waiting)), instant;
	struct timeline thin = {.most = profile->timeline.most};
	struct timeline_cursor cursor;
	int r = waiting ? timeline_begin(&cursor, profile) : -ENOMEM;

	if (r < 0) {
		free(waiting);
		return r;
	}
	while (r >= 0 && timeline_next(&cursor, &instant))
		r = pair_up(&thin, waiting, &instant);
	timeline_end(&cursor);
	for (size_t i = 0; i < profile->samples && r >= 0; i++) {
		if (waiting[i].weight_ns)
			r = append(&thin, &waiting[i]);
	}
	free(waiting);
	if (r < 0) {
		release(&thin);
		return r;
	}
	release(&profile->timeline);
	profile->timeline = thin;
	if (thin.bytes > thin.most - thin.most / 4)
		profile->timeline.most = thin.most * 2;
	return 0;
}

int timeline_add(struct profile *profile, const struct instant *instant)
{
	struct timeline *timeline = &profile->timeline;

	if (instant->sample >= profile->samples || (unsigned)instant->state >= TIMELINE_STATES ||
		instant->weight_ns > INT64_MAX)
		return -EINVAL;
	if (!instant->weight_ns)
		return 0;
	if (!timeline->most)
		timeline->most = TIMELINE_MOST_BYTES;
	if (timeline->bytes > timeline->most && thin_out(profile) < 0)
		return -ENOMEM;
	return append(timeline, instant);
}

int timeline_begin(struct timeline_cursor *cursor, const struct profile *profile)
{
	*cursor = (struct timeline_cursor){.profile = profile};
	if (!profile->timeline.instants)
		return 0;
	cursor->rows = malloc(sizeof(*cursor->rows));
	if (!cursor->rows)
		return -ENOMEM;
	cursor->rows->n = 0;
	return 0;
}

void timeline_end(struct timeline_cursor *cursor)
{
	free(cursor->rows);
	cursor->rows = NULL;
}

bool timeline_next(struct timeline_cursor *cursor, struct instant *ret_instant)
{
	const struct timeline *timeline = &cursor->profile->timeline;

	while (cursor->rows && cursor->row == cursor->rows->n) {
		cursor->row = 0;
		if (cursor->piece > timeline->pieces) {
			return false;
		} else if (cursor->piece == timeline->pieces) {
			cursor->rows->n = timeline->open->n;
			memcpy(cursor->rows->row, timeline->open->row,
				timeline->open->n * sizeof(*timeline->open->row));
		} else if (timeline_decode(timeline->piece[cursor->piece].data,
				   timeline->piece[cursor->piece].bytes, cursor->rows) < 0) {
			return false;
		}
		cursor->piece++;
	}
	if (!cursor->rows)
		return false;
	*ret_instant = cursor->rows->row[cursor->row++];
	return true;
}

bool timeline_bounds(const struct profile *profile, uint64_t *ret_first_ns, uint64_t *ret_last_ns)
{
	const struct timeline *timeline = &profile->timeline;
	uint64_t began = profile->realtime_ns;

	if (!timeline->instants)
		return false;
	*ret_first_ns = timeline->first_ns > began ? timeline->first_ns - began : 0;
	*ret_last_ns = timeline->last_ns > began ? timeline->last_ns - began : 0;
	return true;
}

bool timeline_extent(const struct profile *profile, uint64_t *ret_from_ns, uint64_t *ret_to_ns)
{
	uint64_t first, last, to;

	if (!timeline_bounds(profile, &first, &last))
		return false;
	to = profile->part_to_ns ? profile->part_to_ns : profile->duration_ns;
	*ret_from_ns = profile->part_from_ns < first ? profile->part_from_ns : first;
	*ret_to_ns = to > last ? to : last + 1;
	return true;
}
