/* SPDX-License-Identifier: MIT */
/* Audit figures that are derived from the samples and tasks of a profile, or from other figures. */
#include "profile/audit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "profile/model.h"
#include "profile/stats.h"

/* Adds a positive value to @sum[0], a negative one, without its sign, to @sum[1]. */
static void add(uint64_t sum[2], int64_t value)
{
	sum[value < 0] += value < 0 ? -(uint64_t)value : (uint64_t)value;
}

static uint64_t net(const uint64_t sum[2])
{
	return sum[0] > sum[1] ? sum[0] - sum[1] : 0;
}

struct audit_sums audit_sums(const struct profile *profile)
{
	uint64_t samples[2] = {0}, cpu_ns[2] = {0}, unsampled_ns[2] = {0}, unresolved[2] = {0};

	for (size_t i = 0; i < profile_samples(profile); i++) {
		struct sample sample = profile_sample(profile, i);
		int64_t count = sample.value[VALUE_SAMPLES];

		add(samples, count);
		add(profile_is_unsampled(profile, &sample) ? unsampled_ns : cpu_ns,
			sample.value[VALUE_CPU_NS]);
		if (sample.n && !profile_location(profile, sample.location[0]).lines)
			add(unresolved, count);
	}
	return (struct audit_sums){.samples = net(samples),
		.cpu_ns = net(cpu_ns),
		.unsampled_ns = net(unsampled_ns),
		.unresolved = net(unresolved)};
}

/*
 * Counts the distinct pids of the tasks, or (@threads) their distinct pairs of pid and tid. False:
 * no task has an id, or out of memory.
 */
static bool count_tasks(const struct profile *profile, bool threads, uint64_t *ret_value)
{
	uint64_t *id = calloc(profile->tasks + 1, sizeof(*id));
	size_t n = 0, different = 0;

	if (!id)
		return false;
	for (size_t i = 0; i < profile->tasks; i++) {
		const struct task *task = &profile->task[i].task;

		if (threads ? task->tid : task->pid)
			id[n++] = (uint64_t)task->pid << 32 | (threads ? task->tid : 0);
	}
	qsort(id, n, sizeof(*id), order_u64);
	for (size_t i = 0; i < n; i++)
		different += !i || id[i] != id[i - 1];
	free(id);
	if (different)
		*ret_value = different;
	return different > 0;
}

static bool derive_found_ratio(const struct profile *profile, uint64_t *ret_value)
{
	uint64_t found, kernel;

	if (!profile_audit(profile, "found_ns", &found) ||
		!profile_audit(profile, "kernel_cpu_ns", &kernel) || !kernel)
		return false;
	*ret_value = (uint64_t)((double)found / (double)kernel * AUDIT_RATIO_ONE + 0.5);
	return true;
}

bool audit_cost(const struct profile *profile, double *ret_share)
{
	uint64_t cost, kernel;

	if (!profile_audit(profile, "cost_ns", &cost) ||
		!profile_audit(profile, "kernel_cpu_ns", &kernel) || !kernel)
		return false;
	*ret_share = (double)cost / (double)kernel;
	return true;
}

static bool derive_cost(const struct profile *profile, uint64_t *ret_value)
{
	double share;

	if (!audit_cost(profile, &share))
		return false;
	*ret_value = (uint64_t)(share * 100 * AUDIT_RATIO_ONE + 0.5);
	return true;
}

/*
 * Returns the hit ratio: samples per sampling instant. 0: unknown, as always in a wall-clock
 * profile.
 */
static double hit_share(const struct profile *profile, uint64_t instants)
{
	size_t named = profile_default_value(profile);
	uint64_t samples = 0;

	if (!instants ||
		(named != SIZE_MAX && !strcmp(profile_value_type(profile, named).type, "wall")))
		return 0;
	(void)audit_figure(profile, "samples", &samples);
	return (double)samples / (double)instants;
}

/*
 * Returns how many samples are expected for @kernel ns of CPU time. The expected weight of a sample
 * is @found ns divided by the effective sample size, or one period if either of these is unknown.
 * Returns 0 if the period is unknown, too.
 */
