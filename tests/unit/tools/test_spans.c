/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "profile/pprof.h"
#include "proto/piece.h"
#include "tests/unit/timeline_fixture.h"
#include "tools/serve/serve_spans.h"

#define SECOND UINT64_C(1000000000)
/* when the fixture's profile begins, as a segment of 3 s */
#define BEGAN (1000 * SECOND)

static struct piece piece_at(enum piece_kind kind, uint32_t segment, uint64_t began_s, double s)
{
	return (struct piece){.kind = kind,
		.segment = segment,
		.began_ns = began_s * SECOND,
		.until_ns = began_s * SECOND + (uint64_t)(s * 1e9)};
}

static bool give(struct spans *spans, struct piece piece)
{
	struct profile *profile = fixture_timeline();
	bool wanted = spans_announced(spans, &piece);

	if (wanted)
		assert_int_equal(spans_take(spans, &piece, profile), 0);
	profile_free(profile);
	return wanted;
}

/* Checks a written span. Returns its CPU time in ms. */
static int64_t written_ms(const struct spans *spans, struct span *span, uint64_t *ret_duration_ns)
{
	struct profile *profile;
	uint8_t *data;
	size_t bytes;
	int64_t cpu_ns = 0;

	assert_int_equal(spans_write(spans, span, &data, &bytes), 0);
	assert_int_equal(pprof_read(data, bytes, &profile, NULL), 0);
	free(data);
	assert_string_equal(profile_command(profile), "phases");
	assert_int_equal(profile_notes(profile), 0);
	assert_int_equal(timeline_instants(profile), 0);
	assert_int_equal(profile_period_ns(profile), 4 * FIXTURE_MS);
	*ret_duration_ns = profile_duration_ns(profile);
	for (size_t i = 0; i < profile_samples(profile); i++)
		cpu_ns += profile_sample(profile, i).value[VALUE_CPU_NS];
	profile_free(profile);
	return cpu_ns / (int64_t)FIXTURE_MS;
}

static void test_spans__a_span_is_cut_out_of_a_segment_that_goes_on(void **state)
{
	struct spans spans;
	struct span *span;
	uint64_t duration;

	(void)state;
	spans_init(&spans, "phases");
	span = spans_begin(&spans, BEGAN + SECOND, BEGAN + 2 * SECOND);
	assert_false(spans_want_piece(&spans, BEGAN + SECOND));
	assert_int_equal(spans_next(&spans, BEGAN + SECOND), BEGAN + 2 * SECOND);
	assert_int_equal(
		spans_next(&spans, BEGAN + 3 * SECOND), BEGAN + 2 * SECOND + SPANS_PATIENCE_NS);
	/* There is no later deadline, so polls do not return at once. */
	assert_true(spans_next(&spans, BEGAN + 2 * SECOND + SPANS_PATIENCE_NS) >
		BEGAN + 2 * SECOND + SPANS_PATIENCE_NS);
	assert_true(spans_want_piece(&spans, BEGAN + 2 * SECOND));
	/* A piece that ends before the span is refused while the segment goes on. */
	assert_false(give(&spans, piece_at(PIECE_SO_FAR, 1, 1000, 1.9)));
	assert_false(spans_is_over(&spans, span, BEGAN + 2 * SECOND));
	assert_true(give(&spans, piece_at(PIECE_SO_FAR, 1, 1000, 2.5)));
	assert_true(spans_is_over(&spans, span, BEGAN + 2 * SECOND));
	assert_int_equal(written_ms(&spans, span, &duration), 800);
	assert_int_equal(duration, SECOND);
	/* A second piece of the segment is refused. */
	assert_false(give(&spans, piece_at(PIECE_WHOLE, 1, 1000, 3)));
	spans_release(&spans);
}

static void test_spans__segments_may_come_in_any_order(void **state)
{
	struct spans spans;
	struct span *late, *early;
	uint64_t duration;

	(void)state;
	spans_init(&spans, "phases");
	/* @early reaches from 2.5 s of the first segment to 1 s of the third one. */
	early = spans_begin(&spans, BEGAN + 5 * SECOND / 2, BEGAN + 11 * SECOND);
	late = spans_begin(&spans, BEGAN + 10 * SECOND, BEGAN + 11 * SECOND);
	assert_true(give(&spans, piece_at(PIECE_SO_FAR, 3, 1010, 1)));
	assert_true(spans_is_over(&spans, late, BEGAN + 11 * SECOND));
	assert_false(spans_is_over(&spans, early, BEGAN + 11 * SECOND));
	assert_true(give(&spans, piece_at(PIECE_WHOLE, 1, 1000, 3)));
	assert_false(spans_is_over(&spans, early, BEGAN + 11 * SECOND));
	assert_true(give(&spans, piece_at(PIECE_WHOLE, 2, 1005, 3)));
	assert_true(spans_is_over(&spans, early, BEGAN + 11 * SECOND));
	/* 0.5 s of the first segment, 3.3 s of the second and 1 s of the third */
	assert_int_equal(written_ms(&spans, early, &duration), 500 + 3300 + 1000);
	assert_int_equal(duration, 17 * SECOND / 2);
	assert_int_equal(written_ms(&spans, late, &duration), 1000);
	spans_release(&spans);
}

