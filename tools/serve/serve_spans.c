/* SPDX-License-Identifier: MIT */
#include "tools/serve/serve_spans.h"

#include <errno.h>
#include <stdlib.h>

#include "base/clock.h"
#include "profile/pprof.h"
#include "profile/profile.h"
#include "profile/timeline.h"
#include "proto/piece.h"

struct span {
	uint64_t from_ns, to_ns, realtime_ns;
	uint64_t until_ns;    /* end of the latest piece, at most to_ns */
	struct profile *sum;  /* sum of the pieces so far; NULL: none */
	uint32_t low;         /* the first segment (proto/piece.h) that may overlap the span */
	uint32_t first, last; /* segment in which the span begins; in which it ends; 0: unknown */
	uint32_t behind;      /* the first segment known to begin after the span's end; 0: none */
	uint32_t segments;    /* segments whose pieces have come */
	int error;
};

void spans_init(struct spans *spans, const char *name)
{
	*spans = (struct spans){.name = name};
}

void spans_release(struct spans *spans)
{
	while (spans->n)
		spans_end(spans, spans->span[0]);
}

struct span *spans_begin(struct spans *spans, uint64_t from_ns, uint64_t to_ns)
{
	struct span *span = spans->n < SPANS_MOST ? calloc(1, sizeof(*span)) : NULL;

	if (!span)
		return NULL;
	*span = (struct span){.from_ns = from_ns,
		.to_ns = to_ns,
		.realtime_ns = clock_read(CLOCK_REALTIME),
		.until_ns = from_ns,
		.low = spans->whole_segment + 1};
	spans->span[spans->n++] = span;
	return span;
}

void spans_end(struct spans *spans, struct span *span)
{
	for (size_t i = 0; i < spans->n; i++) {
		if (spans->span[i] != span)
			continue;
		spans->span[i] = spans->span[--spans->n];
		profile_free(span->sum);
		free(span);
		return;
	}
}

/*
 * Does the span need the piece's content? A piece of a segment that continues is needed only if the
 * piece reaches the span's end. Otherwise a later piece of the segment contains its records, too.
 */
static bool wants(const struct span *span, const struct piece *piece)
{
	return piece->until_ns > span->from_ns && piece->began_ns < span->to_ns &&
		piece->segment >= span->low && piece->segment != span->last &&
		(piece->kind == PIECE_WHOLE || piece->until_ns >= span->to_ns);
}

bool spans_announced(struct spans *spans, const struct piece *piece)
{
	bool wanted = false;

	if (piece->kind == PIECE_WHOLE && piece->segment > spans->whole_segment)
		spans->whole_segment = piece->segment;
	for (size_t i = 0; i < spans->n; i++) {
		struct span *span = spans->span[i];

		wanted |= wants(span, piece);
		if (piece->until_ns <= span->from_ns && piece->kind == PIECE_WHOLE &&
			piece->segment >= span->low)
			span->low = piece->segment + 1;
		/*
		 * If a span ends between two segments, no piece reaches the span's end. But a
		 * segment that begins after the span's end shows that the span needs no more pieces
		 * than those of the segments before it.
		 */
		if (piece->began_ns >= span->to_ns &&
			(!span->behind || piece->segment < span->behind))
			span->behind = piece->segment;
	}
	return wanted;
}

/*
 * Makes the executable's mapping the main one: viewers such as pprof name the profile after the
 * main mapping.
 */
static int set_main(struct profile *sum, const struct profile *profile)
{
	struct mapping mapping;
	int index;

	if (!profile_mappings(profile))
		return 0;
	mapping = profile_mapping(profile, profile_main(profile));
	mapping.has_functions = mapping.has_lines = mapping.has_inlines = false;
	index = profile_add_mapping(sum, &mapping);
	if (index >= 0)
		profile_set_main(sum, (uint32_t)index);
	return index < 0 ? index : 0;
}

static int add(struct span *span, const struct piece *piece, const struct profile *profile)
{
	uint64_t from = span->from_ns > piece->began_ns ? span->from_ns - piece->began_ns : 0;
	struct profile *part;
	int r = 0;

	if (!span->sum)
		r = profile_new(&span->sum);
	if (r == 0)
		r = set_main(span->sum, profile);
	if (r == 0)
		profile_set_period(span->sum, profile_period_ns(profile));
	if (r == 0)
		r = timeline_span(profile, from, span->to_ns - piece->began_ns, &part);
	if (r == -ENODATA)
		return 0; /* no process ran in that time */
	if (r < 0)
		return r;
	profile_forget_remarks(part);
	timeline_forget(part);
	r = profile_merge(span->sum, part);
	profile_free(part);
	return r;
}

static void note_segment(struct span *span, const struct piece *piece)
{
	span->segments++;
	if (piece->began_ns <= span->from_ns)
		span->first = piece->segment;
	if (piece->until_ns >= span->to_ns)
		span->last = piece->segment;
	if (piece->until_ns > span->until_ns)
		span->until_ns = piece->until_ns < span->to_ns ? piece->until_ns : span->to_ns;
}

int spans_take(struct spans *spans, const struct piece *piece, const struct profile *profile)
{
	int error = 0;

	for (size_t i = 0; i < spans->n; i++) {
		struct span *span = spans->span[i];
		int r = wants(span, piece) ? add(span, piece, profile) : 0;

		if (wants(span, piece))
			note_segment(span, piece);
		if (r < 0)
			error = span->error = r;
	}
	return error;
}

void spans_close(struct spans *spans)
{
	spans->closed = true;
}

/*
 * Has a piece come of each segment that overlaps the span? False also if those segments are not
 * known yet.
 */
static bool is_whole(const struct span *span)
{
	uint32_t first = span->first ? span->first : span->low;
	uint32_t behind = span->last ? span->last + 1 : span->behind;

	return behind && span->segments == behind - first;
}

bool spans_is_over(const struct spans *spans, const struct span *span, uint64_t now)
{
	return spans->closed || is_whole(span) || now >= span->to_ns + SPANS_PATIENCE_NS;
}

bool spans_want_piece(const struct spans *spans, uint64_t now)
{
	for (size_t i = 0; i < spans->n; i++) {
		const struct span *span = spans->span[i];

		if (now >= span->to_ns && !span->last && !span->behind)
			return true;
	}
	return false;
}

uint64_t spans_next(const struct spans *spans, uint64_t now)
{
	uint64_t next = UINT64_MAX;

	for (size_t i = 0; i < spans->n; i++) {
		uint64_t at = spans->span[i]->to_ns;

		if (at <= now)
			at += SPANS_PATIENCE_NS;
		/*
		 * The span is over, but still there, as its profile waits for room in a pipe: check
		 * again in 1 s.
		 */
		if (at <= now)
			at = now + CLOCK_SECOND_NS;
		if (at < next)
			next = at;
	}
	return next;
}

int spans_write(const struct spans *spans, struct span *span, uint8_t **ret_data, size_t *ret_bytes)
{
	uint64_t until_ns = is_whole(span) ? span->to_ns : span->until_ns;
	int r = span->error;

	if (r == 0 && !span->sum)
		return -ENODATA;
	if (r == 0)
		r = profile_set_command(span->sum, spans->name);
	if (r < 0)
		return r;
	/* The merged profiles have the times of their segments: replaces them by the span's. */
	profile_set_time(span->sum, span->realtime_ns, until_ns - span->from_ns);
	return pprof_write(span->sum, ret_data, ret_bytes);
}
