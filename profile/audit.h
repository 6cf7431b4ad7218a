/* SPDX-License-Identifier: MIT */
/*
 * What the audit figures mean: the keys that `sprofreport summary` always prints, in its order, and
 * how the figures of several profiles become one. A figure that is not in this table is kept and
 * merged by its name: "…_max" the greatest, "…_p50", "…_p99" weighted by stops, others summed.
 */
#ifndef PROFILE_AUDIT_H
#define PROFILE_AUDIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct profile;

enum audit_kind {
	AUDIT_SUM,
	AUDIT_SUM_OF_ALL, /* a sum that says nothing unless every profile has it */
	AUDIT_MIN_OF_ALL, /* the least, on the same condition */
	AUDIT_DERIVED,    /* follows from other figures */
	AUDIT_MAX,
	AUDIT_SAME,      /* not known unless all are alike */
	AUDIT_BY_STOPS,  /* the mean, weighted by the stops of each */
	AUDIT_EFFECTIVE, /* effective sample size: combined by the weights' squares */
};

enum audit_unit { AUDIT_COUNT, AUDIT_NS, AUDIT_RATIO /* in 1 / AUDIT_RATIO_ONE */ };

#define AUDIT_RATIO_ONE 10000

/* Only of a profile that left them out. */
#define AUDIT_SYSCALL_CPU "syscall_cpu_ns"

struct audit_key {
	const char *key;
	enum audit_kind kind;
	enum audit_unit unit;
	bool extra; /* printed only when the profile has it */
	const char *meaning;
};

/* The @index-th known key, NULL past the end. */
const struct audit_key *audit_key_at(size_t index);
/* NULL when it is not known. */
const struct audit_key *audit_key_find(const char *key);

/*
 * A figure as the file has it, or else as it follows from the model (samples, period_ns,
 * profiled_cpu_ns, unattributed_cpu_ns, wall_ns, unresolved_samples, processes, threads), or from
 * other figures (found_ratio). False: not known.
 */
bool audit_figure(const struct profile *profile, const char *key, uint64_t *ret_value);

/* CPU time of the rows: with samples, and [unsampled]. */
struct audit_times {
	uint64_t profiled_ns, unsampled_ns;
};
struct audit_times audit_times(const struct profile *profile);

/*
 * The test of the sampler: the planned weights of all samples it found, against the CPU time that
 * the kernel charged. The ratio is 1 within its error when the sampler works.
 */
struct audit_found {
	double ratio;
	double error;      /* standard error of the ratio: stats_found_error() */
	double late;       /* share of the instants that came too late; -1 not known */
	int realtime;      /* 1 the sampler had real-time priority, 0 it had not, -1 not known */
	bool is_off;       /* by more than three times its error, and more than 2 % */
	bool says_nothing; /* so few samples are expected that any number would do */
};
/* False: the profile does not have the figures. */
bool audit_found(const struct profile *profile, struct audit_found *ret_found);

/*
 * The share of its running time, the stops included, for which the target was stopped: of the
 * clock's time it would hide much of a mostly idle one. False: not known.
 */
bool audit_stopped(const struct profile *profile, double *ret_share);

/* How often samples were taken, against what was asked for. */
struct audit_rate {
	double asked_hz, reached_hz;
	double expected; /* samples, at the rate asked for */
	uint64_t samples;
	uint64_t effective; /* of equal weight that would tell as much; 0 not known */
	bool is_low;        /* the rate: by more than a tenth, and than chance */
	bool is_few;        /* so few effective samples that shares are uncertain by 10 % */
};
/* False: the profile does not tell. */
bool audit_rate(const struct profile *profile, struct audit_rate *ret_rate);

/* Makes the figures of @into those of both. To be called before the samples are merged. */
int audit_merge(struct profile *into, const struct profile *from);

#endif
