/* SPDX-License-Identifier: MIT */
/*
 * The audit figures: the keys that `sprofreport summary` knows, in its order, and how the figures
 * of several profiles are merged. Unknown figures are kept, and merged by their names: "…_max" by
 * the maximum, "…_p50" and "…_p99" by the mean weighted by stops, others by the sum.
 */
#ifndef PROFILE_AUDIT_H
#define PROFILE_AUDIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct profile;

enum audit_kind {
	AUDIT_SUM,
	AUDIT_SUM_OF_ALL, /* the sum, unknown unless every profile has the figure */
	AUDIT_MIN_OF_ALL, /* the minimum, unknown unless every profile has the figure */
	AUDIT_DERIVED,    /* follows from other figures */
	AUDIT_MAX,
	AUDIT_SAME,      /* unknown unless all are equal */
	AUDIT_BY_STOPS,  /* the profiles' mean, weighted by their stops */
	AUDIT_EFFECTIVE, /* effective sample size: from the sums of w and of w^2 */
	AUDIT_FILE,      /* which file of a recording (--rotate) a profile is */
};

/* AUDIT_RATIO counts units of 1 / AUDIT_RATIO_ONE, AUDIT_PERCENT units of 1 % / AUDIT_RATIO_ONE. */
enum audit_unit { AUDIT_COUNT, AUDIT_NS, AUDIT_RATIO, AUDIT_PERCENT };

#define AUDIT_RATIO_ONE 10000

/* Key of the CPU time in system calls, which a profile excludes (--user-only), in ns. */
#define AUDIT_SYSCALL_CPU "syscall_cpu_ns"

struct audit_key {
	const char *key;
	enum audit_kind kind;
	enum audit_unit unit;
	bool extra; /* printed only if the profile has it */
	const char *meaning;
};

/* Returns NULL past the end. */
const struct audit_key *audit_key_at(size_t index);
/* Returns NULL if the key is unknown. */
const struct audit_key *audit_key_find(const char *key);
/* Returns how the figures of a known or unknown key are merged. */
enum audit_kind audit_kind_of(const char *key);

/*
 * Gets a figure: the stored one, else one derived from the model (samples, period_ns,
 * profiled_cpu_ns, unattributed_cpu_ns, wall_ns, unresolved_samples, processes, threads) or from
 * other figures (found_ratio, cost_pct). False: unknown.
 */
bool audit_figure(const struct profile *profile, const char *key, uint64_t *ret_value);

/* Sums over all samples of a profile; a negative sum is 0 here. */
struct audit_sums {
	uint64_t samples, unresolved;  /* unresolved: samples at an address without a name */
	uint64_t cpu_ns, unsampled_ns; /* CPU time of samples, and of [unsampled] */
};
struct audit_sums audit_sums(const struct profile *profile);

/*
 * A check of the sampler. @ratio is the planned weights of all samples found, divided by the CPU
 * time that the kernel charged: 1 within @error if the sampler works.
 */
struct audit_found {
	double ratio;
	double error;      /* standard error: stats_found_error(), or the larger measured scatter */
	double late;       /* share of the instants that could not be used; -1: unknown */
	int realtime;      /* did the sampler have real-time priority: 1, 0; -1: unknown */
	bool is_off;       /* @ratio differs from 1 by more than three errors, and than 2 % */
	bool says_nothing; /* too few samples are expected for any conclusion */
};
/* False: the profile lacks the figures. */
bool audit_found(const struct profile *profile, struct audit_found *ret_found);

/*
 * Gets the share of the target's running time (CPU time and stops) for which it was stopped. (A
 * share of the elapsed time would look small for a mostly idle target.) False: unknown.
 */
bool audit_stopped(const struct profile *profile, double *ret_share);

/* Gets the cost of sampling as a share of the target's CPU time. False: unknown. */
bool audit_cost(const struct profile *profile, double *ret_share);

/* The sampling rate reached, compared with the requested one. */
struct audit_rate {
	double asked_hz;
	double reached_hz; /* 0: too few samples */
	double expected;   /* samples expected at the requested rate */
	uint64_t samples;
	uint64_t effective; /* effective sample size (stats.h); 0: unknown */
	bool is_low;        /* more than 10 % too low, and by more than chance explains */
};
/* False: the period, the sampled time or the samples are unknown. */
bool audit_rate(const struct profile *profile, struct audit_rate *ret_rate);

/* Merges the figures of @from into @into. Call it before samples are merged. -ENOMEM; -ENOSPC. */
int audit_merge(struct profile *into, const struct profile *from);

#endif
