/* SPDX-License-Identifier: MIT */
/* The name of an output file. */
#ifndef ANALYST_OUTPUT_H
#define ANALYST_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

struct output_facts {
	uint32_t pid;     /* %p */
	const char *name; /* %n; slashes in it become underscores */
	time_t time;      /* %t: 20260131-235959, local time */
	unsigned number;  /* from 2 on: so many had this time before; %t: 20260131-235959_2 */
	const char *rank; /* %r: MPI or Slurm rank, "0" when there is none */
};

/*
 * Replaces %p %n %t %r, and %% by %. Any other % stays as it is. The caller frees. -ENOMEM.
 */
int output_name(const char *pattern, const struct output_facts *facts, char **ret_name);
/* The same, but "%t" stays, and so does "%%". */
int output_series(const char *pattern, const struct output_facts *facts, char **ret_series);

/* The rank of this process as the usual launchers tell it in the environment, or "0". */
const char *output_rank(void);
/* NULL: no launcher tells one. */
const char *output_known_rank(void);
/* How many ranks the job has, as the launcher tells it; 1 when it does not. */
unsigned output_ranks(void);

/*
 * "sprof.pb.gz" and "%p" to "sprof.%p.pb.gz": @mark stands before the suffix, or at the end of a
 * name that has none; "gmon.out" to "%p.gmon.out". The caller frees. NULL: out of memory.
 */
char *output_apart(const char *pattern, const char *mark);
/* With a %t in it: @pattern if it has one, else "sprof.%t.pb.gz". The caller frees. NULL: out of
 * memory. */
char *output_timed(const char *pattern);
/* Has the last name of @pattern a %t? */
bool output_is_timed(const char *pattern);

#endif
