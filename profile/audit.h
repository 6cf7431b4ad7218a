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
	AUDIT_MAX,
	AUDIT_SAME,      /* not known unless all are alike */
	AUDIT_BY_STOPS,  /* the mean, weighted by the stops of each */
	AUDIT_EFFECTIVE, /* effective sample size: combined by the weights' squares */
};

enum audit_unit { AUDIT_COUNT, AUDIT_NS };

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
 * profiled_cpu_ns, unattributed_cpu_ns, wall_ns, unresolved_samples, processes, threads). False:
 * not known.
 */
bool audit_figure(const struct profile *profile, const char *key, uint64_t *ret_value);

/* Makes the figures of @into those of both. To be called before the samples are merged. */
int audit_merge(struct profile *into, const struct profile *from);

#endif
