/* SPDX-License-Identifier: MIT */
#include "tools/analyst/analyst_settings.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyst/blame.h"
#include "base/command_line.h"
#include "base/outfile.h"
#include "base/output.h"
#include "base/standard.h"
#include "view/export/export_name.h"

static bool want_color(const char *when)
{
	const char *no = getenv("NO_COLOR");

	if (strcmp(when, "auto") != 0)
		return strcmp(when, "always") == 0;
	return isatty(STDERR_FILENO) && !(no && no[0]);
}

/* For --check-output: sprofrun has the name checked before it runs anything. */
static int check_output(const struct analyst_settings *s, const char *name)
{
	char *problem = NULL;

	if (export_check_recording(name, &problem) == 0)
		return 0;
	standard_complain(
		s->program, "output '%s': %s", name, problem ? problem : strerror(ENOMEM));
	free(problem);
	return 2;
}

/*
 * For --ring: takes the inherited descriptors of this piece and of earlier ones (pieces.h). @value:
 * the number of earlier pieces.
 */
static int take_pieces(void *settings, char *value)
{
	struct pieces *pieces = &((struct analyst_settings *)settings)->pieces;
	size_t before = strtoul(value, NULL, 10);

	pieces->on = true;
	pieces->own_fd = PIECE_FD;
	pieces->before = before < PIECES_BEFORE_MOST ? before : PIECES_BEFORE_MOST;
	for (size_t i = 0; i < pieces->before; i++)
		pieces->before_fd[i] = PIECE_FD + 1 + (int)i;
	for (int fd = PIECE_FD; fd <= PIECE_FD + (int)pieces->before; fd++)
		(void)fcntl(fd, F_SETFD, FD_CLOEXEC);
	return 0;
}

/* --per-process: makes @output a pattern, unless it is a device, a pipe or the like. */
static void make_pattern(struct analyst_settings *s)
{
	if (!s->per_process || outfile_is_in_place(s->output))
		return;
	s->apart = strstr(s->output, "%p") ? strdup(s->output) : output_apart(s->output, "%p");
	s->output = s->apart ? s->apart : s->output;
}

static int take_check_output(void *settings, char *value)
{
	exit(check_output(settings, value));
}

static int take_skip(void *settings, char *value)
{
	(void)blame_add(((struct analyst_settings *)settings)->blame, value);
	return 0;
}

#define AT(member) .at = offsetof(struct analyst_settings, member)

static const struct option_row rows[] = {
	{"output", 0, OPTION_TEXT, AT(output)},
	{"check-output", 0, OPTION_TAKE, .take = take_check_output},
	{"report", 0, OPTION_TEXT, AT(report)},
	{"color", 0, OPTION_TEXT, AT(when)},
	{"name", 0, OPTION_TEXT, AT(name)},
	{"program", 0, OPTION_TEXT, AT(program)},
	{"capture", 0, OPTION_TEXT, AT(capture)},
	{"replay", 0, OPTION_TEXT, AT(replay)},
	{"skip", 0, OPTION_TAKE, .take = take_skip},
	{"call-graph", 0, OPTION_CHOICE, AT(call_graph), .words = "dwarf|fp|no"},
	{"quiet", 0, OPTION_FLAG, AT(quiet)},
	{"verbose", 0, OPTION_FLAG, AT(verbose)},
	{"per-process", 0, OPTION_FLAG, AT(per_process)},
	{"dump", 0, OPTION_FLAG, AT(dump)},
	{"no-timeline", 0, OPTION_FLAG, AT(no_timeline)},
	{"per-thread", 0, OPTION_FLAG, AT(per_thread)},
	{"jit-map", 0, OPTION_FLAG, AT(jit_map)},
	{"user-only", 0, OPTION_FLAG, AT(user_only)},
	{"keep", 0, OPTION_TEXT, AT(keep)},
	{"python", 0, OPTION_CHOICE, AT(python), .words = "yes|only|no"},
	{"interpreter-frames", 0, OPTION_FLAG, AT(interpreter_frames)},
	{"rotate-bytes", 0, OPTION_NUMBER, AT(rotate_bytes)},
	{"pieces", 0, OPTION_TAKE, .take = take_pieces},
	{"live-target", 0, OPTION_TEXT, AT(live.target)},
	{"live-view", 0, OPTION_TEXT, AT(live.view)},
	{"live-log", 0, OPTION_TEXT, AT(live.log)},
	{"live-keys", 0, OPTION_TEXT, AT(live.keys)},
	{"live-modes", 0, OPTION_TEXT, AT(live.modes)},
	{"live-save-as", 0, OPTION_TEXT, AT(live.save_as)},
	{"live-screens", 0, OPTION_NUMBER, AT(live.screens)},
	{"live-delay", 0, OPTION_NUMBER, AT(live.delay_ns)},
	{"live-half-life", 0, OPTION_NUMBER, AT(live.half_life_ns)},
	{"live-period", 0, OPTION_NUMBER, AT(live.period_ns)},
	{"live-rows", 0, OPTION_NUMBER, AT(live.rows)},
	{"live-columns", 0, OPTION_NUMBER, AT(live.columns)},
	{"live-cost-ppm", 0, OPTION_NUMBER, AT(live.cost_ppm)},
	{"live-batch", 0, OPTION_FLAG, AT(live.batch)},
	{"live-ascii", 0, OPTION_FLAG, AT(live.ascii)},
	{"live-totals", 0, OPTION_FLAG, AT(live.totals)},
	{"live-on", 0, OPTION_FLAG, AT(live.on)},
	{"live-color", 0, OPTION_FLAG, AT(live.color)},
	{"live-goes-on", 0, OPTION_FLAG, AT(live.goes_on)},
	{"live-one-process", 0, OPTION_FLAG, AT(live.one_process)},
	{"live-suspends", 0, OPTION_FLAG, AT(live.suspends)},
	{"segment", 0, OPTION_COUNT, AT(segment), .most = UINT32_MAX},
	{"no-output", 0, OPTION_FLAG, AT(unwritten)},
	{"threads", 0, OPTION_TEXT, AT(threads)},
	{"thread-name", 0, OPTION_TEXT, AT(live.thread_name)},
	{"tid", 0, OPTION_TEXT, AT(live.tids)},
};

void analyst_settings_parse(struct analyst_settings *s, struct blame *blame, int argc, char **argv)
{
	struct option_set set = {OPTION_ROWS(rows), s, 0};

	*s = (struct analyst_settings){.output = "sprof.pb.gz",
		.report = "flat",
		.name = "sprofil",
		.program = "sprofrun",
		.blame = blame};
	command_line_parse_own(&set, argc, argv);
	s->records = command_line_given(&set, "output");
	s->frame_pointers = s->call_graph == 1;
	s->color = s->when && want_color(s->when);
	s->split = s->per_thread ? REPORT_SPLIT_THREAD
		: s->per_process ? REPORT_SPLIT_PROCESS
				 : REPORT_SPLIT_NONE;
	make_pattern(s);
}

void analyst_settings_release(struct analyst_settings *s)
{
	free(s->apart);
}
