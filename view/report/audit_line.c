/* SPDX-License-Identifier: MIT */
/* The audit says how reliable a report is. It omits figures that the profile lacks. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "profile/audit.h"
#include "profile/profile.h"
#include "profile/stats.h"
#include "view/report/audit_remarks.h"
#include "view/report/report.h"
#include "view/wrap.h"

/* The audit recommends the report `doctor` if at least 1 of MANY_UNRESOLVED samples has no name. */
enum { MANY_UNRESOLVED = 5 };

struct audit_loss {
	const char *key, *text;
	bool always; /* printed also if it is 0 */
};

/* Prints "cost 0.93 %" and @of_what; nothing if the cost is unknown. */
static void print_cost(struct auditing *a, const char *of_what)
{
	double share;

	if (!audit_cost(a->profile, &share))
		return;
	audit_separate(a, "audit: ");
	fprintf(a->out, "cost %.2f %%%s", share * 100, of_what);
}

/* Prints "3 of 5 threads left out, with 1.23 s of CPU time"; nothing if none was left out. */
static void print_choice(struct auditing *a)
{
	uint64_t chosen, threads, left_out = 0;
	char text[TEXT_UNIT_BYTES];

	if (!profile_audit(a->profile, "chosen_threads", &chosen) ||
		!profile_audit(a->profile, "threads", &threads) || threads <= chosen)
		return;
	(void)profile_audit(a->profile, "left_out_cpu_ns", &left_out);
	text_format_ns(left_out, text);
	audit_separate(a, "");
	fprintf(a->out, "%" PRIu64 " of %" PRIu64 " threads left out, with %s of CPU time",
		threads - chosen, threads, text);
}

/*
 * Prints "found 99.2 % ± 1.1": how many of the expected samples were found. The number behind ± is
 * half the width of the 95 % confidence interval, in percentage points.
 */
static void print_found(struct auditing *a, const struct audit_found *found)
{
	fprintf(a->out, "found %.1f %% %s %.1f", found->ratio * 100, a->ascii ? "+-" : "\xc2\xb1",
		found->error * STATS_95_PERCENT * 100);
}

/*
 * Prints each of @losses as "unresolved 29 (10.0 %)". A loss of 0 is left out, unless @always is
 * set in it. @begin is printed before the first of a line. @losses[0] to [3] must be numbers of
 * samples, and are printed with their share of all samples. @losses[0] must be the number of lost
 * samples, which the number of all samples does not include. Returns how many losses were printed.
 */
static size_t print_losses(
	struct auditing *a, const char *begin, const struct audit_loss *losses, size_t count)
{
	uint64_t n, ignored, samples = 0;
	size_t shown = 0;

	(void)audit_figure(a->profile, "samples", &samples);
	for (size_t i = 0; i < count; i++) {
		uint64_t of = i < 4 ? samples : 0;

		if (!audit_figure(a->profile, losses[i].key, &n) || (!n && !losses[i].always))
			continue;
		/* A profile of another program does not say whether samples were lost. */
		if (!n && !profile_audit(a->profile, "lost_samples", &ignored))
			continue;
		if (i == 0)
			of += n; /* the number of samples excludes lost ones */
		audit_separate(a, begin);
		fprintf(a->out, "%s %" PRIu64, losses[i].text, n);
		if (n && of)
			fprintf(a->out, " (%.1f %%)", (double)n * 100 / (double)of);
		shown++;
	}
	return shown;
}

/* Prints ", lost 3, unresolved 29 (10.0 %)", or ", nothing lost". */
static void print_losses_briefly(struct auditing *a)
{
	static const struct audit_loss losses[] = {
		{"lost_samples", "lost", false},
		{"unresolved_samples", "unresolved", false},
		{"truncated_stacks", "truncated stacks", false},
		{"incomplete_stacks", "incomplete stacks", false},
		{"unrepaired_eintr", "calls left with EINTR", false},
		{"sprofil_lost", "sprofil ticks lost", false},
	};
	uint64_t ignored;

	/* A profile of another program does not say whether anything was lost. */
	if (!print_losses(a, "audit: ", losses, sizeof(losses) / sizeof(*losses)) &&
		profile_audit(a->profile, "lost_samples", &ignored)) {
		audit_separate(a, "audit: ");
		fputs("nothing lost", a->out);
	}
}

