/* SPDX-License-Identifier: MIT */
/* Prints a sentence for each fault of the sampling or of the figures, with the fault's remedy. */
#include "view/report/audit_remarks.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "profile/audit.h"
#include "profile/profile.h"
#include "profile/stats.h"

/*
 * FAST_HZ: from this rate on, stopping and reading a thread takes about as long as a period, and so
 * limits the rate.
 *
 * MANY_TRUNCATED: if more than 1 of so many samples has a truncated stack, the audit recommends
 * copying more of each stack.
 *
 * IDLE: if threads were on a CPU for less than 1/IDLE of the elapsed time, the audit recommends the
 * wall clock.
 *
 * FEW_PERIODS, MANY_PERIODS: a run with less CPU time than FEW_PERIODS periods may have no sample
 * by chance. A run with MANY_PERIODS must have some.
 *
 * FEW_SAMPLES: with fewer effective samples, the 95 % confidence interval of a share of one half
 * reaches 10 percentage points or more to either side.
 */
enum {
	FAST_HZ = 5000,
	MANY_TRUNCATED = 33,
	IDLE = 20,
	FEW_PERIODS = 3,
	MANY_PERIODS = 10,
	FEW_SAMPLES = 100
};

void audit_separate(struct auditing *a, const char *begin)
{
	fputs(a->begun ? ", " : begin, a->out);
	a->begun = true;
}

void audit_end_line(struct auditing *a)
{
	if (a->begun)
		fputc('\n', a->out);
	a->begun = false;
}

/* sprofrun(1) has a section about real-time priority. */
#define GIVES_REALTIME "RLIMIT_RTPRIO or CAP_SYS_NICE gives it, see man sprofrun"

/* Of more threads, only a part can be asked at an instant; see docs/SAMPLING.md, "Known limits". */
#define MANY_THREADS 100

/*
 * Prints "found 88 % of the expected samples: CPUs busy with other programs (12 % of the instants
 * came late)". A late instant gives no sample, so the share of late instants explains about as
 * large a share of missing samples. Why further samples are missing is not measured. The sentence
 * then names the usual cause: threads that run for too short a time to be stopped. A sampler with
 * real-time priority is delayed only by other programs with such a priority, and by hypervisors.
 */
static void print_cause(struct auditing *a, const struct audit_found *found)
{
	double missing = 1 - found->ratio;
	bool by_late = found->late > 0.01 && found->late > missing / 4;
	bool by_short = !by_late || found->late < missing * 1.5;
	uint64_t threads = 0;

	(void)profile_audit(a->profile, "threads", &threads);
	fprintf(a->out, "found %.0f %% of the expected samples: ", found->ratio * 100);
	if (found->ratio > 1) {
		fputs(found->realtime == 0
				? "without real-time priority the scheduler chooses the instant, "
				  "more often while the program runs"
				: "threads run more often at the sampling instants, or CPU time "
				  "is missing in the kernel's figure",
			a->out);
		fputc('\n', a->out);
		return;
	}
	if (by_late)
		fprintf(a->out, "CPUs %s (%.0f %% of the instants came late%s)%s",
			found->realtime == 0 ? "busy with other programs"
					     : "taken by a hypervisor, or by programs of higher "
					       "priority",
			found->late * 100,
			found->realtime == 0 ? "; real-time priority avoids that: " GIVES_REALTIME
					     : "",
			by_short ? "; " : "");
	/*
	 * Without real-time priority, the sampler may have to wait for its CPU. A thread may have
	 * left the CPU before the sampler runs, and is then missed.
	 */
	if (by_short)
		fprintf(a->out,
			"why %sis not measured; usually %s%sthreads run less than 0.1 ms at a time",
			by_late ? "more are missing " : "",
			!by_late && found->realtime == 0
				? "the sampler, without real-time priority (" GIVES_REALTIME
				  "), waited for CPUs, or "
				: "",
			threads > MANY_THREADS ? "there are too many threads to find at once the "
						 "one that runs, or "
					       : "");
	fputc('\n', a->out);
}

static uint64_t throttled(const struct profile *profile)
{
	uint64_t n = 0;

	(void)profile_audit(profile, "throttled_instants", &n);
	return n;
}

/*
 * Is the rate low because threads seldom ran? (The sampler lengthens the period of a CPU where it
 * finds no thread.) True if threads used less than a quarter of the elapsed time, less than half of
 * the missing samples were left out to bound the cost (--max-cost, --max-cpu), and the requested
 * rate is below FAST_HZ.
 */
static bool runs_seldom(const struct profile *profile, const struct audit_rate *rate)
{
	uint64_t kernel, wall;

	return profile_audit(profile, "kernel_cpu_ns", &kernel) &&
		profile_audit(profile, "wall_ns", &wall) && kernel < wall / 4 &&
		(double)throttled(profile) < (rate->expected - (double)rate->samples) / 2 &&
		rate->asked_hz < FAST_HZ;
}

