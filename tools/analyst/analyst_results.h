/* SPDX-License-Identifier: MIT */
/*
 * The results of the analyst: files, reports, pieces. Each function is a deliver() of struct
 * finish; its @context is a struct analyst_results. It runs in a child, prints its own errors, and
 * returns the child's exit status.
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

/* At the end: writes the profile and prints the report, or sends data to the server or --ring. */
int analyst_results_end(void *context, struct analyst *analyst, int error);
/* SIGUSR2: writes the profile so far to a file with the time in its name. */
int analyst_results_so_far(void *context, struct analyst *analyst, int error);
/* The live view's Save, to settings->output. Prints nothing. Returns 0 or a positive errno. */
int analyst_results_view(void *context, struct analyst *analyst, int error);
/* Request of the server: sends the profile so far as a piece. */
int analyst_results_piece(void *context, struct analyst *analyst, int error);

#endif