/* Prints "audit: 3104 samples at 248 of 250 Hz, cost 1.24 %, found 99.2 % ± 1.1, nothing lost". */
static void print_line(struct auditing *a)
{
	char asked[TEXT_UNIT_BYTES], reached[TEXT_UNIT_BYTES], calls[TEXT_UNIT_BYTES];
	struct audit_found found;
	struct audit_rate rate;
	uint64_t samples, in_calls = 0;

	if (audit_figure(a->profile, "samples", &samples) && samples) {
		audit_separate(a, "audit: ");
		fprintf(a->out, "%" PRIu64 " sample%s", samples, samples == 1 ? "" : "s");
		if (audit_rate(a->profile, &rate) && rate.reached_hz > 0) {
			text_format_hz(rate.asked_hz, asked);
			text_format_hz(rate.reached_hz, reached);
			fprintf(a->out, " at %.*s of %s", (int)strcspn(reached, " "), reached,
				asked);
		}
	}
	print_cost(a, "");
	if (audit_found(a->profile, &found) && !found.says_nothing) {
		audit_separate(a, "audit: ");
		print_found(a, &found);
	}
	print_losses_briefly(a);
	if (profile_audit(a->profile, AUDIT_SYSCALL_CPU, &in_calls) && in_calls) {
		text_format_ns(in_calls, calls);
		audit_separate(a, "audit: ");
		fprintf(a->out, "%s in system calls left out", calls);
	}
	if (profile_audit(a->profile, "chosen_threads", &samples))
		print_choice(a);
	audit_end_line(a);
}

/*
 * Prints "real-time priority, 12 late instants (0.4 %)". A late instant is a sampling instant that
 * could not be used, mostly because the sampler came too late.
 */
static void print_instants(struct auditing *a, const struct audit_found *found)
{
	uint64_t late = 0;

	if (found->realtime >= 0 && !found->says_nothing) {
		audit_separate(a, "");
		fputs(found->realtime ? "real-time priority" : "no real-time priority", a->out);
	}
	if (!profile_audit(a->profile, "late_instants", &late) || !late)
		return;
	audit_separate(a, "");
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
	audit_separate(a, "audit: ");
	fprintf(a->out, "%s of CPU time (%s unsampled", all, rest);
	if (in_calls)
		fprintf(a->out, ", %s in system calls left out", calls);
	(void)fputc(')', a->out);
}

/*
 * Prints ", 248 of 250 Hz reached, cost 0.93 % of the CPU time, as good as 3011 of equal weight".
 * 3011 is the effective sample size: that many samples of equal weight would be as precise.
 */
static void print_rate(struct auditing *a, const struct audit_rate *rate)
{
	char asked[TEXT_UNIT_BYTES], reached[TEXT_UNIT_BYTES];

	text_format_hz(rate->asked_hz, asked);
	text_format_hz(rate->reached_hz, reached);
	if (rate->reached_hz > 0) {
		audit_separate(a, "audit: ");
		fprintf(a->out, "%.*s of %s reached", (int)strcspn(reached, " "), reached, asked);
	}
	print_cost(a, " of the CPU time");
	if (rate->effective) {
		audit_separate(a, "audit: ");
		fprintf(a->out, "as good as %" PRIu64 " of equal weight", rate->effective);
	}
}

/*
 * Prints the lines "audit: 3104 samples, 248 of 250 Hz reached, cost 0.93 % of the CPU time, as
 * good as 3011 of equal weight, 12.43 s of CPU time (20.0 ms unsampled)" and "found 99.2 % ± 1.1 of
 * the expected samples, real-time priority".
 */