/* Did threads wait for a CPU longer than they had one? Known only with the wall clock. */
static bool waits_for_cpus(const struct profile *profile)
{
	uint64_t queue, kernel;

	return profile_audit(profile, "runqueue_ns", &queue) &&
		profile_audit(profile, "kernel_cpu_ns", &kernel) && queue > kernel;
}

static const char *times_are_right(const struct audit_rate *rate)
{
	uint64_t samples = rate->effective ? rate->effective : rate->samples;

	return samples < FEW_SAMPLES ? "times are right, with the noise of so few samples"
				     : "times are right";
}

/* Were half or more of the missing samples left out to bound the cost (--max-cost, --max-cpu)? */
static bool is_by_bound(const struct profile *profile, const struct audit_rate *rate)
{
	return (double)throttled(profile) >= (rate->expected - (double)rate->samples) / 2;
}

/*
 * @is_found: print_cause() printed nothing, so no missing samples are explained yet. @late: share
 * of late instants, 0 to 1.
 */
static void print_rate_remarks(
	struct auditing *a, const struct audit_rate *rate, bool is_found, double late)
{
	if (rate->is_low && is_found && runs_seldom(a->profile, rate))
		fprintf(a->out,
			"%" PRIu64
			" samples of %.0f that were asked for: the program was on a CPU for less "
			"than a quarter of the time%s, and a CPU where it was not found is sampled "
			"more rarely; %s\n",
			rate->samples, rate->expected,
			waits_for_cpus(a->profile) ? " (other programs had the CPUs)"
				: late > 0.01      ? " (other programs used the CPUs, too)"
						   : "",
			times_are_right(rate));
	else if (rate->is_low && is_found && !is_by_bound(a->profile, rate))
		fprintf(a->out,
			"%" PRIu64 " samples of %.0f that were asked for: %sone takes longer than "
			"a period, or stands for several in a long system call, or --max-cost or "
			"--max-cpu allows no more; %s\n",
			rate->samples, rate->expected,
			late > 0.01 ? "other programs had the CPUs, or " : "",
			times_are_right(rate));
	else if (rate->is_low && is_by_bound(a->profile, rate))
		fprintf(a->out,
			"%" PRIu64
			" samples of %.0f that were asked for, to bound the cost (the first second "
			"is free of the bound): --max-cost (1 %% of the CPU time, if not given) "
			"allows more\n",
			rate->samples, rate->expected);
}

/* A difference of profiles has negative counts, and no confidence intervals. */
static bool has_precision(const struct profile *profile)
{
	for (size_t i = 0; i < profile_samples(profile); i++) {
		if (profile_sample(profile, i).value[VALUE_SAMPLES] < 0)
			return false;
	}
	return profile_period_ns(profile) > 0;
}

/*
 * Prints "few samples (11): …". A part of a profile has no audit of its rate, so the number of
 * samples decides alone.
 */
static void print_few(struct auditing *a)
{
	uint64_t elapsed, samples, effective = 0;
	struct interval half;

	if (!audit_figure(a->profile, "samples", &samples) || !samples)
		return;
	(void)profile_audit(a->profile, STATS_EFFECTIVE_SAMPLES, &effective);
	if (!effective)
		effective = samples;
	if (effective >= FEW_SAMPLES || !has_precision(a->profile))
		return;
	half = stats_share_interval(0.5, (double)effective);
	fprintf(a->out,
		"few samples%s (%" PRIu64
		"%s): shares are uncertain by up to %.0f points; a longer "
		"run or a higher rate (-F) tells more\n",
		profile_audit(a->profile, "elapsed_ns", &elapsed) ? " of CPU time" : "", effective,
		effective == samples ? "" : " effective", (half.high - half.low) / 2 * 100);
}

static size_t longest_stack(const struct profile *profile)
{
	size_t most = 0;

	for (size_t i = 0; i < profile_samples(profile); i++) {
		struct sample sample = profile_sample(profile, i);

		most = sample.n > most ? sample.n : most;
	}
	return most;
}

static void print_truncated(struct auditing *a)
{
	uint64_t truncated = 0, samples = 0;

	(void)audit_figure(a->profile, "samples", &samples);
	if (!audit_figure(a->profile, "truncated_stacks", &truncated) ||
		truncated <= samples / MANY_TRUNCATED || !truncated)
		return;
	audit_separate(a, "");
	if (longest_stack(a->profile) >= PROFILE_FRAMES_MOST)
		fprintf(a->out,
			"stacks have more than %d frames: the outer ones, with main, are left out",
			PROFILE_FRAMES_MOST);
	else
		fputs("stacks are longer than --max-stack (1M by default), so their outer frames, "
		      "with main, are missing: --max-stack 64M copies them whole",
			a->out);
}

/*
 * Recommends the wall clock ("on a CPU for 0.1 % of the time: …") if threads were on a CPU for less
 * than 1/IDLE of the elapsed time, and the profile is not one of the wall clock. If descendants
 * were not profiled, first recommends to profile them, because they may do the work.
 */
