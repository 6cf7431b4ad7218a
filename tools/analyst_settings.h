/* SPDX-License-Identifier: MIT */
/*
 * What the command line of sprofil-analyst tells: the fronts hand over in it what their users asked
 * for. Descriptors are those of supervisor/engine/link.h.
 */
#ifndef TOOLS_ANALYST_SETTINGS_H
#define TOOLS_ANALYST_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "supervisor/engine/link.h"
#include "tools/live_settings.h"
#include "tools/pieces.h"
#include "view/report.h"

struct blame;

/* Of a server, the pipe to it; of --ring, the piece of its own, and those before. */
enum { PIECES_FD = LINK_MORE_FD, PIECE_FD = LINK_MORE_FD };

struct analyst_settings {
	const char *output, *report, *name, *capture, *replay;
	const char *program; /* that started us, for messages */
	const char *threads; /* which were chosen, in words; NULL: all */
	bool color, quiet, verbose, frame_pointers, per_process, dump, no_timeline;
	bool jit_map, user_only;
	char *apart;      /* a profile of each process: the pattern, which output is; else NULL */
	bool records;     /* a profile is to be written */
	uint32_t segment; /* pieces go to a server, and bear this number; 0: none do */
	bool unwritten;   /* and nowhere else */
	struct pieces pieces;  /* --ring */
	uint64_t rotate_bytes; /* --rotate SIZE; 0 none */
	const char *keep;      /* so many profiles that differ by their time; NULL: all */
	enum report_split split;
	struct live_settings live;
};

/*
 * Takes all options; files to be left alone go to @blame. Ends the process with 2 if one is wrong,
 * and with the answer to --check-output. Strings are borrowed from @argv.
 */
void analyst_settings_parse(
	struct analyst_settings *settings, struct blame *blame, int argc, char **argv);
void analyst_settings_release(struct analyst_settings *settings);

/* One message on the standard error, in the name of the program that started us. */
void analyst_settings_complain(const struct analyst_settings *settings, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
