/* SPDX-License-Identifier: MIT */
#include "view/report/audit_faults.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "profile/audit.h"
#include "profile/profile.h"
#include "profile/stats.h"

/* The kernel measures system time at its timer ticks, at most 10 ms apart (CONFIG_HZ=100). */
#define TICK_NS 10000000.0
/* A lower share is not reported. */
#define LEAST 0.05

/* Returns the CPU time of the profile's system calls and of those that --user-only left out. */
static uint64_t in_calls(const struct profile *profile)
{
	uint64_t ns = 0;

	(void)profile_audit(profile, AUDIT_SYSCALL_CPU, &ns);
	for (size_t i = 0; i < profile_samples(profile); i++) {
		struct sample sample = profile_sample(profile, i);
		struct location leaf;

		if (!sample.n || sample.value[VALUE_CPU_NS] <= 0)
			continue;
		leaf = profile_location(profile, sample.location[0]);
		if (strcmp(profile_mapping(profile, leaf.mapping).file, "[kernel]") == 0)
			ns += (uint64_t)sample.value[VALUE_CPU_NS];
	}
	return ns;
}

/* Standard error of a share estimated from @n observations. */
static double error_of(double share, double n)
{
	share = share < 1 ? share : 1;
	return n > 0 ? sqrt(share * (1 - share) / n) : 1;
}

void audit_faults_print(const struct profile *profile, bool ascii, FILE *out)
{
	uint64_t all, system, minor, major = 0, effective = 0;
	double system_share, call_share, share, error;

	if (!profile_audit(profile, "kernel_cpu_ns", &all) || !all ||
		!profile_audit(profile, "system_cpu_ns", &system) ||
		!profile_audit(profile, "minor_faults", &minor))
		return;
	(void)profile_audit(profile, "major_faults", &major);
	(void)profile_audit(profile, STATS_EFFECTIVE_SAMPLES, &effective);
	system_share = (double)system / (double)all;
	call_share = (double)in_calls(profile) / (double)all;
	share = system_share - call_share;
	error = STATS_95_PERCENT *
		hypot(error_of(system_share, (double)all / TICK_NS),
			error_of(call_share, (double)effective));
	if (share < LEAST || share < 2 * error)
		return;
	fprintf(out,
		"%.0f %% %s %.0f of the CPU time is the kernel's outside of system calls (%" PRIu64
		" page faults, and interrupts); it is shown where the threads were\n",
		share * 100, ascii ? "+-" : "\xc2\xb1", error * 100, minor + major);
}
