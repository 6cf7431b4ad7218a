/* SPDX-License-Identifier: MIT */
/*
 * What a file may cost in memory. A small file can claim to be a large one: functions that share a
 * list of ranges, units that share a line table, sections that inflate a thousandfold. So all that
 * is kept of a file is taken from a budget in proportion to its size, and all files together have
 * one too. Over budget the file is left alone, and said to be to blame.
 *
 * Honest files: of 24 bytes for a row of a line table the file has 3 to 5, less when it is
 * compressed; libxul with lines and inlined calls of all its units takes twice its debug file.
 */
#ifndef SYMBOLIZER_BUDGET_H
#define SYMBOLIZER_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

struct opener;

struct budget {
	struct budget *all;     /* of all files together, NULL none */
	uint64_t limit, used;   /* bytes of what is kept */
	uint64_t inflated;      /* bytes of sections that were compressed */
	uint64_t inflated_most; /* of them */
	uint64_t began, grown;  /* private memory of the process: budget_watch() */
	unsigned looks;
	struct opener *opener;   /* of all files: gives "statm", NULL this process */
	int statm_fd, statm_pid; /* of all files, 0 not asked for yet */
	bool over;               /* something was refused */
};

/* For all files, by the machine's memory. To be released. */
void budget_init_all(struct budget *budget, struct opener *opener);
void budget_release(struct budget *budget);
/* For a file and its debug files; @all must outlive it. */
void budget_init(struct budget *budget, struct budget *all);
/* One more of its files, of @bytes bytes. */
void budget_admit(struct budget *budget, uint64_t bytes);

/* Of these a NULL budget refuses nothing. False: over budget, now or before. */
bool budget_take(struct budget *budget, uint64_t bytes);
/* May as much be used for a moment? */
bool budget_fits(struct budget *budget, uint64_t bytes);
/* A section of @from bytes is to become one of @to. */
bool budget_inflate(struct budget *budget, uint64_t from, uint64_t to);

/*
 * libdwarf keeps tables of its own for each unit. Between begin and end budget_watch() looks at
 * each fourth call how much memory the process has grown by, and compares it with the limit.
 */
void budget_watch_begin(struct budget *budget);
bool budget_watch(struct budget *budget);
void budget_watch_end(struct budget *budget);

#endif
