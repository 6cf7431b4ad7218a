/* SPDX-License-Identifier: MIT */
#include "tools/analyst/analyst_results.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "analyst/analyst.h"
#include "analyst/processes.h"
#include "base/standard.h"
#include "profile/profile.h"
#include "proto/record.h"
#include "tools/analyst/analyst_settings.h"
#include "tools/analyst/delivery.h"
#include "tools/analyst/pieces.h"
#include "tools/serve/piece_send.h"
#include "view/export/export.h"
#include "view/report/dump_text.h"
#include "view/report/report.h"

static struct delivery delivery_of(const struct analyst_results *results)
{
	return (struct delivery){.opener = results->opener,
		.peer_fd = results->settings->replay ? -1 : LINK_REQUEST_FD};
}

/* @of is the name of the process, for %n in the file's name. */
static int write_profile(const struct analyst_results *results, const struct profile *profile,
	uint32_t pid, const char *of, struct delivered *ret_delivered)
{
	const struct analyst_settings *s = results->settings;
	struct delivery delivery = delivery_of(results);

	if (strcmp(s->output, "-") != 0)
		return delivery_write(&delivery, OPENING_OUTPUT, pid, of, profile, ret_delivered);
	*ret_delivered = (struct delivered){.name = "-"};
	return delivery_print(&delivery, profile);
}

/* A bad name must not cost the data: writes the profile to TMPDIR, and says so. */
static void complain_unwritten(const struct analyst_results *results,
	const struct delivered *delivered, int error, const struct profile *profile)
{
	const struct analyst_settings *s = results->settings;
	struct delivery delivery = delivery_of(results);
	struct delivered kept;
	const char *why = delivered->why;
	const char *where = delivered->name[0] ? delivered->name : s->output;
	bool is_kept = delivery_write(&delivery, OPENING_KEEP, 0, "", profile, &kept) == 0;

	if (!why[0])
		why = error == -EINTR ? "nobody reads it" : strerror(-error);
	standard_complain(s->program, "cannot write the profile to %s: %s%s%s%s",
		strcmp(where, "-") != 0 ? where : "standard output", why,
		error == -EFBIG ? " (the limit is that of 'ulimit -f')" : "",
		is_kept ? "; it is kept in " : "; nor can it be kept in ",
		is_kept || kept.name[0] ? kept.name
			: kept.why[0]   ? kept.why
					: "TMPDIR");
}

/* Writes a profile for each process; the settings' output is a pattern for the files' names. */
static int write_apart(const struct analyst_results *results, struct analyst *analyst,
	struct delivered *ret_delivered)
{
	const struct analyst_settings *s = results->settings;
	const struct processes *processes = &analyst->processes;
	int r = 0;

	for (size_t i = 0; i < processes->n && r == 0; i++) {
		const struct process_facts *facts = &processes->list[i];
		struct profile *profile;

		r = processes_profile(facts, analyst->profile, &profile);
		if (r < 0)
			break;
		r = write_profile(results, profile, facts->pid, facts->name, ret_delivered);
		profile_free(profile);
	}
	if (r == 0 && !s->quiet)
		standard_complain(s->program,
			"%zu profiles, of a process each, are in %s%s (%%p is the process id)",
			processes->n, s->output, export_remark(s->output));
	return r;
}

static void print_report(const struct analyst_settings *s, const struct profile *profile)
{
	const struct report *report = report_find(s->report);
	struct winsize size = {0};
	struct report_options options = {
		.size = sizeof(options), .limit = 20, .split = s->split, .color = s->color};
	char *problem = NULL;

	if (!report || report->wants_function || report->print_sides)
		return;
	options.min_percent = report->text_min_percent;
	options.with_self = true;
	/*
	 * The report "tree" needs twice as many rows: a path from a program's start to its hot spot
	 * takes many. Only reports with a minimum share, such as "tree", get them.
	 */
	if (report->text_min_percent > 0)
		options.limit *= 2;
	if (isatty(STDERR_FILENO) && ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0)
		options.width = size.ws_col;
	(void)report->print(profile, &options, stderr, &problem);
	free(problem);
}

static void print_place(const struct analyst_settings *s, const char *name)
{
	const struct export_format *format = export_for_recording(name);

	standard_complain(s->program, "%s in %s%s%s%s", format->content, name, export_remark(name),
		format == export_at(0) ? "; sprofreport reads it"
			: format->note ? "; "
				       : "",
		format->note ? format->note : "");
}

/*
 * Says which file was written. With --rotate and --keep, that file may already be deleted when the
 * message is read, so nothing is said. With --keep alone, says how many files of the series stay.
 */
static void print_written(
	const struct analyst_settings *s, const struct analyst *analyst, const char *name)
{
	if (s->keep && analyst->end_flags & RECORD_END_ROTATED)
		return;
	print_place(s, name);
	if (s->keep)
		standard_complain(s->program,
			"with it the newest files of the series stay, %s at most (--keep)",
			s->keep);
}

/*
 * Sends the profile to the server. It is no error if the server has ended: the profile that this
 * process writes does not need the server.
 */
