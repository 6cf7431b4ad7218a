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
	/* number of the file among those of one second; from 2 on in %t: 20260131-235959_2 */
	unsigned number;
	const char *rank; /* %r: MPI or Slurm rank, "0" if there is none */
};

/* Replaces %p %n %t %r %%; keeps any other %. 0: the caller frees *@ret_name; or -ENOMEM. */
int output_name(const char *pattern, const struct output_facts *facts, char **ret_name);
/* Like output_name(), but keeps %t and %%: the result is the pattern of a series (series.h). */
int output_series(const char *pattern, const struct output_facts *facts, char **ret_series);

/* Returns this process's rank by the environment variables of the usual launchers, or "0". */
const char *output_rank(void);
/* Like output_rank(), but NULL if no launcher has set a rank. */
const char *output_known_rank(void);
/* Returns the number of ranks of the job according to the launcher; 1 if unknown. */
unsigned output_ranks(void);

/* Does @path end in @suffix, in upper or lower case? */
bool output_ends_in(const char *path, const char *suffix);
/*
 * Does the file name in @path consist of @name, a dot and more? "gmon.out.4711" continues
 * "gmon.out". Case is ignored. False if @name begins with a dot, as the suffix ".pb.gz" does.
 */
bool output_continues(const char *path, const char *name);

/*
 * Inserts @mark before a name's suffix, if any: "sprof.pb.gz" and "%p" give "sprof.%p.pb.gz". The
 * name "gmon.out" stays whole: "gmon.out" gives "%p.gmon.out", "gmon.out.%t" gives
 * "gmon.out.%t.%p". The caller frees the result. NULL: out of memory.
 */
char *output_apart(const char *pattern, const char *mark);
/* Returns a copy of @pattern with %t, which output_apart() adds if needed. NULL: out of memory. */
char *output_timed(const char *pattern);
/* Does the last component of @pattern contain %t? */
bool output_is_timed(const char *pattern);

#endif
