/* SPDX-License-Identifier: MIT */
/* The names of output files, from patterns. */
#ifndef BASE_OUTPUT_H
#define BASE_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* The values of a pattern's conversions. Texts are borrowed. */
struct output_facts {
	uint32_t pid;     /* %p */
	const char *name; /* %n; slashes in it become underscores */
	time_t time;      /* %t: 20260131-235959, local time */
	/* number of the file among those of one time; shown in %t from 2 on: 20260131-235959_2 */
	unsigned number;
	const char *rank; /* %r: MPI or Slurm rank, "0" if there is none */
};

/*
 * Replaces %p %n %t %r, and %% by %. Any other % is unchanged. 0, and the caller frees the result;
 * or -ENOMEM.
 */
int output_name(const char *pattern, const struct output_facts *facts, char **ret_name);
/*
 * Like output_name(), but leaves %t and %% as they are: the pattern of a series of files
 * (series.h).
 */
int output_series(const char *pattern, const struct output_facts *facts, char **ret_series);

/*
 * Returns the rank of this process according to the usual launchers' environment variables, or "0".
 */
const char *output_rank(void);
/* Returns the rank as the launcher has set it; NULL: no launcher sets one. */
const char *output_known_rank(void);
/* Returns the number of ranks of the job according to the launcher; 1 if unknown. */
unsigned output_ranks(void);

/* Does @path end in @suffix, in upper or lower case? */
bool output_ends_in(const char *path, const char *suffix);
/*
 * Does the last component of @path begin with the file name @name and continue with a dot and more,
 * as "gmon.out.4711" does for "gmon.out"? If @name begins with a dot, it is a suffix, and the
 * answer is no.
 */
bool output_continues(const char *path, const char *name);

/*
 * Inserts @mark before the suffix of a name, or appends it to a name without one: "sprof.pb.gz" and
 * "%p" give "sprof.%p.pb.gz". As "gmon.out" is the name of a format, it gives "%p.gmon.out", and
 * "gmon.out.%t" gives "gmon.out.%t.%p". The caller frees the result. NULL: out of memory.
 */
char *output_apart(const char *pattern, const char *mark);
/*
 * Returns a pattern with %t: a copy of @pattern if it has one, otherwise the result of
 * output_apart() for "%t". The caller frees the result. NULL: out of memory.
 */
char *output_timed(const char *pattern);
/* Does the last component of @pattern contain %t? */
bool output_is_timed(const char *pattern);

#endif
