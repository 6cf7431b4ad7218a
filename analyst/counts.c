/* SPDX-License-Identifier: MIT */
#include "analyst/counts.h"

#include <stddef.h>
#include <sys/resource.h>

#include "analyst/stacks.h"
#include "analyst/wallclock.h"
#include "profile/audit.h"
#include "profile/profile.h"
#include "profile/stats.h"

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

int counts_tell(const struct counts *counts, struct profile *profile)
{
	double effective = stats_effective_samples(counts->weight, counts->weight_squared);
	int r = profile_set_audit(profile, "samples", counts->samples);

	return r < 0
		? r
		: profile_set_audit(profile, STATS_EFFECTIVE_SAMPLES, (uint64_t)(effective + 0.5));
}

int counts_close(const struct counts *counts, const struct stacks *stacks,
	const struct wallclock *wallclock, struct profile *profile)
{
	struct audit_times times = audit_times(profile);
	const struct {
		const char *key;
		uint64_t value;
	} figures[] = {
		{"profiled_cpu_ns", times.profiled_ns},
		{"unattributed_cpu_ns", times.unsampled_ns + counts->left_out_ns},
		{counts->user_only ? AUDIT_SYSCALL_CPU : NULL, counts->left_out_ns},
		{"unresolved_samples", counts->unresolved},
		{"truncated_stacks", stacks->truncated},
		{"incomplete_stacks", stacks->incomplete},
		{"guessed_frames", stacks->guessed},
		{wallclock->recorded ? "guessed_stacks" : NULL, counts->guessed_stacks},
		{"bad_records", counts->bad_records},
		{"analyst_cpu_ns", counts->cpu_ns + own_cpu_ns()},
	};

	for (size_t i = 0; i < sizeof(figures) / sizeof(*figures); i++) {
		int r = figures[i].key
			? profile_set_audit(profile, figures[i].key, figures[i].value)
			: 0;

		if (r < 0)
			return r;
	}
	return counts_tell(counts, profile);
}
