/* SPDX-License-Identifier: MIT */
/*
 * The end of an analysis, protected from crashes: a child with a copy of everything names the
 * locations, by third-party code on untrusted files. If the child dies, the file that it was
 * reading is skipped, and another child tries again: no sample is lost.
 */
#ifndef ANALYST_FINISH_H
#define ANALYST_FINISH_H

struct analyst;
struct blame;

struct finish {
	/* Runs in the child; @error: result of analyst_finish(). Returns the exit status. */
	int (*deliver)(void *context, struct analyst *analyst, int error);
	/* Prints one line; called in the parent. */
	void (*say)(void *context, const char *line);
	void *context;
};

/* Returns the exit status of deliver(), or -errno if every attempt died. */
int finish_run(const struct finish *finish, struct analyst *analyst, struct blame *blame);

#endif
