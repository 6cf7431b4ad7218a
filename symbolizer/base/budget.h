/* SPDX-License-Identifier: MIT */
/*
 * Limits the memory that a file may cost. A small file can need much: many functions may share one
 * list of ranges, and many units one line table, of which each gets a copy. A section may
 * decompress to 1000 times its size. So memory kept for a file comes from a budget proportional to
 * the file's size, and all files together have a budget, too. A file over its budget is skipped and
 * reported.
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
	/*
	 * @began: bytes of this process's private memory at budget_watch_begin(); 0: not between
	 * begin and end, or unknown. @grown: by how many bytes that memory grew, from begin to end,
	 * in all finished watches together.
	 */
	uint64_t began, grown;
	unsigned looks; /* calls of budget_watch() */
	/*
	 * @opener, @statm_fd and @statm_pid are set only in the budget of all files. @opener opens
	 * "statm"; NULL: this process opens it.
	 */
	struct opener *opener;
	/* @statm_fd is /proc/PID/statm, opened by process @statm_pid; @statm_fd <= 0: none. */
	int statm_fd, statm_pid;
	bool over; /* an addition was refused */
};

/*
 * Sets the budget of all files: half of the machine's memory, but 512 MiB to 8 GiB. To be released
 * by budget_release().
 */
void budget_init_all(struct budget *budget, struct opener *opener);
void budget_release(struct budget *budget);
/* Sets the budget of a file and its debug files. @all outlives @budget; NULL: no common limit. */
void budget_init(struct budget *budget, struct budget *all);
/* Raises the limits, as another file, which has @bytes bytes, will use the budget. */
void budget_admit(struct budget *budget, uint64_t bytes);

/* Takes @bytes. False: over budget, now or before. Here and below, a NULL @budget allows all. */
bool budget_take(struct budget *budget, uint64_t bytes);
/*
 * May @bytes be used temporarily? They are not taken. False: the budget has no room for them, and
 * refuses everything from now on.
 */
bool budget_fits(struct budget *budget, uint64_t bytes);
/*
 * May a section of @from bytes be decompressed to @to bytes? True: @to is added to @inflated.
 * False: the budget refuses everything from now on.
 */
bool budget_inflate(struct budget *budget, uint64_t from, uint64_t to);

/*
 * Watch libdwarf's memory. Between begin and end, every fourth call of budget_watch() compares the
 * growth of this process's private memory with the limit. False: over the budget.
 */
void budget_watch_begin(struct budget *budget);
bool budget_watch(struct budget *budget);
void budget_watch_end(struct budget *budget);

#endif
