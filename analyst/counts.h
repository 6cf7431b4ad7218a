/* SPDX-License-Identifier: MIT */
/* The audit figures that the analyst itself has. Results are 0 or -ENOMEM, -ENOSPC. */
#ifndef ANALYST_COUNTS_H
#define ANALYST_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

struct profile;
struct stacks;
struct wallclock;

struct counts {
	uint64_t samples, bad_records, unresolved, guessed_stacks;
	double weight, weight_squared; /* planned, of all samples */
	bool user_only;                /* this is told */
	uint64_t left_out_ns;          /* CPU time in system calls that is in no row */
	uint64_t cpu_ns;               /* used by the process that took the records in */
};

/* What is known while records come in. */
int counts_tell(const struct counts *counts, struct profile *profile);
/* All, at the end; the times are those of the profile's rows. */
int counts_close(const struct counts *counts, const struct stacks *stacks,
	const struct wallclock *wallclock, struct profile *profile);
/* Another process is going to close. */
void counts_note_cpu(struct counts *counts);

#endif
