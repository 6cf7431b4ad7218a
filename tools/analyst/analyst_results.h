/* SPDX-License-Identifier: MIT */
/*
 * What the analyst does with its results: writes files, prints reports, sends pieces
 * (proto/piece.h). Each function can be the deliver() of a struct finish (analyst/finish.h), with a
 * struct analyst_results as @context. The function runs in a child process, prints its own errors,
 * and returns the child's exit status.
 */
#ifndef TOOLS_ANALYST_ANALYST_RESULTS_H
#define TOOLS_ANALYST_ANALYST_RESULTS_H

struct analyst;
struct analyst_settings;
struct opener;

struct analyst_results {
	const struct analyst_settings *settings;
	struct opener *opener;
};

/*
 * At the end of the run: writes the profile and prints the report. With a server, sends it the
 * profile; with --ring, keeps the profile in memory or writes all that was kept.
 */
int analyst_results_end(void *context, struct analyst *analyst, int error);
/* SIGUSR2: writes the profile so far to a file with the time in its name. */
int analyst_results_so_far(void *context, struct analyst *analyst, int error);
/*
 * The live view's Save: writes the profile to settings->output. Prints nothing. Returns 0 or a
 * positive errno.
 */
int analyst_results_view(void *context, struct analyst *analyst, int error);
/* The server requests a piece: sends it the profile so far. */
int analyst_results_piece(void *context, struct analyst *analyst, int error);

#endif
