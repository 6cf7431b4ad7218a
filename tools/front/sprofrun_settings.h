/* SPDX-License-Identifier: MIT */
/* The command line of sprofrun: its table of options, its help, and invalid combinations. */
#ifndef TOOLS_FRONT_SPROFRUN_SETTINGS_H
#define TOOLS_FRONT_SPROFRUN_SETTINGS_H

#include <stdbool.h>

#include "supervisor/calls/histogram.h"
#include "supervisor/engine/engine.h"
#include "tools/front/command_as.h"
#include "tools/front/live_front.h"
#include "tools/front/serve_front.h"
#include "tools/front/target_options.h"
#include "tools/front/terminal_relay.h"

struct sprofrun_settings {
	struct engine_options engine;
	struct target_options target;
	struct command_as as;
	struct terminal_relay relay; /* with -u: the terminal of the command */
	char *java; /* "JAVA_TOOL_OPTIONS=…" for the command; owned; NULL: unset */
	const char *output, *report, *color, *capture, *diagnose, *check_stacks;
	bool quiet, verbose, per_thread, live, no_timeline, jit_map, user_only;
	struct live_front front; /* settings of --live */
	struct serve_front serve;
	struct histogram regions;
	const char **region; /* values of --region; the array is owned */
	size_t region_n;
	bool wide_bins; /* bins have 32 bits by default */
	const char *histogram;
	const char *keep;          /* --keep: how many of the newest files stay */
	const char *rotate, *ring; /* as given; NULL: not given */
	bool report_given, output_given;
};

/*
 * Parses the command line into @settings, which has the defaults. Strings are borrowed. Ends the
 * program with status 2 on errors. With --diagnose or --check-stacks, ignores everything else.
 */
void sprofrun_settings_parse(struct sprofrun_settings *settings, int argc, char **argv);

/* Does the run write several files in turn (--rotate or --ring)? */
bool sprofrun_settings_rotates(const struct sprofrun_settings *settings);

#endif
