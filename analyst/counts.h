/* SPDX-License-Identifier: MIT */
/*
 * Figures of the profile's audit that the analyst counts. Results are 0, -ENOMEM, or -ENOSPC: the
 * audit is full.
 */
#ifndef ANALYST_COUNTS_H
#define ANALYST_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct profile;
struct stacks;
struct wallclock;

/*
 * How the found CPU time, the planned weight of all samples, differs from the kernel's CPU time
 * from second to second (docs/PROTOCOL.md). ff, fk and kk are sums over the seconds, in s^2, of
 * found * found, found * kernel and kernel * kernel.
 */
struct counts_scatter {
	uint64_t found_ns, kernel_ns; /* both as of the last audit */
	double ff, fk, kk;
	unsigned seconds;
};

struct counts {
	uint64_t samples, bad_records, unresolved, guessed_stacks;
	/* sums, over the samples in the profile, of the planned weight in ns and of its square */
	double weight, weight_squared;
	bool user_only; /* samples in system calls are left out */
	/* CPU time of the samples left out; the profile has no sample with it */
	uint64_t left_out_ns;
	uint64_t cpu_ns; /* CPU time of the process that took the records */
	struct counts_scatter scatter;
};

/* Adds the last second to @scatter. The caller has put that second's audit into @profile before. */
void counts_second(struct counts *counts, const struct profile *profile);

/* A figure of the audit. @key NULL: counts_set_audit() skips this figure. */
struct audit_figure {
	const char *key;
	uint64_t value;
};
int counts_set_audit(struct profile *profile, const struct audit_figure *figures, size_t n);

/* Sets the figures that are known while records come in. */
int counts_put(const struct counts *counts, struct profile *profile);
/* Sets all figures. To be called at the end, when the CPU times of all samples are final. */
int counts_close(const struct counts *counts, const struct stacks *stacks,
	const struct wallclock *wallclock, struct profile *profile);
/* Stores this process's CPU time: a forked child adds its own to it in counts_close(). */
void counts_note_cpu(struct counts *counts);

#endif
