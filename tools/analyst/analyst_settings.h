/* SPDX-License-Identifier: MIT */
/*
 * The command line of sprofil-analyst, with which the fronts pass on their users' options. The
 * analyst also inherits the descriptors of supervisor/output/link.h.
 */
#ifndef TOOLS_ANALYST_ANALYST_SETTINGS_H
#define TOOLS_ANALYST_ANALYST_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "analyst/runtimes.h"
#include "supervisor/output/link.h"
#include "tools/analyst/pieces.h"
#include "tools/front/live_settings.h"
#include "view/report/report.h"

struct blame;

/*
 * The first descriptor after those of link.h. With a server: the pipe to it. With --ring: this
 * analyst's piece; the descriptors after it are those of earlier pieces.
 */
enum { PIECES_FD = LINK_MORE_FD, PIECE_FD = LINK_MORE_FD };

struct analyst_settings {
	const char *output, *report, *name, *capture, *replay;
	const char *program; /* the program that started the analyst, for messages */
	unsigned call_graph; /* --call-graph: 0 dwarf, 1 fp, 2 no */
	const char *when;    /* --color as given */
	const char *threads; /* description of the chosen threads; NULL: all */
	bool color, quiet, verbose, frame_pointers, per_process, per_thread;
	bool dump, no_timeline;
	bool jit_map, user_only;
	enum runtimes_show python;
	bool interpreter_frames;
	/*
	 * with --per-process: the pattern that names each process's file, owned, and also in
	 * @output; else NULL
	 */
	char *apart;
	bool records; /* a profile is to be written */
	/*
	 * number of this analyst among those of the run, for pieces sent to a server; 0: no server
	 */
	uint32_t segment;
	bool unwritten;        /* no file is written: the server gets the profile */
	struct pieces pieces;  /* pieces of --ring */
	uint64_t rotate_bytes; /* file size for --rotate SIZE; 0 none */
	/* --keep: number of files of a series (same name, other time) to keep; NULL: all */
	const char *keep;
	enum report_split split;
	struct live_settings live;
	struct blame *blame; /* the files to skip; borrowed */
};

/*
 * Parses all options; files to skip are added to @blame. Ends the process with 2 if an option is
 * wrong. With --check-output always ends the process: with 0 if a recording may have the name, 2 if
 * not. Strings are borrowed from @argv.
 */
void analyst_settings_parse(
	struct analyst_settings *settings, struct blame *blame, int argc, char **argv);
void analyst_settings_release(struct analyst_settings *settings);

#endif
