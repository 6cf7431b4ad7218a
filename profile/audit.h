/* SPDX-License-Identifier: MIT */
/*
 * The meaning of the audit figures: the keys that `sprofreport summary` always prints, in its
 * order, and how the figures of several profiles are merged. A figure that is not in this table is
 * kept and merged by its name: "…_max" the maximum, "…_p50", "…_p99" weighted by stops, others
 * summed.
 */
#ifndef PROFILE_AUDIT_H
#define PROFILE_AUDIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct profile;

enum audit_kind {
	AUDIT_SUM,
	AUDIT_SUM_OF_ALL, /* a sum that is valid only if every profile has it */
	AUDIT_MIN_OF_ALL, /* the minimum, valid only if every profile has it */
	AUDIT_DERIVED,    /* follows from other figures */
	AUDIT_MAX,
	AUDIT_SAME,      /* unknown unless all are equal */
	AUDIT_BY_STOPS,  /* the profiles' mean, weighted by their stops */
	AUDIT_EFFECTIVE, /* effective sample size: from the sums of w and of w^2 */
	AUDIT_FILE,      /* which file of a recording (--rotate) it is */
};

/*
 * AUDIT_RATIO is in units of 1 / AUDIT_RATIO_ONE, AUDIT_PERCENT in units of 1 % / AUDIT_RATIO_ONE.
 */
enum audit_unit { AUDIT_COUNT, AUDIT_NS, AUDIT_RATIO, AUDIT_PERCENT };

#define AUDIT_RATIO_ONE 10000

/*
 * Key of the CPU time in system calls, in ns: only profiles that exclude them (--user-only) have
 * it.
 */
#define AUDIT_SYSCALL_CPU "syscall_cpu_ns"

struct audit_key {
	const char *key;
	enum audit_kind kind;
	enum audit_unit unit;
	bool extra; /* printed only if the profile has it */
	const char *meaning;
};

/* Returns the known key at @index; NULL past the end. */
const struct audit_key *audit_key_at(size_t index);
/* Returns the key with this name; NULL: unknown. */
const struct audit_key *audit_key_find(const char *key);
/* Returns how the figures of a key are merged; the key may be unknown. */
enum audit_kind audit_kind_of(const char *key);

/*
 * Gets a figure: as stored in the file, or else derived from the model (samples, period_ns,
 * profiled_cpu_ns, unattributed_cpu_ns, wall_ns, unresolved_samples, processes, threads) or from
 * other figures (found_ratio, cost_pct). False: unknown.
 */
bool audit_figure(const struct profile *profile, const char *key, uint64_t *ret_value);

/* Sums over all samples of a profile; 0 where the negative values are more. */
struct audit_sums {
	uint64_t samples, unresolved;  /* unresolved: samples at an address without a name */
	uint64_t cpu_ns, unsampled_ns; /* CPU time of the rows with samples, and of [unsampled] */
};
struct audit_sums audit_sums(const struct profile *profile);

/*
 * A check of the sampler: the planned weights of all samples it found, divided by the CPU time
 * charged by the kernel. The ratio is 1 within its error if the sampler works.
 */
struct audit_found {
	double ratio;
	double error;      /* standard error: stats_found_error(), or the larger measured scatter */
	double late;       /* share of the instants that could not be used; -1 unknown */
	int realtime;      /* 1 the sampler had real-time priority, 0 it had not, -1 unknown */
	bool is_off;       /* differs from 1 by more than three errors, and by more than 2 % */
	bool says_nothing; /* too few samples are expected for any conclusion */
};
/* Compares the found CPU time with the kernel's. False: the profile lacks the figures. */
bool audit_found(const struct profile *profile, struct audit_found *ret_found);

/*
 * Gets the share of the target's running time, including stops, for which it was stopped. (A share
 * of the elapsed time would look small for a mostly idle target.) False: unknown.
 */
bool audit_stopped(const struct profile *profile, double *ret_share);

/*
 * Gets the CPU time that sampling took from the target, as a share of its CPU time. False: unknown.
 */
bool audit_cost(const struct profile *profile, double *ret_share);

/* The sampling rate reached, compared with the requested one. */
struct audit_rate {
	double asked_hz;
	double reached_hz; /* 0: too few samples */
	double expected;   /* samples expected at the requested rate */
	uint64_t samples;
	/* effective sample size: as many equally weighted samples say as much; 0 unknown */
	uint64_t effective;
	bool is_low; /* the rate is more than 10 % too low, and by more than chance explains */
};
/* Compares the rates. False: the period, the sampled time or the samples are unknown. */
bool audit_rate(const struct profile *profile, struct audit_rate *ret_rate);

/*
 * Merges the figures of @from into @into. Call it before the samples are merged. -ENOMEM; -ENOSPC.
 */
int audit_merge(struct profile *into, const struct profile *from);

#endif