static void point_to_wall(struct auditing *a)
{
	uint64_t kernel, wall, elapsed, left = 0;

	if (profile_audit(a->profile, "elapsed_ns", &elapsed) ||
		!profile_audit(a->profile, "kernel_cpu_ns", &kernel) ||
		!profile_audit(a->profile, "wall_ns", &wall) || !wall || kernel >= wall / IDLE)
		return;
	if (profile_audit(a->profile, "descendants_left", &left) && left)
		fprintf(a->out,
			"%" PRIu64 " %s not profiled, and may do the work: sprofrun --tree takes "
			"%s, too\n",
			left, left == 1 ? "descendant was" : "descendants were",
			left == 1 ? "it" : "them");
	fprintf(a->out,
		"on a CPU for %.1f %% of the time: sprofrun -w wall shows where the threads wait\n",
		(double)kernel * 100 / (double)wall);
}

/*
 * Explains why a profile has no samples. With less CPU time than FEW_PERIODS periods, the
 * explanation is that the run was too short. With more, other causes are named. With MANY_PERIODS
 * or more, nothing is printed here: print_cause() then explains the missing samples.
 */
static void print_no_samples(struct auditing *a)
{
	uint64_t samples, kernel, period_ns = profile_period_ns(a->profile);
	char time[TEXT_UNIT_BYTES], rate[TEXT_UNIT_BYTES];

	if (!audit_figure(a->profile, "samples", &samples) || samples || !period_ns ||
		!profile_audit(a->profile, "kernel_cpu_ns", &kernel) || !kernel ||
		kernel >= MANY_PERIODS * period_ns)
		return;
	text_format_ns(kernel, time);
	text_format_hz(1e9 / (double)period_ns, rate);
	if (kernel >= FEW_PERIODS * period_ns)
		fprintf(a->out,
			"no samples, where %" PRIu64
			" were expected of %s of CPU time at %s: threads ran for too short a time "
			"at once, or the sampler waited for CPUs; a higher rate (-F) finds more\n",
			kernel / period_ns, time, rate);
	else
		fprintf(a->out,
			"no samples: %s of CPU time are too little for %s; a higher rate (-F) "
			"finds more\n",
			time, rate);
}

/* The kernel measures system time at its timer ticks, at most 10 ms apart (CONFIG_HZ=100). */
#define TICK_NS 10000000.0
/* A lower share is not reported. */
#define LEAST_IN_FAULTS 0.05

/* Returns the CPU time of the profile's system calls and of those that --user-only left out. */
static uint64_t cpu_in_calls(const struct profile *profile)
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

/*
 * Prints the CPU time that the kernel spent in page faults and interrupts. It is printed if it is
 * at least 5 % of all CPU time, and at least twice as large as the error (half of the 95 %
 * confidence interval). A thread stopped in a page fault or an interrupt seems to be in the
 * program's code, so the reports show this time in rows of the program's functions.
 */
static void print_faults(struct auditing *a)
{
	uint64_t all, system, minor, major = 0, effective = 0;
	double system_share, call_share, share, error;

	if (!profile_audit(a->profile, "kernel_cpu_ns", &all) || !all ||
		!profile_audit(a->profile, "system_cpu_ns", &system) ||
		!profile_audit(a->profile, "minor_faults", &minor))
		return;
	(void)profile_audit(a->profile, "major_faults", &major);
	(void)profile_audit(a->profile, STATS_EFFECTIVE_SAMPLES, &effective);
	system_share = (double)system / (double)all;
	call_share = (double)cpu_in_calls(a->profile) / (double)all;
	share = system_share - call_share;
	error = STATS_95_PERCENT *
		hypot(error_of(system_share, (double)all / TICK_NS),
			error_of(call_share, (double)effective));
	if (share < LEAST_IN_FAULTS || share < 2 * error)
		return;
	fprintf(a->out,
		"%.0f %% %s %.0f of the CPU time is the kernel's outside of system calls (%" PRIu64
		" page faults, and interrupts); it is shown where the threads were\n",
		share * 100, a->ascii ? "+-" : "\xc2\xb1", error * 100, minor + major);
}

void audit_print_remarks(struct auditing *a)
{
	struct audit_found found;
	struct audit_rate rate;
	bool has_found = audit_found(a->profile, &found), has_rate = audit_rate(a->profile, &rate);
	/*
	 * From FAST_HZ on, sampling a thread takes about a period: this alone explains missing
	 * samples.
	 */
	bool is_fast = has_rate && rate.is_low && rate.asked_hz >= FAST_HZ;

	if (has_found && found.is_off && !is_fast)
		print_cause(a, &found);
	print_no_samples(a);
	if (has_rate)
		print_rate_remarks(a, &rate, is_fast || !has_found || !found.is_off,
			has_found ? found.late : 0);
	print_few(a);
	print_truncated(a);
	audit_end_line(a);
	print_faults(a);
	point_to_wall(a);
}
