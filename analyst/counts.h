/* SPDX-License-Identifier: MIT */
/* The audit figures counted by the analyst. Results are 0 or -ENOMEM, -ENOSPC. */
#ifndef ANALYST_COUNTS_H
#define ANALYST_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

struct profile;
struct stacks;
struct wallclock;

/*
 * How much what is found scatters from second to second around the ratio of all (docs/PROTOCOL.md):
 * sums over the seconds of found * found, found * kernel and kernel * kernel, in s^2.
 */
struct counts_scatter {
	uint64_t found_ns, kernel_ns; /* values at the last audit */
	double ff, fk, kk;
	unsigned seconds;
};

struct counts {
	uint64_t samples, bad_records, unresolved, guessed_stacks;
	double weight, weight_squared; /* planned weights of all samples */
	bool user_only;                /* the figure left_out_ns is to be printed */
	uint64_t left_out_ns;          /* CPU time in system calls that is in no row */
	uint64_t cpu_ns;               /* CPU time used by the process that took the records */
	struct counts_scatter scatter;
};

/* The supervisor's figures of another second have been set in @profile. */
void counts_second(struct counts *counts, const struct profile *profile);

/* Sets the figures known while records come in. */
int counts_put(const struct counts *counts, struct profile *profile);
/* Sets all figures, at the end, when the profile's rows have their times. */
int counts_close(const struct counts *counts, const struct stacks *stacks,
	const struct wallclock *wallclock, struct profile *profile);
/* Another process is going to close: adds the CPU time of this one. */
void counts_note_cpu(struct counts *counts);

#endif
