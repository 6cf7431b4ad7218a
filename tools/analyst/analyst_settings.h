/* SPDX-License-Identifier: MIT */
/*
 * The options of sprofil-analyst. The programs that users start (sprofrun, sproftop) pass them; the
 * descriptors that it inherits are in supervisor/output/link.h.
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
 * PIECES_FD: the socket to a server. PIECE_FD: with --ring, the memory file of this analyst's
 * piece; the descriptors that follow are those of earlier pieces, oldest first.
 */
enum { PIECES_FD = LINK_MORE_FD, PIECE_FD = LINK_MORE_FD };

struct analyst_settings {
	const char *output, *report, *name, *capture, *replay;
	const char *program; /* the program that messages name */
	unsigned call_graph; /* --call-graph: 0 dwarf, 1 fp, 2 no */
	const char *when;    /* the argument of --color */
	const char *threads; /* description of the chosen threads; NULL: all */
	bool color, quiet, verbose, frame_pointers, per_process, per_thread;
	bool dump, no_timeline;
	bool jit_map, user_only;
	enum runtimes_show python;
	bool interpreter_frames;
	/*
	 * --per-process: the pattern for the names of files, one per process; @output points to it.
	 * Owned.
	 */
	char *apart;
	bool records; /* a profile is to be written */
	/* number of this analyst in the run, for a server's pieces; 0: no server */
	uint32_t segment;
	bool unwritten;        /* no file: the server gets the profile */
	struct pieces pieces;  /* pieces of --ring */
	uint64_t rotate_bytes; /* --rotate SIZE; 0: none */
	/* --keep: how many files of a series (same name, other times) to keep; NULL: all */
	const char *keep;
	enum report_split split;
	struct live_settings live;
	struct blame *blame; /* the files to skip; borrowed */
};

/*
 * Parses all options; strings are borrowed from @argv, files to skip are added to @blame. Ends the
 * process with status 2 if an option is wrong. --check-output NAME always ends the process: with
 * status 0 if NAME can be the name of a recording, else with 2.
 */
void analyst_settings_parse(
	struct analyst_settings *settings, struct blame *blame, int argc, char **argv);
void analyst_settings_release(struct analyst_settings *settings);

#endif
