/* SPDX-License-Identifier: MIT */
/*
 * Limits the memory that a file may cost. A small file can need much: its functions share a list of
 * ranges, its units a line table, its sections decompress to 1000 times their size. So memory kept
 * for a file comes from a budget proportional to the file's size, and all files together have a
 * budget, too. A file over its budget is skipped and reported.
 *
 * Measured: a row of a line table takes 24 bytes here, 3 to 5 in the file; all of libxul takes
 * twice its debug file.
 */
#ifndef SYMBOLIZER_BUDGET_H
#define SYMBOLIZER_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

struct opener;

struct budget {
	struct budget *all;     /* of all files together, NULL: none */
	uint64_t limit, used;   /* bytes of memory */
	uint64_t inflated;      /* bytes of sections after decompression */
	uint64_t inflated_most; /* limit of inflated */
	/* Private memory in bytes at budget_watch_begin(), and its growth in earlier watches. */
	uint64_t began, grown;
	unsigned looks; /* calls of budget_watch() */
	/* Set only in the budget of all files. @opener opens "statm"; NULL: this process does. */
	struct opener *opener;
	int statm_fd, statm_pid; /* /proc/PID/statm, and its opening process; fd <= 0: none */
	bool over;               /* an addition was refused */
};

/* Sets the budget of all files, by the machine's memory. To be released by budget_release(). */
void budget_init_all(struct budget *budget, struct opener *opener);
void budget_release(struct budget *budget);
/* Sets the budget of a file and its debug files. @all outlives @budget; NULL: no common limit. */
void budget_init(struct budget *budget, struct budget *all);
/* Raises the limits for another file, of @bytes bytes. */
void budget_admit(struct budget *budget, uint64_t bytes);

/* Takes @bytes. False: over budget, now or before. Here and below, a NULL @budget allows all. */
bool budget_take(struct budget *budget, uint64_t bytes);
/* May @bytes be used temporarily? False: the file is over its budget from now on. */
bool budget_fits(struct budget *budget, uint64_t bytes);
/* May a section of @from bytes be decompressed to @to bytes? True: they count as decompressed. */
bool budget_inflate(struct budget *budget, uint64_t from, uint64_t to);

/*
 * Watch libdwarf's memory. Between begin and end, every fourth call of budget_watch() compares the
 * growth of this process's private memory with the limit. False: over the budget.
 */
void budget_watch_begin(struct budget *budget);
bool budget_watch(struct budget *budget);
void budget_watch_end(struct budget *budget);

#endif
