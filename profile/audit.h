/* SPDX-License-Identifier: MIT */
/*
 * The audit figures: the keys that `sprofreport summary` knows, in its order, and how the figures
 * of several profiles are merged. A figure whose key is not known here is kept, and merged by the
 * end of its key: "…_max" by the maximum; "…_p50" and "…_p99" by the mean, in which each profile
 * has its number of stops as weight; any other by the sum.
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
	AUDIT_BY_STOPS,  /* the profiles' mean; weight: number of stops */
	AUDIT_EFFECTIVE, /* effective sample size (stats.h) of all samples together */
	AUDIT_FILE,      /* identifies a file of a recording (--rotate) */
};

/*
 * A figure in AUDIT_RATIO is a ratio times AUDIT_RATIO_ONE; one in AUDIT_PERCENT is a percentage
 * times AUDIT_RATIO_ONE.
 */
enum audit_unit { AUDIT_COUNT, AUDIT_NS, AUDIT_RATIO, AUDIT_PERCENT };

#define AUDIT_RATIO_ONE 10000

/*
 * Key of the CPU time in system calls, in ns. A profile made with --user-only excludes this time.
 */
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
 * Gets a figure. A figure that the profile does not store is derived from its samples, tasks and
 * times (samples, period_ns, profiled_cpu_ns, unattributed_cpu_ns, wall_ns, unresolved_samples,
 * processes, threads) or from other figures (found_ratio, cost_pct). False: unknown.
 */
bool audit_figure(const struct profile *profile, const char *key, uint64_t *ret_value);

/*
 * Sums over all samples of a profile. A difference of two profiles may have negative sums: they are
 * 0 here.
 */
struct audit_sums {
	uint64_t samples, unresolved;  /* unresolved: samples at an address without a name */
	uint64_t cpu_ns, unsampled_ns; /* CPU time with, and without samples */
};
struct audit_sums audit_sums(const struct profile *profile);

/*
 * A check of the sampler. Each sample stands for its planned weight of CPU time. @ratio is the sum
 * of these weights, divided by the CPU time that the kernel charged to the threads. If the sampler
 * works, @ratio differs from 1 only by chance, as @error says.
 */
struct audit_found {
	double ratio;
	double error;      /* standard error of @ratio; the larger of two estimates */
	double late;       /* share of instants that could not be used; -1: unknown */
	int realtime;      /* 1: the sampler had real-time priority; 0: it had not; -1: unknown */
	bool is_off;       /* |@ratio - 1| > 3 * @error, and > 0.02 */
	bool says_nothing; /* too few samples are expected for any conclusion */
};
/* False: the sampled or the charged CPU time is unknown, or no CPU time was charged. */
bool audit_found(const struct profile *profile, struct audit_found *ret_found);

/*
 * Gets the time for which the target was stopped, as a share of its running time (CPU time and
 * stops). As a share of the elapsed time, it would look small for a mostly idle target. False:
 * unknown.
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
	bool is_low;        /* more than 10 % too low, and by over 3 standard errors */
};
/* False: the period, the sampled time or the samples are unknown. */
bool audit_rate(const struct profile *profile, struct audit_rate *ret_rate);

/*
 * Merges the figures of @from into @into. Call it before samples are merged. 0; -ENOMEM; -ENOSPC:
 * @into would have more than PROFILE_AUDITS_MAX figures.
 */
int audit_merge(struct profile *into, const struct profile *from);

#endif
