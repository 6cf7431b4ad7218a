/* SPDX-License-Identifier: MIT */
#ifndef TESTS_PPROF_FIXTURE_H
#define TESTS_PPROF_FIXTURE_H

#include "profile/pprof.h"
#include "tests/unit/profile_fixture.h"

static inline struct profile *round_trip(const struct profile *profile)
{
	struct profile *back = NULL;
	const char *problem = NULL;
	uint8_t *data;
	size_t bytes;

	assert_int_equal(pprof_write(profile, &data, &bytes), 0);
	assert_int_equal(pprof_read(data, bytes, &back, &problem), 0);
	free(data);
	return back;
}

static inline void assert_same_things(const struct profile *a, const struct profile *b)
{
	for (size_t i = 0; i < profile_mappings(a); i++) {
		struct mapping x = profile_mapping(a, i), y = profile_mapping(b, i);

		assert_string_equal(x.file, y.file);
		assert_string_equal(x.build_id, y.build_id);
		assert_true(x.start == y.start && x.limit == y.limit && x.offset == y.offset);
		assert_true(x.has_functions == y.has_functions && x.has_lines == y.has_lines &&
			x.has_inlines == y.has_inlines);
	}
	for (size_t i = 0; i < profile_functions(a); i++) {
		struct function x = profile_function(a, i), y = profile_function(b, i);

		assert_string_equal(x.name, y.name);
		assert_string_equal(x.symbol, y.symbol);
		assert_string_equal(x.file, y.file);
		assert_int_equal(x.line, y.line);
	}
	for (size_t i = 0; i < profile_locations(a); i++) {
		struct location x = profile_location(a, i), y = profile_location(b, i);

		assert_int_equal(x.mapping, y.mapping);
		assert_true(x.address == y.address);
		assert_int_equal(x.lines, y.lines);
		for (size_t j = 0; j < x.lines; j++) {
			assert_int_equal(x.line[j].function, y.line[j].function);
			assert_int_equal(x.line[j].line, y.line[j].line);
		}
	}
	for (size_t i = 0; i < profile_tasks(a); i++) {
		struct task x = profile_task(a, i), y = profile_task(b, i);

		assert_int_equal(x.pid, y.pid);
		assert_int_equal(x.tid, y.tid);
		assert_string_equal(x.process, y.process);
		assert_string_equal(x.thread, y.thread);
	}
}

static inline void assert_same_samples(const struct profile *a, const struct profile *b)
{
	for (size_t i = 0; i < profile_value_types(a); i++) {
		assert_string_equal(profile_value_type(a, i).type, profile_value_type(b, i).type);
		assert_string_equal(profile_value_type(a, i).unit, profile_value_type(b, i).unit);
	}
	for (size_t i = 0; i < profile_samples(a); i++) {
		struct sample x = profile_sample(a, i), y = profile_sample(b, i);

		assert_int_equal(x.task, y.task);
		assert_int_equal(x.n, y.n);
		assert_memory_equal(x.location, y.location, x.n * sizeof(*x.location));
		assert_memory_equal(x.value, y.value, profile_value_types(a) * sizeof(*x.value));
	}
}

static inline void assert_same(const struct profile *a, const struct profile *b)
{
	struct foreign x, y;

	assert_int_equal(profile_mappings(a), profile_mappings(b));
	assert_int_equal(profile_functions(a), profile_functions(b));
	assert_int_equal(profile_locations(a), profile_locations(b));
	assert_int_equal(profile_tasks(a), profile_tasks(b));
	assert_int_equal(profile_samples(a), profile_samples(b));
	assert_int_equal(profile_value_types(a), profile_value_types(b));
	assert_int_equal(profile_audits(a), profile_audits(b));
	assert_int_equal(profile_notes(a), profile_notes(b));
	assert_same_things(a, b);
	assert_same_samples(a, b);
	for (size_t i = 0; i < profile_audits(a); i++) {
		const char *key, *other_key;
		uint64_t value, other;

		profile_audit_at(a, i, &key, &value);
		profile_audit_at(b, i, &other_key, &other);
		assert_string_equal(key, other_key);
		assert_true(value == other);
	}
	for (size_t i = 0; i < profile_notes(a); i++)
		assert_string_equal(profile_note(a, i), profile_note(b, i));
	assert_string_equal(profile_command(a), profile_command(b));
	assert_true(profile_realtime_ns(a) == profile_realtime_ns(b));
	assert_true(profile_duration_ns(a) == profile_duration_ns(b));
	assert_true(profile_period_ns(a) == profile_period_ns(b));
	x = foreign_get(a);
	y = foreign_get(b);
	assert_string_equal(x.period_type, y.period_type);
	assert_string_equal(x.period_unit, y.period_unit);
	assert_true(x.period == y.period);
	assert_string_equal(x.drop_frames, y.drop_frames);
	assert_string_equal(x.keep_frames, y.keep_frames);
	assert_string_equal(x.doc_url, y.doc_url);
}

#endif
