/* SPDX-License-Identifier: MIT */
/*
 * What the analyst gives: files, reports, pieces. Each function is a deliver() of struct finish,
 * with a struct analyst_results for its context: it runs in a child, says what went wrong, and
 * returns an exit status.
 */
#ifndef TOOLS_ANALYST_RESULTS_H
#define TOOLS_ANALYST_RESULTS_H

struct analyst;
struct analyst_settings;
struct opener;

struct analyst_results {
	const struct analyst_settings *settings;
	struct opener *opener;
};

/* At the end: the profile or what is asked for in its place, and the report. */
int analyst_results_end(void *context, struct analyst *analyst, int error);
/* SIGUSR2: the profile so far, named by the time. */
int analyst_results_so_far(void *context, struct analyst *analyst, int error);
/* The live view saves: the profile so far to the settings' output. Says nothing; an errno. */
int analyst_results_view(void *context, struct analyst *analyst, int error);
/* The server asks: the profile so far as a piece. */
int analyst_results_piece(void *context, struct analyst *analyst, int error);

#endif
