/* SPDX-License-Identifier: MIT */
/* The audit: says how reliable a report is. Figures that the profile lacks are not mentioned. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "profile/audit.h"
#include "profile/profile.h"
#include "profile/stats.h"
#include "view/report/audit_faults.h"
#include "view/report/report.h"
#include "view/wrap.h"

/*
 * With a fifth of the samples unresolved, the audit recommends doctor; with more than one truncated
 * stack in 33, the option that copies more; below a twentieth of its time on a CPU, the wall clock.
 */
enum { FAST_HZ = 5000, MANY_UNRESOLVED = 5, MANY_TRUNCATED = 33, IDLE = 20, MANY_PERIODS = 10 };

struct auditing {
	const struct profile *profile;
	FILE *out;
	bool ascii;
	bool begun; /* the line has text already */
};

static void separate(struct auditing *a, const char *begin)
{
	fputs(a->begun ? ", " : begin, a->out);
	a->begun = true;
}

static void end_line(struct auditing *a)
{
	if (a->begun)
		fputc('\n', a->out);
	a->begun = false;
}

/* Prints "found 99.2 % ± 1.1 of the expected samples"; ± is half the 95 % confidence interval. */
static void print_found(struct auditing *a, const struct audit_found *found)
{
	separate(a, "");
	fprintf(a->out, "found %.1f %% %s %.1f of the expected samples", found->ratio * 100,
		a->ascii ? "+-" : "\xc2\xb1", found->error * STATS_95_PERCENT * 100);
}

/* Prints "real-time priority, 12 late instants (0.4 %)". */
static void print_instants(struct auditing *a, const struct audit_found *found)
{
	uint64_t late = 0;

	if (found->realtime >= 0 && !found->says_nothing) {
		separate(a, "");
		fputs(found->realtime ? "real-time priority" : "no real-time priority", a->out);
	}
	if (!profile_audit(a->profile, "late_instants", &late) || !late)
		return;
	separate(a, "");
	fprintf(a->out, "%" PRIu64 " late instant%s", late, late == 1 ? "" : "s");
	if (found->late >= 0)
		fprintf(a->out, " (%.1f %%)", found->late * 100);
}

/* Prints "12.43 s of CPU time (20.0 ms unsampled, 3.20 s in system calls left out)". */
static void print_times(struct auditing *a)
{
	char all[TEXT_UNIT_BYTES], rest[TEXT_UNIT_BYTES], calls[TEXT_UNIT_BYTES];
	uint64_t kernel, unattributed = 0, in_calls = 0;

	if (!profile_audit(a->profile, "kernel_cpu_ns", &kernel) || !kernel)
		return;
	(void)audit_figure(a->profile, "unattributed_cpu_ns", &unattributed);
	if (profile_audit(a->profile, AUDIT_SYSCALL_CPU, &in_calls))
		unattributed -= in_calls < unattributed ? in_calls : unattributed;
	text_format_ns(kernel, all);
	text_format_ns(unattributed, rest);
	text_format_ns(in_calls, calls);
	separate(a, "audit: ");
	fprintf(a->out, "%s of CPU time (%s unsampled", all, rest);
	if (in_calls)
		fprintf(a->out, ", %s in system calls left out", calls);
	(void)fputc(')', a->out);
}

/*
 * "found 88 % of the expected samples: threads that run less than 0.1 ms at a time, or CPUs busy
 * with other programs (12 % of the instants came late)". Late instants are not used, so they
 * explain about as much as their share; short runs explain the rest. A sampler with real-time
 * priority is not delayed by other programs, unless they have real-time priority, too.
 */
static void print_cause(struct auditing *a, const struct audit_found *found)
{
	double missing = 1 - found->ratio;
	bool by_late = found->late > 0.01 && found->late > missing / 4;
	bool by_short = !by_late || found->late < missing * 1.5;

	fprintf(a->out, "found %.0f %% of the expected samples: ", found->ratio * 100);
	if (found->ratio > 1) {
		fputs(found->realtime == 0
				? "without real-time priority the scheduler chooses the moment, "
				  "more often while the program runs"
				: "threads run more often when their CPU is looked at, or CPU time "
				  "is missing in the kernel's figure",
			a->out);
		fputc('\n', a->out);
		return;
	}
	/*
	 * Without real-time priority, a sampler that waits for its CPU misses busy threads as well.
	 */
	if (!by_late && found->realtime == 0)
		fputs("the sampler had no real-time priority and waited for CPUs, or ", a->out);
	if (by_short)
		fputs("threads that run less than 0.1 ms at a time", a->out);
	if (by_late)
		fprintf(a->out, "%sCPUs %s (%.0f %% of the instants came late%s)",
			by_short ? ", or " : "",
			found->realtime == 0 ? "busy with other programs"
					     : "taken by a hypervisor, or by programs of higher "
					       "priority",
			found->late * 100,
			found->realtime == 0 ? "; real-time priority avoids that" : "");
	fputc('\n', a->out);
}