static double expected_samples(const struct profile *profile, uint64_t found, uint64_t kernel)
{
	uint64_t effective = 0;

	if (!profile_audit(profile, STATS_EFFECTIVE_SAMPLES, &effective))
		(void)audit_figure(profile, "samples", &effective);
	if (found && effective)
		return (double)effective * (double)kernel / (double)found;
	return profile->period_ns ? (double)kernel / (double)profile->period_ns : 0;
}

bool audit_found(const struct profile *profile, struct audit_found *ret_found)
{
	uint64_t found, kernel, instants = 0, threads = 0, late, realtime, scatter_us2;
	double off;

	if (!profile_audit(profile, "found_ns", &found) ||
		!profile_audit(profile, "kernel_cpu_ns", &kernel) || !kernel)
		return false;
	(void)profile_audit(profile, "instants", &instants);
	*ret_found = (struct audit_found){
		.ratio = (double)found / (double)kernel, .late = -1, .realtime = -1};
	(void)audit_figure(profile, "threads", &threads);
	/*
	 * A single thread has exactly one instant in each period. So its number of samples varies
	 * less than with random instants, and the error is smaller.
	 */
	ret_found->error = stats_found_error(expected_samples(profile, found, kernel),
		threads == 1 ? hit_share(profile, instants) : 0);
	if (profile_audit(profile, STATS_FOUND_SCATTER, &scatter_us2))
		ret_found->error =
			fmax(ret_found->error, sqrt((double)scatter_us2) * 1e3 / (double)kernel);
	ret_found->says_nothing = ret_found->error * STATS_95_PERCENT >= 1;
	if (instants && profile_audit(profile, "late_instants", &late))
		ret_found->late = (double)late / (double)instants;
	if (profile_audit(profile, "realtime", &realtime))
		ret_found->realtime = realtime > 0;
	off = ret_found->ratio > 1 ? ret_found->ratio - 1 : 1 - ret_found->ratio;
	ret_found->is_off = off > 3 * ret_found->error && off > 0.02;
	return true;
}

static bool derive(const struct profile *profile, const char *key, uint64_t *ret_value)
{
	uint64_t value, kernel;

	if (!strcmp(key, "found_ratio"))
		return derive_found_ratio(profile, ret_value);
	if (!strcmp(key, "cost_pct"))
		return derive_cost(profile, ret_value);
	if (!strcmp(key, "period_ns"))
		value = profile->period_ns;
	else if (!strcmp(key, "wall_ns"))
		value = profile->duration_ns;
	else if (!strcmp(key, "processes") || !strcmp(key, "threads"))
		return count_tasks(profile, key[0] == 't', ret_value);
	else if (!strcmp(key, "samples")) {
		*ret_value = audit_sums(profile).samples;
		return true;
	} else if (!strcmp(key, "unresolved_samples")) {
		*ret_value = audit_sums(profile).unresolved;
		return true;
	} else if (!strcmp(key, "profiled_cpu_ns")) {
		value = audit_sums(profile).cpu_ns;
	} else if (!strcmp(key, "unattributed_cpu_ns")) {
		value = audit_sums(profile).unsampled_ns;
	} else {
		return false;
	}
	/*
	 * A 0 means "unknown". But if the kernel's figure is known, a CPU time of 0 was measured.
	 */
	if (!value && !(strstr(key, "_cpu_ns") && profile_audit(profile, "kernel_cpu_ns", &kernel)))
		return false;
	*ret_value = value;
	return true;
}

bool audit_figure(const struct profile *profile, const char *key, uint64_t *ret_value)
{
	return profile_audit(profile, key, ret_value) || derive(profile, key, ret_value);
}

bool audit_stopped(const struct profile *profile, double *ret_share)
{
	uint64_t stopped, running = 0;

	if (!profile_audit(profile, "kernel_cpu_ns", &running))
		(void)audit_figure(profile, "profiled_cpu_ns", &running);
	if (!profile_audit(profile, "stopped_ns", &stopped) || !(running + stopped))
		return false;
	*ret_share = (double)stopped / ((double)running + (double)stopped);
	return true;
}
