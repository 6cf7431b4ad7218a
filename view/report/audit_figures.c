/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "profile/audit.h"
#include "profile/profile.h"
#include "profile/stats.h"
#include "view/report/audit_internal.h"

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

void audit_print_cost(struct auditing *a, const char *of_what)
{
	double share;

	if (!audit_cost(a->profile, &share))
		return;
	audit_separate(a, "audit: ");
	fprintf(a->out, "cost %.2f %%%s", share * 100, of_what);
}

void audit_print_choice(struct auditing *a)
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

void audit_print_found(struct auditing *a, const struct audit_found *found)
{
	fprintf(a->out, "found %.1f %% %s %.1f", found->ratio * 100, a->ascii ? "+-" : "\xc2\xb1",
		found->error * STATS_95_PERCENT * 100);
}

size_t audit_print_losses(
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

/* Prints "real-time priority, 12 late instants (0.4 %)". */
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
	audit_print_cost(a, " of the CPU time");
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
		audit_print_cost(a, " of the CPU time");
	print_times(a);
	audit_end_line(a);
	if (has_found && !found.says_nothing) {
		audit_separate(a, "");
		audit_print_found(a, &found);
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

static void print_losses(struct auditing *a)
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

	(void)audit_print_losses(a, "", losses, sizeof(losses) / sizeof(*losses));
}

void audit_print_figures(struct auditing *a)
{
	print_coverage(a);
	audit_print_choice(a);
	audit_end_line(a);
	print_stops(a);
	audit_end_line(a);
	print_losses(a);
	audit_end_line(a);
}
