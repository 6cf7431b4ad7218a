/* SPDX-License-Identifier: MIT */
/*
 * The results of the analyst: files, reports, pieces. Each function is a deliver() of struct finish
 * and gets a struct analyst_results as @context. It runs in a child, prints its own errors, and
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

/*
 * At the end: writes the profile and prints the report, or sends only what the server or --ring
 * needs.
 */
int analyst_results_end(void *context, struct analyst *analyst, int error);
/* SIGUSR2: writes the profile so far, with the time in its name. */
int analyst_results_so_far(void *context, struct analyst *analyst, int error);
/*
 * The live view's Save: writes the profile so far to the file named by settings->output. Prints
 * nothing. The exit status is 0 or a positive errno, from which the view makes its message.
 */
int analyst_results_view(void *context, struct analyst *analyst, int error);
/* Request of the server: sends the profile so far as a piece. */
int analyst_results_piece(void *context, struct analyst *analyst, int error);

#endif
