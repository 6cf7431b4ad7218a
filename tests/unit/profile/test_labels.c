/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "profile/labels.h"
#include "profile/pprof.h"
#include "tests/unit/profile_fixture.h"

static const struct label request[] = {
	{.key = "request", .text = "GET /"}, {.key = "bytes", .number = -64, .unit = "bytes"}};

/* Two samples of one stack: one with labels, one without. */
static struct profile *labelled(void)
{
	struct profile *profile = fixture_profile();
	const int64_t values[VALUE_TYPES_MAX] = {1, 1000};
	const uint32_t leaf = 0;
	uint32_t set = fixture_index(labels_add(profile, request, 2));

	for (uint32_t labels = 0; labels <= set; labels += set)
		profile_add_values(profile,
			fixture_index(profile_add_labelled_stack(profile, 0, labels, &leaf, 1)),
			values);
	return profile;
}

static size_t count_labelled(const struct profile *profile)
{
	size_t n = 0;

	for (size_t i = 0; i < profile_samples(profile); i++) {
		uint32_t set = profile_sample(profile, i).labels;
		struct label label;

		if (!set)
			continue;
		n++;
		assert_int_equal(labels_count(profile, set), 2);
		label = labels_at(profile, set, 0);
		assert_string_equal(label.key, "request");
		assert_string_equal(label.text, "GET /");
		label = labels_at(profile, set, 1);
		assert_string_equal(label.key, "bytes");
		assert_null(label.text);
		assert_int_equal(label.number, -64);
		assert_string_equal(label.unit, "bytes");
	}
	return n;
}

static void test_labels__sets_are_found_again(void **state)
{
	struct profile *profile = fixture_profile();
	const struct label other = {.key = "bytes", .number = 64, .unit = "bytes"};

	(void)state;
	assert_int_equal(labels_add(profile, NULL, 0), 0);
	assert_int_equal(labels_add(profile, request, 2), 1);
	assert_int_equal(labels_add(profile, &other, 1), 2);
	assert_int_equal(labels_add(profile, request, 2), 1);
	assert_int_equal(labels_add(profile, &other, 1), 2);
	assert_int_equal(labels_count(profile, 0), 0);
	assert_int_equal(profile_add_labelled_stack(profile, 0, 3, NULL, 0), -EINVAL);
	profile_free(profile);
}

static void test_labels__come_back_from_a_file(void **state)
{
	struct profile *profile = labelled(), *back, *part;
	size_t samples = profile_samples(profile), bytes;
	uint8_t *data;

	(void)state;
	assert_int_equal(profile_add_comment(profile, "as it came"), 0);
	assert_int_equal(pprof_write(profile, &data, &bytes), 0);
	assert_int_equal(pprof_read(data, bytes, &back, NULL), 0);
	free(data);
	assert_int_equal(profile_samples(back), samples);
	assert_int_equal(count_labelled(back), 1);
	/* Another program's comment comes back as a foreign note. */
	assert_int_equal(profile_notes(back), profile_notes(profile));
	assert_true(profile_note_is_foreign(back, profile_notes(back) - 1));
	assert_string_equal(profile_note(back, profile_notes(back) - 1), "as it came");
	assert_false(profile_note_is_foreign(back, 0));

	/* A merge combines equal stacks with equal labels. */
	assert_int_equal(profile_merge(profile, back), 0);
	assert_int_equal(profile_samples(profile), samples);
	assert_int_equal(count_labelled(profile), 1);
	assert_int_equal(profile_split(profile, profile_task(profile, 0).pid, &part), 0);
	assert_int_equal(count_labelled(part), 1);
	profile_free(part);
	profile_free(back);
	profile_free(profile);
}

static void test_labels__are_given_to_all_that_have_none(void **state)
{
	struct profile *profile = labelled();
	const struct label rank = {.key = LABEL_RANK, .number = 3, .unit = ""};
	uint32_t set = fixture_index(labels_add(profile, &rank, 1));
	const uint32_t leaf = 0;
	size_t samples = profile_samples(profile), n = 0;

	(void)state;
	assert_int_equal(labels_give_all(profile, set), 0);
	for (size_t i = 0; i < samples; i++)
		n += profile_sample(profile, i).labels == set;
	assert_int_equal(n, samples - 1);
	assert_true((size_t)profile_add_labelled_stack(profile, 0, set, &leaf, 1) < samples);
	profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_labels__sets_are_found_again),
		cmocka_unit_test(test_labels__come_back_from_a_file),
		cmocka_unit_test(test_labels__are_given_to_all_that_have_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