static void test_spans__what_ended_before_is_not_waited_for(void **state)
{
	struct spans spans;
	struct span *before, *after;

	(void)state;
	spans_init(&spans, "phases");
	/* The end of the first segment becomes known between the two requests. */
	before = spans_begin(&spans, BEGAN + 4 * SECOND, BEGAN + 6 * SECOND);
	assert_false(give(&spans, piece_at(PIECE_WHOLE, 1, 1000, 3)));
	after = spans_begin(&spans, BEGAN + 4 * SECOND, BEGAN + 6 * SECOND);
	assert_true(give(&spans, piece_at(PIECE_SO_FAR, 2, 1005, 1)));
	assert_true(spans_is_over(&spans, before, BEGAN + 6 * SECOND));
	assert_true(spans_is_over(&spans, after, BEGAN + 6 * SECOND));
	spans_release(&spans);
}

/* No segment exists while the next analyst starts. */
static void test_spans__a_span_may_end_between_two_segments(void **state)
{
	struct spans spans;
	struct span *span;
	uint64_t duration;

	(void)state;
	spans_init(&spans, "phases");
	span = spans_begin(&spans, BEGAN + SECOND, BEGAN + 3 * SECOND + SECOND / 2);
	/* The next segment excludes one between; the one that ended is still awaited. */
	assert_false(give(&spans, piece_at(PIECE_SO_FAR, 2, 1004, 0.5)));
	assert_false(spans_want_piece(&spans, BEGAN + 4 * SECOND));
	assert_false(spans_is_over(&spans, span, BEGAN + 4 * SECOND));
	assert_false(give(&spans, piece_at(PIECE_WHOLE, 3, 1006, 1)));
	assert_false(spans_is_over(&spans, span, BEGAN + 4 * SECOND));
	assert_true(give(&spans, piece_at(PIECE_WHOLE, 1, 1000, 3)));
	assert_true(spans_is_over(&spans, span, BEGAN + 4 * SECOND));
	(void)written_ms(&spans, span, &duration);
	assert_int_equal(duration, 2 * SECOND + SECOND / 2);
	spans_release(&spans);
}

static void test_spans__a_piece_that_does_not_come_is_given_up(void **state)
{
	struct spans spans;
	struct span *span;
	uint64_t end = BEGAN + 11 * SECOND, duration;
	uint8_t *data;
	size_t bytes;

	(void)state;
	spans_init(&spans, "phases");
	span = spans_begin(&spans, BEGAN, end);
	assert_int_equal(spans_write(&spans, span, &data, &bytes), -ENODATA);
	assert_true(give(&spans, piece_at(PIECE_SO_FAR, 3, 1010, 1)));
	assert_false(spans_is_over(&spans, span, end + SPANS_PATIENCE_NS - 1));
	assert_true(spans_is_over(&spans, span, end + SPANS_PATIENCE_NS));
	assert_int_equal(written_ms(&spans, span, &duration), 1000);
	spans_release(&spans);
}

static void test_spans__the_end_of_all_is_the_end_of_a_span(void **state)
{
	struct spans spans;
	struct span *span;
	uint64_t duration;

	(void)state;
	spans_init(&spans, "phases");
	span = spans_begin(&spans, BEGAN, BEGAN + 60 * SECOND);
	assert_true(give(&spans, piece_at(PIECE_WHOLE, 1, 1000, 3)));
	assert_false(spans_is_over(&spans, span, BEGAN + 4 * SECOND));
	spans_close(&spans);
	assert_true(spans_is_over(&spans, span, BEGAN + 4 * SECOND));
	assert_int_equal(written_ms(&spans, span, &duration), 3300);
	assert_int_equal(duration, 3 * SECOND);
	spans_release(&spans);
}

static void test_spans__are_bounded(void **state)
{
	struct spans spans;
	struct span *last = NULL;

	(void)state;
	spans_init(&spans, "phases");
	for (int i = 0; i < SPANS_MOST; i++) {
		last = spans_begin(&spans, BEGAN, BEGAN + SECOND);
		assert_non_null(last);
	}
	assert_null(spans_begin(&spans, BEGAN, BEGAN + SECOND));
	spans_end(&spans, last);
	assert_non_null(spans_begin(&spans, BEGAN, BEGAN + SECOND));
	spans_release(&spans);
	assert_int_equal(spans_next(&spans, BEGAN), UINT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_spans__a_span_is_cut_out_of_a_segment_that_goes_on),
		cmocka_unit_test(test_spans__segments_may_come_in_any_order),
		cmocka_unit_test(test_spans__what_ended_before_is_not_waited_for),
		cmocka_unit_test(test_spans__a_span_may_end_between_two_segments),
		cmocka_unit_test(test_spans__a_piece_that_does_not_come_is_given_up),
		cmocka_unit_test(test_spans__the_end_of_all_is_the_end_of_a_span),
		cmocka_unit_test(test_spans__are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
