/* SPDX-License-Identifier: MIT */
/*
 * Spans of time whose profile is requested. The profile of a span is merged from pieces
 * (proto/piece.h). Spans may overlap. A span may extend over several segments; a segment is the
 * records that one analyst takes. Pieces of different segments come in any order. No input or
 * output; times are CLOCK_MONOTONIC.
 */
#ifndef TOOLS_SERVE_SERVE_SPANS_H
#define TOOLS_SERVE_SERVE_SPANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct piece;
struct profile;
struct span;

enum { SPANS_MOST = 16 };
/* How long a span that lacks a piece is kept after its end. */
#define SPANS_PATIENCE_NS UINT64_C(20000000000)

struct spans {
	const char *name; /* what is profiled: the command line in the profiles */
	struct span *span[SPANS_MOST];
	size_t n;
	uint32_t whole_segment; /* the last segment known to be over */
	bool closed;            /* no more pieces will come */
};

void spans_init(struct spans *spans, const char *name);
void spans_release(struct spans *spans);

/* Requests the profile of a span. NULL: there are too many spans, or memory is short. */
struct span *spans_begin(struct spans *spans, uint64_t from_ns, uint64_t to_ns);
/* Removes a span that has been answered, or is no longer wanted. */
void spans_end(struct spans *spans, struct span *span);

/* Notes the announcement of a piece. False: no span wants the piece's content. */
bool spans_announced(struct spans *spans, const struct piece *piece);
/* Adds a piece to the spans that want it. -errno: at least one span lacks a part of the piece. */
int spans_take(struct spans *spans, const struct piece *piece, const struct profile *profile);
/* No more pieces will come: all spans are over. */
void spans_close(struct spans *spans);

/* Is the span complete, or given up? */
bool spans_is_over(const struct spans *spans, const struct span *span, uint64_t now_ns);
/* Has a span ended without a piece that reaches its end? The caller then requests a piece. */
bool spans_want_piece(const struct spans *spans, uint64_t now_ns);
/* Returns when the next span ends or is given up; UINT64_MAX: there is no span. */
uint64_t spans_next(const struct spans *spans, uint64_t now_ns);

/*
 * Writes the span's profile in the format of pprof; the caller frees *@ret_data. The profile's
 * command line is spans->name. It has no time line and no notes. 0 or -errno; -ENODATA: no piece of
 * the span came.
 */
int spans_write(
	const struct spans *spans, struct span *span, uint8_t **ret_data, size_t *ret_bytes);

#endif