/* Prints ", cost 0.93 %", and @of_what: of the target's CPU time. */
static void print_cost(struct auditing *a, const char *of_what)
{
	double share;

	if (!audit_cost(a->profile, &share))
		return;
	separate(a, "audit: ");
	fprintf(a->out, "cost %.2f %%%s", share * 100, of_what);
}

/*
 * Prints ", 248 of 250 Hz reached, cost 0.93 % of the CPU time, as good as 3011 of equal weight".
 */
static void print_rate(struct auditing *a, const struct audit_rate *rate)
{
	char asked[TEXT_UNIT_BYTES], reached[TEXT_UNIT_BYTES];

	text_format_hz(rate->asked_hz, asked);
	text_format_hz(rate->reached_hz, reached);
	if (rate->reached_hz > 0) {
		separate(a, "audit: ");
		fprintf(a->out, "%.*s of %s reached", (int)strcspn(reached, " "), reached, asked);
	}
	print_cost(a, " of the CPU time");
	if (rate->effective) {
		separate(a, "audit: ");
		fprintf(a->out, "as good as %" PRIu64 " of equal weight", rate->effective);
	}
}

static uint64_t throttled(const struct profile *profile)
{
	uint64_t n = 0;

	(void)profile_audit(profile, "throttled_instants", &n);
	return n;
}

/*
 * Did threads run so seldom that the rate is low? Periods of a CPU get longer while no thread is
 * found there. True if less than a quarter of a CPU's time was used, and samples are not missing
 * because of a bound.
 */
static bool runs_seldom(const struct profile *profile, const struct audit_rate *rate)
{
	uint64_t kernel, wall;

	return profile_audit(profile, "kernel_cpu_ns", &kernel) &&
		profile_audit(profile, "wall_ns", &wall) && kernel < wall / 4 &&
		(double)throttled(profile) < (rate->expected - (double)rate->samples) / 2 &&
		rate->asked_hz < FAST_HZ;
}

/*
 * Does a bound explain most of the missing samples? Then rate and cost, which are printed, say so.
 */
static bool is_by_bound(const struct profile *profile, const struct audit_rate *rate)
{
	return (double)throttled(profile) >= (rate->expected - (double)rate->samples) / 2;
}

/*
 * Remarks on a small number of samples. @is_found: no other reason for missing samples is
 * mentioned. @late: the share of instants that came late.
 */
static void print_rate_remarks(
	struct auditing *a, const struct audit_rate *rate, bool is_found, double late)
{
	struct interval half;
	uint64_t elapsed;

	if (rate->is_low && is_found && runs_seldom(a->profile, rate))
		fprintf(a->out,
			"%" PRIu64
			" samples of %.0f that were asked for: it seldom runs, and a CPU "
			"where it was not met is looked at more rarely; times are right, with the "
			"noise of so few samples\n",
			rate->samples, rate->expected);
	else if (rate->is_low && is_found && !is_by_bound(a->profile, rate))
		fprintf(a->out,
			"%" PRIu64 " samples of %.0f that were asked for: %sone takes longer than "
			"a period, or stands for several in a long system call, or --max-cost or "
			"--max-cpu allows no more; times are right, with the noise of so few "
			"samples\n",
			rate->samples, rate->expected,
			late > 0.01 ? "other programs had the CPUs, or " : "");
	if (!rate->is_few)
		return;
	half = stats_share_interval(0.5, (double)rate->effective);
	fprintf(a->out,
		"few samples%s: shares are uncertain by up to %.0f %%; a longer run or a higher "
		"rate (-F) tells more\n",
		profile_audit(a->profile, "elapsed_ns", &elapsed) ? " of CPU time" : "",
		(half.high - half.low) / 2 * 100);
}

