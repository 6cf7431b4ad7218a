/* SPDX-License-Identifier: MIT */
/* How far the report can be trusted. A figure that the profile does not have is not mentioned. */
#include <inttypes.h>
#include <stdlib.h>

#include "profile/audit.h"
#include "profile/profile.h"
#include "view/report.h"
#include "view/text.h"

struct auditing {
	const struct profile *profile;
	FILE *out;
	bool begun; /* something stands on this line */
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

/* "audit: 3104 ticks, explains 99.8 % of the CPU time (12.41 s of 12.43 s, 20.0 ms unsampled)" */
static void print_coverage(struct auditing *a)
{
	char part[TEXT_UNIT_BYTES], all[TEXT_UNIT_BYTES], rest[TEXT_UNIT_BYTES];
	uint64_t samples, profiled = 0, kernel, unattributed = 0;

	if (audit_figure(a->profile, "samples", &samples) && samples) {
		separate(a, "audit: ");
		fprintf(a->out, "%" PRIu64 " tick%s", samples, samples == 1 ? "" : "s");
	}
	(void)audit_figure(a->profile, "profiled_cpu_ns", &profiled);
	(void)audit_figure(a->profile, "unattributed_cpu_ns", &unattributed);
	if (!profile_audit(a->profile, "kernel_cpu_ns", &kernel) || !kernel)
		return;
	text_format_ns(profiled, part);
	text_format_ns(kernel, all);
	text_format_ns(unattributed, rest);
	separate(a, "audit: ");
	fprintf(a->out, "explains %.1f %% of the CPU time (%s of %s, %s unsampled)",
		(double)profiled * 100 / (double)kernel, part, all, rest);
}

/* "stop time p50 21 us, p99 60 us, max 412 us, 0.5 % of the running time" */
static void print_stops(struct auditing *a)
{
	static const char *const stops[][2] = {
		{"stop_ns_p50", "p50"}, {"stop_ns_p99", "p99"}, {"stop_ns_max", "max"}};
	char text[TEXT_UNIT_BYTES];
	uint64_t ns, stopped, running = 0;

	for (size_t i = 0; i < sizeof(stops) / sizeof(*stops); i++) {
		if (!profile_audit(a->profile, stops[i][0], &ns))
			continue;
		text_format_ns(ns, text);
		separate(a, "stop time ");
		fprintf(a->out, "%s %s", stops[i][1], text);
	}
	/* Of the time that its threads ran: a share of the clock would hide much of a mostly idle
	 * one. */
	if (!profile_audit(a->profile, "kernel_cpu_ns", &running))
		(void)audit_figure(a->profile, "profiled_cpu_ns", &running);
	if (!profile_audit(a->profile, "stopped_ns", &stopped) || !(running + stopped))
		return;
	separate(a, "stopped ");
	fprintf(a->out, "stopped for %.2f %% of the running time",
		(double)stopped * 100 / ((double)running + (double)stopped));
}

/* "threads lived 26.94 s: 13.0 % on a CPU, 34.1 % waiting for one, 52.8 % blocked" */
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
		bool always; /* a 0 is worth telling */
	} losses[] = {
		{"lost_samples", "lost samples", true},
		{"truncated_stacks", "truncated stacks", true},
		{"unresolved_samples", "unresolved", true},
		{"incomplete_stacks", "incomplete stacks", false},
		{"guessed_frames", "guessed frames", false},
		{"unrepaired_eintr", "calls left with EINTR", false},
		{"sprofil_lost", "sprofil ticks lost", false},
	};
	uint64_t n, all, ignored, samples = 0;

	(void)audit_figure(a->profile, "samples", &samples);
	for (size_t i = 0; i < sizeof(losses) / sizeof(*losses); i++) {
		if (!audit_figure(a->profile, losses[i].key, &n) || (!n && !losses[i].always))
			continue;
		/* Of a profile of another program, that nothing is lost is not for us to say. */
		if (!n && !profile_audit(a->profile, "lost_samples", &ignored))
			continue;
		separate(a, "");
		fprintf(a->out, "%s %" PRIu64, losses[i].text, n);
		/* What was lost was sampled, but is not among those that are here. */
		all = samples + (i ? 0 : n);
		if (n && all && i < 4)
			fprintf(a->out, " (%.1f %%)", (double)n * 100 / (double)all);
	}
}

void report_audit_line(const struct profile *profile, FILE *out)
{
	struct auditing a = {.profile = profile, .out = out};

	print_coverage(&a);
	end_line(&a);
	print_wall(&a);
	end_line(&a);
	print_stops(&a);
	end_line(&a);
	print_losses(&a);
	end_line(&a);
	for (size_t i = 0; i < profile_notes(profile); i++) {
		char *note = text_clean(profile_note(profile, i), false);

		if (note)
			fprintf(out, "note: %s\n", note);
		free(note);
	}
}
