/* SPDX-License-Identifier: MIT */
/*
 * Spans of time that somebody wants the profile of, and the pieces (proto/piece.h) that they are
 * made of. Spans may overlap, and go on over several segments, whose pieces come in any order. No
 * input or output; times are CLOCK_MONOTONIC.
 */
#ifndef TOOLS_SERVE_SPANS_H
#define TOOLS_SERVE_SPANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct piece;
struct profile;
struct span;

enum { SPANS_MOST = 16 };
/* How long after its end a span is waited for that lacks a piece. */
#define SPANS_PATIENCE_NS UINT64_C(20000000000)

struct spans {
	const char *name; /* what is profiled: the command line of their profiles */
	struct span *span[SPANS_MOST];
	size_t n;
	uint32_t whole_segment; /* the last one that is known to be over */
	bool closed;            /* no piece comes any more */
};

void spans_init(struct spans *spans, const char *name);
void spans_release(struct spans *spans);

/* NULL: there are too many, or no memory. */
struct span *spans_begin(struct spans *spans, uint64_t from_ns, uint64_t to_ns);
/* It is not wanted any more, or has been answered. */
void spans_end(struct spans *spans, struct span *span);

/* A piece is announced. False: nobody wants what is in it. */
bool spans_announced(struct spans *spans, const struct piece *piece);
/* It is there. -errno: some of it is missing in the spans that wanted it. */
int spans_take(struct spans *spans, const struct piece *piece, const struct profile *profile);
/* No piece comes any more: all spans are over. */
void spans_close(struct spans *spans);

/* All of it is there, or all that will ever be. */
bool spans_is_over(const struct spans *spans, const struct span *span, uint64_t now_ns);
/* A span is past its end and lacks the piece that has it. */
bool spans_want_piece(const struct spans *spans, uint64_t now_ns);
/* When the next span is past its end, or is given up: UINT64_MAX never. */
uint64_t spans_next(const struct spans *spans, uint64_t now_ns);

/*
 * The span as a pprof file that the caller frees: without time line, notes and command line.
 * -errno; -ENODATA: no piece of it came.
 */
int spans_write(
	const struct spans *spans, struct span *span, uint8_t **ret_data, size_t *ret_bytes);

#endif
