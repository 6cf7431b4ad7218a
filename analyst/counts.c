/* SPDX-License-Identifier: MIT */
#include "analyst/counts.h"

#include <sys/resource.h>

#include "analyst/stacks.h"
#include "analyst/wallclock.h"
#include "profile/audit.h"
#include "profile/profile.h"
#include "profile/stats.h"

/* Fewer seconds give no meaningful scatter. */
#define SCATTER_SECONDS 4

static uint64_t own_cpu_ns(void)
{
	struct rusage usage;

	(void)getrusage(RUSAGE_SELF, &usage);
	return (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000 +
		(uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000;
}

void counts_note_cpu(struct counts *counts)
{
	counts->cpu_ns = own_cpu_ns();
}

void counts_second(struct counts *counts, const struct profile *profile)
{
	struct counts_scatter *s = &counts->scatter;
	uint64_t found_ns = 0, kernel_ns = 0;
	double found, kernel;

	if (!profile_audit(profile, "found_ns", &found_ns) ||
		!profile_audit(profile, "kernel_cpu_ns", &kernel_ns) || kernel_ns <= s->kernel_ns ||
		found_ns < s->found_ns)
		return;
	found = (double)(found_ns - s->found_ns) / 1e9;
	kernel = (double)(kernel_ns - s->kernel_ns) / 1e9;
	s->found_ns = found_ns;
	s->kernel_ns = kernel_ns;
	s->ff += found * found;
	s->fk += found * kernel;
	s->kk += kernel * kernel;
	s->seconds++;
}

/*
 * The variance of the run's found CPU time (s->found_ns), in us^2. It is estimated by the formula
 * for a ratio of two sums, here of found to kernel time over all seconds.
 */
static uint64_t scatter_us2(const struct counts_scatter *s)
{
	double ratio = (double)s->found_ns / (double)s->kernel_ns, n = s->seconds;
	double squares = s->ff - 2 * ratio * s->fk + ratio * ratio * s->kk;

	return squares > 0 ? (uint64_t)(squares * 1e12 * n / (n - 1)) : 0;
}

int counts_set_audit(struct profile *profile, const struct audit_figure *figures, size_t n)
{
	int r = 0;

	for (size_t i = 0; i < n && r >= 0; i++)
		if (figures[i].key)
			r = profile_set_audit(profile, figures[i].key, figures[i].value);
	return r;
}

int counts_put(const struct counts *counts, struct profile *profile)
{
	double effective = stats_effective_samples(counts->weight, counts->weight_squared);
	int r = profile_set_audit(profile, "samples", counts->samples);

	if (r == 0 && counts->scatter.seconds >= SCATTER_SECONDS)
		r = profile_set_audit(profile, STATS_FOUND_SCATTER, scatter_us2(&counts->scatter));
	return r < 0
		? r
		: profile_set_audit(profile, STATS_EFFECTIVE_SAMPLES, (uint64_t)(effective + 0.5));
}

int counts_close(const struct counts *counts, const struct stacks *stacks,
	const struct wallclock *wallclock, struct profile *profile)
{
	struct audit_sums sums = audit_sums(profile);
	const struct audit_figure figures[] = {
		{"profiled_cpu_ns", sums.cpu_ns},
		{"unattributed_cpu_ns", sums.unsampled_ns + counts->left_out_ns},
		{counts->user_only ? AUDIT_SYSCALL_CPU : NULL, counts->left_out_ns},
		{"unresolved_samples", counts->unresolved},
		{"truncated_stacks", stacks->truncated},
		{"incomplete_stacks", stacks->incomplete},
		{"guessed_frames", stacks->guessed},
		{wallclock->recorded ? "guessed_stacks" : NULL, counts->guessed_stacks},
		{"bad_records", counts->bad_records},
		{"analyst_cpu_ns", counts->cpu_ns + own_cpu_ns()},
	};
	int r = counts_set_audit(profile, figures, sizeof(figures) / sizeof(*figures));

	return r < 0 ? r : counts_put(counts, profile);
}
