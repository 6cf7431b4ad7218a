/* SPDX-License-Identifier: MIT */
/*
 * Limits the memory that a file may cost. A small file can pretend to be large: functions that
 * share a list of ranges, units that share a line table, sections that decompress to a thousand
 * times their size. Therefore all memory kept for a file is taken from a budget proportional to its
 * size, and all files together have a budget too. A file over its budget is skipped and reported.
 *
 * For comparison: a row of a line table takes 24 bytes here and 3 to 5 in the file, less if it is
 * compressed; libxul with lines and inlined calls of all its units takes twice its debug file.
 */
#ifndef SYMBOLIZER_BUDGET_H
#define SYMBOLIZER_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

struct opener;

struct budget {
	struct budget *all;     /* of all files together, NULL: none */
	uint64_t limit, used;   /* bytes of memory: the limit, and what was taken */
	uint64_t inflated;      /* bytes of sections after decompression */
	uint64_t inflated_most; /* limit of inflated */
	/* Private memory in bytes at budget_watch_begin(), and its growth in earlier watches. */
	uint64_t began, grown;
	unsigned looks; /* calls of budget_watch() */
	/* Set only in the budget of all files. @opener opens "statm"; NULL: this process does. */
	struct opener *opener;
	int statm_fd, statm_pid; /* /proc/PID/statm, and the process that opened it; 0: none yet */
	bool over;               /* an addition was refused */
};

/* Sets the budget of all files, by the machine's memory. To be released by budget_release(). */
void budget_init_all(struct budget *budget, struct opener *opener);
void budget_release(struct budget *budget);
/* Sets the budget of a file and its debug files; @all must outlive it. */
void budget_init(struct budget *budget, struct budget *all);
/* Raises the limits by what another file, of @bytes bytes, may cost. */
void budget_admit(struct budget *budget, uint64_t bytes);

/*
 * Takes @bytes from the budget. False: they exceed it, or an earlier call did. A NULL budget
 * refuses nothing, here and below.
 */
bool budget_take(struct budget *budget, uint64_t bytes);
/* May @bytes be used temporarily? False: from now on the file is over its budget. */
bool budget_fits(struct budget *budget, uint64_t bytes);
/* May a section of @from bytes be decompressed to @to bytes? True: @to counts as used. */
bool budget_inflate(struct budget *budget, uint64_t from, uint64_t to);

/*
 * These functions watch the memory that libdwarf uses for each unit. Between begin and end, every
 * fourth call of budget_watch() checks the growth of the process's private memory against the
 * limit. False: over the budget.
 */
void budget_watch_begin(struct budget *budget);
bool budget_watch(struct budget *budget);
void budget_watch_end(struct budget *budget);

#endif
