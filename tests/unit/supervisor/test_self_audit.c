/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "supervisor/engine/engine_state.h"
#include "supervisor/engine/figures.h"
#include "supervisor/output/self_audit.h"

static void test_self_audit__quantiles_are_within_a_bucket(void **state)
{
	static struct audit_histogram h;

	(void)state;
	memset(&h, 0, sizeof(h));
	assert_int_equal(audit_histogram_quantile(&h, 500), 0);
	for (uint64_t ns = 1; ns <= 100000; ns++)
		audit_histogram_add(&h, ns);
	assert_in_range(audit_histogram_quantile(&h, 500), 48000, 52000);
	assert_in_range(audit_histogram_quantile(&h, 990), 96000, 100000);
	assert_int_equal(audit_histogram_quantile(&h, 1000), 100000);
	assert_int_equal(h.max_ns, 100000);
}

static void test_self_audit__extremes_have_a_bucket(void **state)
{
	static struct audit_histogram h;

	(void)state;
	memset(&h, 0, sizeof(h));
	audit_histogram_add(&h, 0);
	audit_histogram_add(&h, 1);
	assert_int_equal(audit_histogram_quantile(&h, 500), 1);
	audit_histogram_add(&h, UINT64_MAX);
	assert_int_equal(h.max_ns, UINT64_MAX);
	assert_in_range(audit_histogram_quantile(&h, 1000), UINT64_C(1) << 39, UINT64_MAX);
}

static void test_self_audit__one_value_is_its_own_quantile(void **state)
{
	static struct audit_histogram h;

	(void)state;
	memset(&h, 0, sizeof(h));
	audit_histogram_add(&h, 20000);
	assert_in_range(audit_histogram_quantile(&h, 500), 19400, 20000);
}

static void test_self_audit__prints_lines_or_refuses(void **state)
{
	static const struct audit_figure figures[] = {
		{"stops", 7, true}, {"looks", 8, false}, {"wall_ns", UINT64_MAX, true}};
	static const char wanted[] = "stops 7\nwall_ns 18446744073709551615\n";
	char text[sizeof(wanted)];

	(void)state;
	assert_int_equal(audit_print(figures, 3, text, sizeof(text)), sizeof(wanted) - 1);
	assert_string_equal(text, wanted);
	assert_int_equal(audit_print(figures, 3, text, sizeof(text) - 1), -ENOSPC);
}

/* Of what is counted for the whole run, a file has what was added since it began. */
static void test_self_audit__collects_the_figures_of_a_file(void **state)
{
	static const struct engine_options options = {.descendants_left = 2};
	static struct engine engine = {.options = &options};
	char text[FIGURES_BYTES];

	(void)state;
	engine.audit.stops = 7;
	engine.audit.began_ns = 10;
	engine.audit.unwatched_threads = 1;
	engine.files.unwatched = 3;
	engine.sampling.question = (struct audit_histogram){.total = 3, .max_ns = 9};
	engine.sampling.sampler.figures = (struct sample_figures){50, 40, 30, 20, 10};
	engine.rotation.sampled = (struct sample_figures){1, 2, 3, 4, 5};
	engine.bounds.cost.total_ns = 5;
	engine.rotation.cost_ns = 6; /* a calibration has made it less */
	engine.sessions.figures = (struct session_figures){9, 8, 7, 6};
	engine.rotation.calls = (struct session_figures){1, 1, 1, 1};
	engine.restarter.repaired = 12;
	engine.rotation.repaired = 1;
	engine.couriers.given_up = engine.rotation.undelivered = 4;
	assert_true(figures_print(&engine, 30, text));
	for (const char *const *line = (const char *const[]){"\nstops 7\n", "\nwall_ns 20\n",
		     "\nunwatched_threads 4\n", "\nquestions 3\n", "\nquestion_ns_max 9\n",
		     "\ninstants 49\n", "\nlate_instants 38\n", "\nunproved_stops 27\n",
		     "\nbusy_instants 16\n", "\nthrottled_instants 5\n", "\ncost_ns 0\n",
		     "\nrepaired_calls 11\n", "\nunrepaired_eintr 0\n", "\ndescendants_left 2\n",
		     "\nminor_faults 0\n", "\nsprofil_counted 8\n", "\nsprofil_dropped 7\n",
		     "\nsprofil_faults 6\n", "\nsprofil_lost 5\n", NULL};
		*line; line++)
		assert_non_null(strstr(text, *line));
	assert_null(strstr(text, "undelivered_pages"));
	assert_null(strstr(text, "blocked_ns"));
	assert_null(strstr(text, "recording"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_self_audit__quantiles_are_within_a_bucket),
		cmocka_unit_test(test_self_audit__extremes_have_a_bucket),
		cmocka_unit_test(test_self_audit__one_value_is_its_own_quantile),
		cmocka_unit_test(test_self_audit__prints_lines_or_refuses),
		cmocka_unit_test(test_self_audit__collects_the_figures_of_a_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
