/* SPDX-License-Identifier: MIT */
/*
 * The end of an analysis, protected from crashes. Naming locations runs third-party code on
 * untrusted files; this happens in a child process with a copy of everything. If the child dies,
 * the file that it worked on is skipped and another child tries again: no sample is lost.
 */
#ifndef ANALYST_FINISH_H
#define ANALYST_FINISH_H

struct analyst;
struct blame;

struct finish {
	/*
	 * Runs in the child after analyst_finish(), whose result is @error. Returns the child's
	 * exit status.
	 */
	int (*deliver)(void *context, struct analyst *analyst, int error);
	/* Prints one line; called in the parent. */
	void (*say)(void *context, const char *line);
	void *context;
};

/* Returns the exit status of deliver(), or -errno if every attempt died. */
int finish_run(const struct finish *finish, struct analyst *analyst, struct blame *blame);

#endif
