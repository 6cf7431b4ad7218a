/* SPDX-License-Identifier: MIT */
/* The audit figures counted by the analyst. Results are 0, -ENOMEM or -ENOSPC. */
#ifndef ANALYST_COUNTS_H
#define ANALYST_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct profile;
struct stacks;
struct wallclock;

/*
 * Scatter, second by second, of found CPU time (of samples) against the kernel's
 * (docs/PROTOCOL.md): sums over the seconds of found * found, found * kernel, and kernel * kernel,
 * in s^2.
 */
struct counts_scatter {
	uint64_t found_ns, kernel_ns; /* both as of the last audit */
	double ff, fk, kk;
	unsigned seconds;
};

struct counts {
	uint64_t samples, bad_records, unresolved, guessed_stacks;
	/* sums, over all samples, of the planned weight and of its square */
	double weight, weight_squared;
	bool user_only;       /* samples in system calls are left out */
	uint64_t left_out_ns; /* CPU time of the samples left out, which is in no row */
	uint64_t cpu_ns;      /* CPU time of the process that took the records */
	struct counts_scatter scatter;
};

/* Adds the last second to the scatter, once that second's figures are in @profile. */
void counts_second(struct counts *counts, const struct profile *profile);

/* A figure of the audit; @key NULL: it is left out. */
struct audit_figure {
	const char *key;
	uint64_t value;
};
int counts_set_audit(struct profile *profile, const struct audit_figure *figures, size_t n);

/* Sets the figures that are known while records come in. */
int counts_put(const struct counts *counts, struct profile *profile);
/* Sets all figures. To be called at the end, when the rows have their times. */
int counts_close(const struct counts *counts, const struct stacks *stacks,
	const struct wallclock *wallclock, struct profile *profile);
/* Keeps this process's CPU time, before a child calls counts_close(). */
void counts_note_cpu(struct counts *counts);

#endif
