/* SPDX-License-Identifier: MIT */
/* The audit says how reliable a report is. It omits figures that the profile lacks. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "profile/audit.h"
#include "profile/profile.h"
#include "view/report/audit_internal.h"
#include "view/report/report.h"
#include "view/wrap.h"

/* The audit recommends doctor if at least 1 sample in so many is unresolved. */
enum { MANY_UNRESOLVED = 5 };

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
	if (!audit_print_losses(a, "audit: ", losses, sizeof(losses) / sizeof(*losses)) &&
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
	audit_print_cost(a, "");
	if (audit_found(a->profile, &found) && !found.says_nothing) {
		audit_separate(a, "audit: ");
		audit_print_found(a, &found);
	}
	print_losses_briefly(a);
	if (profile_audit(a->profile, AUDIT_SYSCALL_CPU, &in_calls) && in_calls) {
		text_format_ns(in_calls, calls);
		audit_separate(a, "audit: ");
		fprintf(a->out, "%s in system calls left out", calls);
	}
	if (profile_audit(a->profile, "chosen_threads", &samples))
		audit_print_choice(a);
	audit_end_line(a);
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
		audit_print_figures(&a);
	else
		print_line(&a);
	print_wall(&a);
	audit_end_line(&a);
	audit_print_remarks(&a);
	if (points)
		point_to_doctor(&a);
	audit_end_line(&a);
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
