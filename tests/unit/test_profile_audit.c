/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "profile/audit.h"
#include "tests/unit/profile_fixture.h"

/* The contract: `sprofreport summary` prints at least these. */
static const char *const promised[] = {"samples", "period_ns", "profiled_cpu_ns",
	"unattributed_cpu_ns", "kernel_cpu_ns", "wall_ns", "stops", "stop_ns_p50", "stop_ns_p99",
	"stop_ns_max", "stopped_ns", "lost_samples", "truncated_stacks", "unresolved_samples",
	"processes", "threads", "supervisor_cpu_ns", "analyst_cpu_ns", "repaired_calls",
	"unrepaired_eintr"};

static void test_profile_audit__knows_the_promised_keys(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(promised) / sizeof(*promised); i++) {
		const struct audit_key *key = audit_key_find(promised[i]);

		assert_non_null(key);
		assert_false(key->extra);
		assert_true(strlen(key->meaning) > 5);
		/* Its unit stands in its name. */
		assert_int_equal(key->unit == AUDIT_NS, strstr(key->key, "_ns") != NULL);
	}
	assert_null(audit_key_find("no_such_figure"));
}

static void test_profile_audit__derives_what_the_model_tells(void **state)
{
	static const struct {
		const char *key;
		uint64_t value;
	} expected[] = {
		{"samples", 100},
		{"profiled_cpu_ns", 400 * FIXTURE_MS},
		{"unattributed_cpu_ns", 4 * FIXTURE_MS},
		{"unresolved_samples", 10},
		{"processes", 1},
		{"threads", 2},
		{"wall_ns", 1000 * FIXTURE_MS},
		{"period_ns", 4 * FIXTURE_MS},
	};
	struct profile *profile = fixture_profile();
	uint64_t value;

	(void)state;
	for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++) {
		assert_true(audit_figure(profile, expected[i].key, &value));
		assert_int_equal(value, expected[i].value);
	}
	/* What the file says goes first; what nobody says is not known. */
	assert_int_equal(profile_set_audit(profile, "samples", 101), 0);
	assert_true(audit_figure(profile, "samples", &value));
	assert_int_equal(value, 101);
	assert_false(audit_figure(profile, "repaired_calls", &value));
	profile_free(profile);
}

static void test_profile_audit__of_a_bare_profile_is_not_known(void **state)
{
	struct profile *profile;
	uint64_t value;

	(void)state;
	assert_int_equal(profile_new(&profile), 0);
	assert_false(audit_figure(profile, "period_ns", &value));
	assert_false(audit_figure(profile, "wall_ns", &value));
	assert_false(audit_figure(profile, "processes", &value));
	assert_true(audit_figure(profile, "samples", &value));
	assert_int_equal(value, 0);
	profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_profile_audit__knows_the_promised_keys),
		cmocka_unit_test(test_profile_audit__derives_what_the_model_tells),
		cmocka_unit_test(test_profile_audit__of_a_bare_profile_is_not_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