/*
 * "audit: 3104 ticks, 248 of 250 Hz reached, cost 0.93 % of the CPU time, as good as 3011 of equal
 * weight, 12.43 s of CPU time (20.0 ms unsampled)", "found 99.2 % ± 1.1 of the expected samples,
 * real-time priority"
 */
static void print_coverage(struct auditing *a)
{
	struct audit_found found;
	struct audit_rate rate;
	bool has_found = audit_found(a->profile, &found);
	uint64_t samples;

	if (audit_figure(a->profile, "samples", &samples) && samples) {
		separate(a, "audit: ");
		fprintf(a->out, "%" PRIu64 " tick%s", samples, samples == 1 ? "" : "s");
	}
	if (audit_rate(a->profile, &rate))
		print_rate(a, &rate);
	else
		print_cost(a, " of the CPU time");
	print_times(a);
	end_line(a);
	if (has_found && !found.says_nothing)
		print_found(a, &found);
	if (has_found)
		print_instants(a, &found);
	end_line(a);
}

/* Prints "stop time p50 21 us, p99 60 us, max 412 us, 0.5 % of the running time". */
static void print_stops(struct auditing *a)
{
	static const char *const stops[][2] = {
		{"stop_ns_p50", "p50"}, {"stop_ns_p99", "p99"}, {"stop_ns_max", "max"}};
	char text[TEXT_UNIT_BYTES];
	uint64_t ns, count;
	double stopped;

	/* Without stops there is no length of a stop. */
	if (profile_audit(a->profile, "stops", &count) && !count)
		return;
	for (size_t i = 0; i < sizeof(stops) / sizeof(*stops); i++) {
		if (!profile_audit(a->profile, stops[i][0], &ns))
			continue;
		text_format_ns(ns, text);
		separate(a, "stop time ");
		fprintf(a->out, "%s %s", stops[i][1], text);
	}
	if (!audit_stopped(a->profile, &stopped))
		return;
	separate(a, "stopped ");
	fprintf(a->out, "stopped for %.2f %% of the running time", stopped * 100);
}

/* Prints "3 of 5 threads left out, with 1.23 s of CPU time". */
static void print_choice(struct auditing *a)
{
	uint64_t chosen, threads, left_out = 0;
	char text[TEXT_UNIT_BYTES];

	if (!profile_audit(a->profile, "chosen_threads", &chosen) ||
		!profile_audit(a->profile, "threads", &threads) || threads <= chosen)
		return;
	(void)profile_audit(a->profile, "left_out_cpu_ns", &left_out);
	text_format_ns(left_out, text);
	separate(a, "");
	fprintf(a->out, "%" PRIu64 " of %" PRIu64 " threads left out, with %s of CPU time",
		threads - chosen, threads, text);
}

/* Prints "threads lived 26.94 s: 13.0 % on a CPU, 34.1 % waiting for one, 52.8 % blocked". */
static void print_wall(struct auditing *a)
{
	uint64_t elapsed, cpu = 0, queue[2] = {0}, blocked[2] = {0};
	char text[TEXT_UNIT_BYTES];
	double percent;

	if (!profile_audit(a->profile, "elapsed_ns", &elapsed) || !elapsed)
		return;
	(void)profile_audit(a->profile, "kernel_cpu_ns", &cpu);
	(void)profile_audit(a->profile, "runqueue_ns", &queue[0]);
	(void)profile_audit(a->profile, "unattributed_runqueue_ns", &queue[1]);
	(void)profile_audit(a->profile, "blocked_ns", &blocked[0]);
	(void)profile_audit(a->profile, "unattributed_blocked_ns", &blocked[1]);
	percent = 100 / (double)elapsed;
	text_format_ns(elapsed, text);
	separate(a, "");
	fprintf(a->out,
		"threads lived %s: %.1f %% on a CPU, %.1f %% waiting for one, %.1f %% blocked",
		text, (double)cpu * percent, (double)(queue[0] + queue[1]) * percent,
		(double)(blocked[0] + blocked[1]) * percent);
	if ((double)blocked[1] * percent >= 0.05)
		fprintf(a->out, " (%.1f %% unseen)", (double)blocked[1] * percent);
}

