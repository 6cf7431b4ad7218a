/* SPDX-License-Identifier: MIT */
/*
 * The end of an analysis, protected from crashes. A forked child names the locations, by
 * third-party code on untrusted files. If the child dies, the parent still has all samples. It then
 * skips the file that the child was reading, and forks another child.
 */
#ifndef ANALYST_FINISH_H
#define ANALYST_FINISH_H

struct analyst;
struct blame;

struct finish {
	/*
	 * Called in the child after analyst_finish(), whose result is @error. Returns the exit
	 * status of the child.
	 */
	int (*deliver)(void *context, struct analyst *analyst, int error);
	/* Prints one line; called in the parent. */
	void (*say)(void *context, const char *line);
	void *context;
};

/* Returns the exit status of deliver(), or -errno if every attempt died. */
int finish_run(const struct finish *finish, struct analyst *analyst, struct blame *blame);

#endif
