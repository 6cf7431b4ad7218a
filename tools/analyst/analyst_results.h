/* SPDX-License-Identifier: MIT */
/*
 * The results of the analyst: files, reports, pieces. Each function is a deliver() of struct
 * finish, with a struct analyst_results as its context: it runs in a child, reports errors, and
 * returns an exit status.
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

/* At the end: writes the profile, or what was requested instead, and the report. */
int analyst_results_end(void *context, struct analyst *analyst, int error);
/* SIGUSR2: writes the profile so far, with the time in its name. */
int analyst_results_so_far(void *context, struct analyst *analyst, int error);
/*
 * Save in the live view: writes the profile so far to the settings' output. Prints nothing; returns
 * an errno.
 */
int analyst_results_view(void *context, struct analyst *analyst, int error);
/* Request of the server: sends the profile so far as a piece. */
int analyst_results_piece(void *context, struct analyst *analyst, int error);

#endif
