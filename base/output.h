/* SPDX-License-Identifier: MIT */
/* The name of an output file. */
#ifndef BASE_OUTPUT_H
#define BASE_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

struct output_facts {
	uint32_t pid;     /* %p */
	const char *name; /* %n; slashes in it become underscores */
	time_t time;      /* %t: 20260131-235959, local time */
	unsigned number;  /* from 2 on, if this time was used before; %t: 20260131-235959_2 */
	const char *rank; /* %r: MPI or Slurm rank, "0" if there is none */
};

/*
 * Replaces %p %n %t %r, and %% by %. Any other % is unchanged. The caller frees the result.
 * -ENOMEM.
 */
int output_name(const char *pattern, const struct output_facts *facts, char **ret_name);
/* Replaces %p %n %r, but neither %t nor %%; otherwise as output_name(). */
int output_series(const char *pattern, const struct output_facts *facts, char **ret_series);

/* The rank of this process according to the usual launchers' environment variables, or "0". */
const char *output_rank(void);
/* The rank as the launcher has set it; NULL: no launcher sets one. */
const char *output_known_rank(void);
/* The number of ranks of the job according to the launcher; 1 if unknown. */
unsigned output_ranks(void);

/*
 * "sprof.pb.gz" and "%p" give "sprof.%p.pb.gz": @mark is inserted before the suffix, or appended to
 * a name without one; "gmon.out" gives "%p.gmon.out". The caller frees the result. NULL: out of
 * memory.
 */
char *output_apart(const char *pattern, const char *mark);
/*
 * A pattern with %t: @pattern if it has one, otherwise "sprof.%t.pb.gz". The caller frees the
 * result. NULL: out of memory.
 */
char *output_timed(const char *pattern);
/* Does the last component of @pattern contain %t? */
bool output_is_timed(const char *pattern);

#endif
