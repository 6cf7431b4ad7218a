/* SPDX-License-Identifier: MIT */
/*
 * The end of an analysis, out of harm's way. Naming places runs foreign code on foreign files; it
 * happens in a child process that has a copy of everything. When it dies, the file that it worked
 * on is left alone and another child tries again: no sample is lost.
 */
#ifndef ANALYST_FINISH_H
#define ANALYST_FINISH_H

struct analyst;
struct blame;

struct finish {
	/* Runs in the child, after analyst_finish(); @error is its result. Returns an exit status.
	 */
	int (*deliver)(void *context, struct analyst *analyst, int error);
	/* Says one line, in the parent. */
	void (*say)(void *context, const char *line);
	void *context;
};

/* Returns the exit status of deliver(), or -errno when every try died. */
int finish_run(const struct finish *finish, struct analyst *analyst, struct blame *blame);

#endif
