/* SPDX-License-Identifier: MIT */
/* How the figures of several profiles become those of one. */
#include <errno.h>
#include <string.h>

#include "profile/audit.h"
#include "profile/model.h"
#include "profile/stats.h"

static uint64_t sum_of(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t mean_by_stops(
	const struct profile *into, const struct profile *from, uint64_t a, uint64_t b)
{
	uint64_t stops_a = 0, stops_b = 0;

	(void)profile_audit(into, "stops", &stops_a);
	(void)profile_audit(from, "stops", &stops_b);
	if (!stops_a && !stops_b)
		return a > b ? a : b;
	return (uint64_t)(((double)a * (double)stops_a + (double)b * (double)stops_b) /
			((double)stops_a + (double)stops_b) +
		0.5);
}

/*
 * Returns the effective sample size of both profiles together. A profile's sum of squared weights
 * is (sum of weights)^2 / effective sample size.
 */
static uint64_t effective_of_both(const struct profile *into, const struct profile *from)
{
	const struct profile *both[2] = {into, from};
	double sum = 0, squares = 0;

	for (size_t i = 0; i < 2; i++) {
		struct audit_sums sums = audit_sums(both[i]);
		double weight = (double)sums.cpu_ns;
		uint64_t effective = sums.samples;

		(void)profile_audit(both[i], STATS_EFFECTIVE_SAMPLES, &effective);
		if (!effective)
			continue;
		if (weight <= 0)
			weight = (double)effective;
		sum += weight;
		squares += weight * weight / (double)effective;
	}
	return (uint64_t)(stats_effective_samples(sum, squares) + 0.5);
}

/*
 * A file of a recording (--rotate). @processes, @threads: how many of its processes and threads are
 * also in the previous file of the recording.
 */
struct of_file {
	uint64_t recording, number, processes, threads;
};

static void forget(struct profile *profile, const char *key)
{
	for (size_t i = 0; i < profile->audits; i++) {
		if (strcmp(pool_at(&profile->strings, profile->audit[i].key), key))
			continue;
		memmove(&profile->audit[i], &profile->audit[i + 1],
			(profile->audits - i - 1) * sizeof(*profile->audit));
		profile->audits--;
		return;
	}
}

static int merge_figure(
	struct profile *into, const struct profile *from, const char *key, bool empty)
{
	uint64_t a = 0, b = 0;
	bool has_a = audit_figure(into, key, &a), has_b = audit_figure(from, key, &b);

	switch (audit_kind_of(key)) {
	case AUDIT_SUM: return profile_set_audit(into, key, sum_of(a, b));
	case AUDIT_MAX: return profile_set_audit(into, key, a > b ? a : b);
	case AUDIT_BY_STOPS: return profile_set_audit(into, key, mean_by_stops(into, from, a, b));
	case AUDIT_EFFECTIVE: return profile_set_audit(into, key, effective_of_both(into, from));
	case AUDIT_SAME:
		if (has_b && (empty || (has_a && a == b)))
			return profile_set_audit(into, key, b);
		forget(into, key);
		return 0;
	case AUDIT_SUM_OF_ALL:
		if ((has_a || empty) && has_b)
			return profile_set_audit(into, key, sum_of(a, b));
		forget(into, key);
		return 0;
	case AUDIT_MIN_OF_ALL:
		if ((has_a || empty) && has_b)
			return profile_set_audit(into, key, has_a && a < b ? a : b);
		forget(into, key);
		return 0;
	case AUDIT_DERIVED: forget(into, key); return 0;
	case AUDIT_FILE: return 0; /* Merged by merge_files(). */
	}
	return -EINVAL;
}

static bool is_weighted(const char *key)
{
	enum audit_kind kind = audit_kind_of(key);

	return kind == AUDIT_BY_STOPS || kind == AUDIT_SUM_OF_ALL || kind == AUDIT_MIN_OF_ALL ||
		kind == AUDIT_SAME;
}

static struct of_file file_of(const struct profile *profile)
{
	struct of_file file = {0};

	(void)profile_audit(profile, "recording", &file.recording);
	(void)profile_audit(profile, "recording_file", &file.number);
	(void)profile_audit(profile, "continued_processes", &file.processes);
	(void)profile_audit(profile, "continued_threads", &file.threads);
	return file;
}

static int set_file(struct profile *profile, const struct of_file *file)
{
	int r = profile_set_audit(profile, "recording", file->recording);

	if (r >= 0)
		r = profile_set_audit(profile, "recording_file", file->number);
	if (r >= 0)
		r = profile_set_audit(profile, "continued_processes", file->processes);
	return r < 0 ? r : profile_set_audit(profile, "continued_threads", file->threads);
}

static int subtract(struct profile *profile, const char *key, uint64_t value)
{
	uint64_t sum;

	if (!profile_audit(profile, key, &sum) || sum < value)
		return 0;
	return profile_set_audit(profile, key, sum - value);
}

/*
 * Files of a recording count a process in each file in which it lives. The merged profile counts it
 * once: the processes that the later file shares with its previous file are subtracted. The merged
 * profile gets the number of the earlier file, so that the file before the earlier one can be
 * merged next. Only the recording that was merged last is recorded in the merged profile.
 */
static int merge_files(struct profile *into, const struct of_file *a, const struct of_file *b)
{
	const struct of_file *later = a->number > b->number ? a : b;
	int r;

	if (!b->recording)
		return 0;
	if (a->recording != b->recording)
		return set_file(into, b);
	if (a->number == b->number)
		return 0;
	r = subtract(into, "processes", later->processes);
	if (r >= 0)
		r = subtract(into, "threads", later->threads);
	return r < 0 ? r : set_file(into, later == a ? b : a);
}

/*
 * The first round merges the figures whose result depends on other figures of @into, such as the
 * number of stops. The second round merges, and so changes, those other figures.
 */
int audit_merge(struct profile *into, const struct profile *from)
{
	bool empty = !into->samples && !into->audits;
	const struct of_file a = file_of(into), b = file_of(from);

	for (int round = 0; round < 2; round++) {
		/*
		 * The figures of @into that @from lacks. merge_figure() may remove one, so the loop
		 * goes backwards.
		 */
		for (size_t i = into->audits; i-- > 0;) {
			const char *key = pool_at(&into->strings, into->audit[i].key);
			uint64_t ignored;
			int error;

			if (is_weighted(key) != !round || profile_audit(from, key, &ignored))
				continue;
			error = merge_figure(into, from, key, empty);
			if (error < 0)
				return error;
		}
		for (size_t i = 0; i < from->audits; i++) {
			const char *key = pool_at(&from->strings, from->audit[i].key);
			int error = 0;

			if (is_weighted(key) == !round)
				error = merge_figure(into, from, key, empty);
			if (error < 0)
				return error;
		}
	}
	return merge_files(into, &a, &b);
}