static void print_losses(struct auditing *a)
{
	static const struct {
		const char *key, *text;
		bool always; /* print it even if it is 0 */
	} losses[] = {
		{"lost_samples", "lost samples", true},
		{"truncated_stacks", "truncated stacks", true},
		{"unresolved_samples", "unresolved", true},
		{"incomplete_stacks", "incomplete stacks", false},
		{"guessed_frames", "guessed frames", false},
		{"python_unmatched", "unmatched Python stacks", false},
		{"java_unread", "unread Java stacks", false},
		{"java_in_heap", "Java stacks partly in the heap", false},
		{"unrepaired_eintr", "calls left with EINTR", false},
		{"sprofil_lost", "sprofil ticks lost", false},
	};
	uint64_t n, all, ignored, samples = 0;

	(void)audit_figure(a->profile, "samples", &samples);
	for (size_t i = 0; i < sizeof(losses) / sizeof(*losses); i++) {
		if (!audit_figure(a->profile, losses[i].key, &n) || (!n && !losses[i].always))
			continue;
		/* For a profile of another program, we cannot say that nothing was lost. */
		if (!n && !profile_audit(a->profile, "lost_samples", &ignored))
			continue;
		separate(a, "");
		fprintf(a->out, "%s %" PRIu64, losses[i].text, n);
		/* Lost samples were taken, but are not among those counted here. */
		all = samples + (i ? 0 : n);
		if (n && all && i < 4)
			fprintf(a->out, " (%.1f %%)", (double)n * 100 / (double)all);
	}
}

