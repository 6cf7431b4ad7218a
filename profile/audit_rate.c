/* SPDX-License-Identifier: MIT */
/* The requested sampling rate, and the one reached. */
#include <math.h>
#include <string.h>

#include "profile/audit.h"
#include "profile/profile.h"
#include "profile/stats.h"

/* A rate is computed only if at least so many samples are expected. */
enum { EXPECTED_LEAST = 20 };

/*
 * Gets the time that was sampled: the threads' CPU time without excluded system calls, or, in a
 * wall-clock profile, their lifetimes. False: unknown.
 */
static bool ticked_ns(const struct profile *profile, uint64_t *ret_ns)
{
	size_t named = profile_default_value(profile);
	struct audit_sums sums = audit_sums(profile);
	uint64_t left_out = 0, covered = sums.cpu_ns + sums.unsampled_ns;

	if (named != SIZE_MAX && !strcmp(profile_value_type(profile, named).type, "wall"))
		return profile_audit(profile, "elapsed_ns", ret_ns);
	if (!profile_audit(profile, "kernel_cpu_ns", ret_ns))
		return false;
	(void)profile_audit(profile, AUDIT_SYSCALL_CPU, &left_out);
	*ret_ns -= left_out < *ret_ns ? left_out : *ret_ns;
	/*
	 * If the supervisor was killed, the last samples are up to a second newer than the kernel's
	 * figure. Then the time that the samples stand for is more accurate.
	 */
	if (covered > *ret_ns)
		*ret_ns = covered;
	return true;
}

bool audit_rate(const struct profile *profile, struct audit_rate *ret_rate)
{
	uint64_t period_ns = profile_period_ns(profile), ns, samples, effective;
	struct audit_rate rate = {0};

	if (!period_ns || !ticked_ns(profile, &ns) || !ns ||
		!audit_figure(profile, "samples", &samples) || !samples)
		return false;
	rate.asked_hz = 1e9 / (double)period_ns;
	rate.samples = samples;
	rate.expected = (double)ns / (double)period_ns;
	if (rate.expected >= EXPECTED_LEAST)
		rate.reached_hz = (double)samples * 1e9 / (double)ns;
	rate.is_low = rate.reached_hz > 0 && rate.reached_hz < 0.9 * rate.asked_hz &&
		(double)samples + 3 * sqrt(rate.expected) < rate.expected;
	if (profile_audit(profile, STATS_EFFECTIVE_SAMPLES, &effective))
		rate.effective = effective;
	*ret_rate = rate;
	return true;
}