static void send_piece(
	const struct analyst_settings *s, const struct analyst *analyst, enum piece_kind kind)
{
	struct piece piece = {.kind = kind,
		.segment = s->segment,
		.began_ns = analyst->began_ns,
		.until_ns = analyst->last_ns};
	int r = piece_send(PIECES_FD, &piece, analyst->profile);

	if (r < 0 && r != -EPIPE && r != -ECONNRESET)
		standard_complain(s->program, "a piece of the profile did not reach the server: %s",
			strerror(-r));
}

/*
 * --ring: at RECORD_END_PIECE, keeps the profile as a piece (pieces.h). At another end, merges and
 * writes all pieces, unless nobody asked for the profile (RECORD_END_UNASKED).
 */
static int deliver_pieces(const struct analyst_results *results, struct analyst *analyst,
	struct delivered *ret_delivered)
{
	const struct analyst_settings *s = results->settings;
	struct delivery delivery = delivery_of(results);
	unsigned flags = analyst->end_flags;
	struct profile *all;
	int r;

	if (flags & RECORD_END_PIECE) {
		r = pieces_keep(s->pieces.own_fd, analyst->profile);
		if (r < 0)
			standard_complain(s->program,
				"cannot keep a piece of --ring: %s; it will be missing",
				strerror(-r));
		return 0;
	}
	if (flags & RECORD_END_UNASKED) {
		/* Printed with -q, too: whoever waits for a file must learn that none comes. */
		standard_complain(s->program,
			"this end writes no profile: with --ring one is written when SIGUSR2 "
			"asks, at the end of -d, or when a signal ends what is profiled");
		return 0;
	}
	delivery.snapshot = true;
	r = pieces_join(&s->pieces, analyst->profile, &all);
	if (r < 0)
		return r;
	r = delivery_write(
		&delivery, OPENING_OUTPUT, analyst->first_pid, s->name, all, ret_delivered);
	print_report(s, all);
	if (r < 0)
		complain_unwritten(results, ret_delivered, r, all);
	else if (!s->quiet)
		print_place(s, ret_delivered->name);
	profile_free(all);
	return r;
}

int analyst_results_end(void *context, struct analyst *analyst, int error)
{
	static struct delivered delivered;
	const struct analyst_results *results = context;
	const struct analyst_settings *s = results->settings;
	int r = error;

	if (s->dump && error >= 0) {
		error = dump_text_print(analyst->profile, stdout);
		return standard_printed(s->program, 1) || error < 0;
	}
	if (error < 0)
		standard_complain(s->program, "cannot make the profile: %s", strerror(-error));
	else if (!analyst_has_image(analyst))
		return 0; /* The command never ran; sprofrun says why. */
	if (error >= 0 && s->segment)
		send_piece(s, analyst, PIECE_WHOLE);
	if (s->unwritten)
		return error < 0;
	if (error < 0)
		r = error;
	else if (s->pieces.on)
		return deliver_pieces(results, analyst, &delivered) < 0;
	else if (s->apart)
		r = write_apart(results, analyst, &delivered);
	else
		r = write_profile(
			results, analyst->profile, analyst->first_pid, s->name, &delivered);
	if (error >= 0) {
		print_report(s, analyst->profile);
		if (r < 0)
			complain_unwritten(results, &delivered, r, analyst->profile);
		else if (!s->quiet && !s->apart && strcmp(delivered.name, "-") != 0)
			print_written(s, analyst, delivered.name);
		if (s->per_process && !s->apart && !s->quiet)
			standard_complain(s->program,
				"%s is no regular file: all processes are in one profile there",
				delivered.name[0] ? delivered.name : s->output);
	}
	return r < 0;
}

int analyst_results_view(void *context, struct analyst *analyst, int error)
{
	static struct delivered delivered;
	const struct analyst_results *results = context;
	const struct analyst_settings *s = results->settings;
	struct delivery delivery = delivery_of(results);
	int r = error < 0 ? error
			  : delivery_write(&delivery, OPENING_VIEW, 0, s->output, analyst->profile,
				    &delivered);

	return -r;
}

int analyst_results_so_far(void *context, struct analyst *analyst, int error)
{
	static struct delivered delivered;
	const struct analyst_results *results = context;
	const struct analyst_settings *s = results->settings;
	struct delivery delivery = delivery_of(results);
	int r = error;

	if (r >= 0 && s->pieces.on)
		return deliver_pieces(results, analyst, &delivered) < 0;
	delivery.snapshot = true;
	if (r >= 0)
		r = delivery_write(&delivery, OPENING_OUTPUT, analyst->first_pid, s->name,
			analyst->profile, &delivered);
	if (r < 0)
		standard_complain(s->program, "cannot write the snapshot %s: %s", delivered.name,
			delivered.why[0] ? delivered.why : strerror(-r));
	else if (!s->quiet)
		print_place(s, delivered.name);
	return r < 0;
}

int analyst_results_piece(void *context, struct analyst *analyst, int error)
{
	if (error >= 0)
		send_piece(
			((const struct analyst_results *)context)->settings, analyst, PIECE_SO_FAR);
	return error < 0;
}