static void print_coverage(struct auditing *a)
{
	struct audit_found found;
	struct audit_rate rate;
	bool has_found = audit_found(a->profile, &found);
	uint64_t samples;

	if (audit_figure(a->profile, "samples", &samples) && samples) {
		audit_separate(a, "audit: ");
		fprintf(a->out, "%" PRIu64 " sample%s", samples, samples == 1 ? "" : "s");
	}
	if (audit_rate(a->profile, &rate))
		print_rate(a, &rate);
	else
		print_cost(a, " of the CPU time");
	print_times(a);
	audit_end_line(a);
	if (has_found && !found.says_nothing) {
		audit_separate(a, "");
		print_found(a, &found);
		fputs(" of the expected samples", a->out);
	}
	if (has_found)
		print_instants(a, &found);
	audit_end_line(a);
}

/* Prints "stop time p50 21 us, p99 60 us, max 412 us, 0.5 % of the running time". */
static void print_stops(struct auditing *a)
{
	static const char *const stops[][2] = {
		{"stop_ns_p50", "p50"}, {"stop_ns_p99", "p99"}, {"stop_ns_max", "max"}};
	char text[TEXT_UNIT_BYTES];
	uint64_t ns, count;
	double stopped;

	if (profile_audit(a->profile, "stops", &count) && !count)
		return;
	for (size_t i = 0; i < sizeof(stops) / sizeof(*stops); i++) {
		if (!profile_audit(a->profile, stops[i][0], &ns))
			continue;
		text_format_ns(ns, text);
		audit_separate(a, "stop time ");
		fprintf(a->out, "%s %s", stops[i][1], text);
	}
	if (!audit_stopped(a->profile, &stopped))
		return;
	audit_separate(a, "stopped ");
	fprintf(a->out, "stopped for %.2f %% of the running time", stopped * 100);
}

static void print_losses_fully(struct auditing *a)
{
	static const struct audit_loss losses[] = {
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

	(void)print_losses(a, "", losses, sizeof(losses) / sizeof(*losses));
}

static void print_figures(struct auditing *a)
{
	print_coverage(a);
	print_choice(a);
	audit_end_line(a);
	print_stops(a);
	audit_end_line(a);
	print_losses_fully(a);
	audit_end_line(a);
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
	audit_separate(a, "");
	fprintf(a->out,
		"threads lived %s: %.1f %% on a CPU, %.1f %% waiting for one, %.1f %% blocked",
		text, (double)cpu * percent, (double)(queue[0] + queue[1]) * percent,
		(double)(blocked[0] + blocked[1]) * percent);
	if ((double)blocked[1] * percent >= 0.05)
		fprintf(a->out, " (%.1f %% unseen)", (double)blocked[1] * percent);
}

static void point_to_doctor(struct auditing *a)
{
	uint64_t unresolved = 0, samples = 0;

	(void)audit_figure(a->profile, "samples", &samples);
	if (!audit_figure(a->profile, "unresolved_samples", &unresolved) ||
		unresolved < samples / MANY_UNRESOLVED || !unresolved)
		return;
	audit_separate(a, "");
	fputs("sprofreport doctor names the cause of unresolved samples, and what mends it",
		a->out);
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

int report_audit(const struct profile *profile, enum report_audit_kind kind, bool ascii,
	unsigned width, FILE *out)
{
	struct auditing a = {.profile = profile, .ascii = ascii};
	struct wrap wrap;

	a.out = wrap_begin(&wrap, width, out);
	if (!a.out)
		return -ENOMEM;
	if (kind == REPORT_AUDIT_FULL)
		print_figures(&a);
	else
		print_line(&a);
	print_wall(&a);
	audit_end_line(&a);
	audit_print_remarks(&a);
	if (kind != REPORT_AUDIT_OF_DOCTOR)
		point_to_doctor(&a);
	audit_end_line(&a);
	print_notes(profile, a.out);
	return wrap_end(&wrap);
}
