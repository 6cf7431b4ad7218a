/* SPDX-License-Identifier: MIT */
#include "analyst/times.h"

#include "analyst/processes.h"
#include "analyst/settle.h"
#include "analyst/unsampled.h"
#include "analyst/wallclock.h"
#include "profile/profile.h"

static void set_cpu_ns(
	struct profile *profile, const struct wallclock *wallclock, size_t stack, uint64_t cpu_ns)
{
	int64_t weight_ns = profile_sample(profile, stack).value[VALUE_CPU_NS];

	profile_set_value(profile, stack, VALUE_CPU_NS, (int64_t)cpu_ns);
	wallclock_correct(wallclock, profile, stack, (int64_t)cpu_ns - weight_ns);
}

int times_finish(const struct shares *shares, const struct processes *processes,
	const struct wallclock *wallclock, struct profile *profile, uint64_t *ret_left_out_ns)
{
	struct settled settled;
	int r = settle(shares, &settled);

	if (r < 0)
		return r;
	for (size_t i = 0; i < profile_samples(profile); i++)
		set_cpu_ns(profile, wallclock, i, settled_cpu_ns(&settled, (uint32_t)i));
	*ret_left_out_ns = settled_cpu_ns(&settled, SHARES_LEFT_OUT);
	for (size_t i = 0; i < settled.rests && r == 0; i++) {
		const struct share_rest *rest = &settled.rest[i];
		const struct record_unsampled times = {
			.cpu_ns = rest->cpu_ns, .path = shares->executable[rest->executable].path};

		r = unsampled_add(profile, wallclock, &times, rest->pid,
			processes_name(processes, rest->pid));
	}
	settled_release(&settled);
	return r;
}

int times_factors(const struct shares *shares, size_t stacks, float *ret_factor)
{
	struct settled settled;
	int r = settle(shares, &settled);

	if (r < 0)
		return r;
	for (size_t i = 0; i < stacks; i++)
		ret_factor[i] = (float)settled_factor(&settled, (uint32_t)i);
	settled_release(&settled);
	return 0;
}