/* Recommends doctor if many samples have no function name, which is the report's main defect. */
static void point_to_doctor(struct auditing *a)
{
	uint64_t unresolved = 0, samples = 0;

	(void)audit_figure(a->profile, "samples", &samples);
	if (!audit_figure(a->profile, "unresolved_samples", &unresolved) ||
		unresolved < samples / MANY_UNRESOLVED || !unresolved)
		return;
	separate(a, "");
	fputs("sprofreport doctor names the cause of unresolved samples, and what mends it",
		a->out);
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

/* Recommends the option that copies more of stacks, if many do not reach main. */
static void print_truncated(struct auditing *a)
{
	uint64_t truncated = 0, samples = 0;

	(void)audit_figure(a->profile, "samples", &samples);
	if (!audit_figure(a->profile, "truncated_stacks", &truncated) ||
		truncated <= samples / MANY_TRUNCATED || !truncated)
		return;
	separate(a, "");
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
 * Recommends the wall clock: "on a CPU for 0.1 % of the time: …" if a profile that knows nothing
 * about the rest has less than a twentieth.
 */
static void point_to_wall(struct auditing *a)
{
	uint64_t kernel, wall, elapsed;

	if (profile_audit(a->profile, "elapsed_ns", &elapsed) ||
		!profile_audit(a->profile, "kernel_cpu_ns", &kernel) ||
		!profile_audit(a->profile, "wall_ns", &wall) || !wall || kernel >= wall / IDLE)
		return;
	fprintf(a->out,
		"on a CPU for %.1f %% of the time: sprofrun -w wall shows where the threads wait\n",
		(double)kernel * 100 / (double)wall);
}

/* Prints all that is known of the sampling, in several lines. */
static void print_figures(struct auditing *a)
{
	print_coverage(a);
	print_choice(a);
	end_line(a);
	print_stops(a);
	end_line(a);
	print_losses(a);
	end_line(a);
}

static void print_notes(const struct profile *profile, FILE *out)
{
	for (size_t i = 0; i < profile_notes(profile); i++) {
		char *note = text_clean(profile_note(profile, i), false);

		if (note)
			fprintf(out, "note: %s\n", note);
		free(note);
	}
}

/* Prints ", found 99.2 % ± 1.1": of the expected samples. */
static void print_found_briefly(struct auditing *a)
{
	struct audit_found found;

	if (!audit_found(a->profile, &found) || found.says_nothing)
		return;
	separate(a, "audit: ");
	fprintf(a->out, "found %.1f %% %s %.1f", found.ratio * 100, a->ascii ? "+-" : "\xc2\xb1",
		found.error * STATS_95_PERCENT * 100);
}

/* Prints ", lost 3, unresolved 29 (10.0 %)", or ", nothing lost". */
static void print_losses_briefly(struct auditing *a)
{
	static const struct {
		const char *key, *text;
	} losses[] = {
		{"lost_samples", "lost"},
		{"unresolved_samples", "unresolved"},
		{"truncated_stacks", "truncated stacks"},
		{"incomplete_stacks", "incomplete stacks"},
		{"unrepaired_eintr", "calls left with EINTR"},
		{"sprofil_lost", "sprofil ticks lost"},
	};
	uint64_t n, ignored, samples = 0;
	size_t shown = 0;

	(void)audit_figure(a->profile, "samples", &samples);
	for (size_t i = 0; i < sizeof(losses) / sizeof(*losses); i++) {
		uint64_t all;

		if (!audit_figure(a->profile, losses[i].key, &n) || !n)
			continue;
		separate(a, "audit: ");
		fprintf(a->out, "%s %" PRIu64, losses[i].text, n);
		all = samples + (i ? 0 : n);
		if (all && i < 4)
			fprintf(a->out, " (%.1f %%)", (double)n * 100 / (double)all);
		shown++;
	}
	/* Of a profile of another program, "nothing lost" cannot be said. */
	if (!shown && profile_audit(a->profile, "lost_samples", &ignored)) {
		separate(a, "audit: ");
		fputs("nothing lost", a->out);
	}
}

/* Prints "audit: 3104 samples at 248 of 250 Hz, cost 1.24 %, found 99.2 % ± 1.1, nothing lost". */
static void print_line(struct auditing *a)
{
	char asked[TEXT_UNIT_BYTES], reached[TEXT_UNIT_BYTES], calls[TEXT_UNIT_BYTES];
	struct audit_rate rate;
	uint64_t samples, in_calls = 0;

	if (audit_figure(a->profile, "samples", &samples) && samples) {
		separate(a, "audit: ");
		fprintf(a->out, "%" PRIu64 " sample%s", samples, samples == 1 ? "" : "s");
		if (audit_rate(a->profile, &rate) && rate.reached_hz > 0) {
			text_format_hz(rate.asked_hz, asked);
			text_format_hz(rate.reached_hz, reached);
			fprintf(a->out, " at %.*s of %s", (int)strcspn(reached, " "), reached,
				asked);
		}
	}
	print_cost(a, "");
	print_found_briefly(a);
	print_losses_briefly(a);
	if (profile_audit(a->profile, AUDIT_SYSCALL_CPU, &in_calls) && in_calls) {
		text_format_ns(in_calls, calls);
		separate(a, "audit: ");
		fprintf(a->out, "%s in system calls left out", calls);
	}
	if (profile_audit(a->profile, "chosen_threads", &samples))
		print_choice(a);
	end_line(a);
}

/* A program that runs for less than some periods may have no sample at all. */
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
	fprintf(a->out,
		"no samples: %s of CPU time are too little for %s; a higher rate (-F) finds more\n",
		time, rate);
}

/* Prints what is wrong with the figures, a sentence each. */
static void print_remarks(struct auditing *a)
{
	struct audit_found found;
	struct audit_rate rate;
	bool has_found = audit_found(a->profile, &found), has_rate = audit_rate(a->profile, &rate);
	/* If the period is as short as a stop, that explains the missing samples. */
	bool is_fast = has_rate && rate.is_low && rate.asked_hz >= FAST_HZ;

	if (has_found && found.is_off && !is_fast)
		print_cause(a, &found);
	print_no_samples(a);
	if (has_rate)
		print_rate_remarks(a, &rate, is_fast || !has_found || !found.is_off,
			has_found ? found.late : 0);
	print_truncated(a);
	end_line(a);
	audit_faults_print(a->profile, a->ascii, a->out);
	point_to_wall(a);
}

enum extent { BRIEF, FULL };

static int print_all(const struct profile *profile, bool ascii, unsigned width, enum extent extent,
	bool points, FILE *out)
{
	struct auditing a = {.profile = profile, .ascii = ascii};
	struct wrap wrap;

	a.out = wrap_begin(&wrap, width, out);
	if (!a.out)
		return -ENOMEM;
	if (extent == FULL)
		print_figures(&a);
	else
		print_line(&a);
	print_wall(&a);
	end_line(&a);
	print_remarks(&a);
	if (points)
		point_to_doctor(&a);
	end_line(&a);
	print_notes(profile, a.out);
	return wrap_end(&wrap);
}

int report_audit_line(const struct profile *profile, bool ascii, unsigned width, FILE *out)
{
	return print_all(profile, ascii, width, BRIEF, true, out);
}

int report_audit_of_doctor(const struct profile *profile, bool ascii, unsigned width, FILE *out)
{
	return print_all(profile, ascii, width, BRIEF, false, out);
}

int report_audit_full(const struct profile *profile, bool ascii, unsigned width, FILE *out)
{
	return print_all(profile, ascii, width, FULL, true, out);
}
