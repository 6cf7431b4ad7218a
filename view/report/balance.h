/* SPDX-License-Identifier: MIT */
/*
 * `merge --by`: how evenly groups (ranks, hosts or processes) share the work, by function, and
 * which of them behave alike. Imbalance is the excess of the busiest group over the mean, in
 * percent of the mean. If a barrier ends the work, the others wait there for the busiest.
 */
#ifndef VIEW_REPORT_BALANCE_H
#define VIEW_REPORT_BALANCE_H

#include "view/frames.h"
#include "view/pairs.h"
#include "view/report/report.h"

struct balance_group {
	double weight, samples; /* its weight; its number of samples */
	/*
	 * The name of the group's program, owned by the profile. Only its first @program_bytes
	 * count: 6 of "solver rank 3". NULL: the group may have several programs.
	 */
	const char *program;
	size_t program_bytes;
	uint32_t like; /* the first group that behaves like this one, possibly itself */
};

struct balance_row {
	uint32_t place; /* BALANCE_ALL: all functions */
	uint32_t most;  /* the group with the greatest value */
	double least, mean, greatest;
};

enum { BALANCE_ALL = UINT32_MAX };

struct balance {
	struct frames frames;
	struct pool names; /* names of groups; group 0 has id 1 */
	struct balance_group *group;
	size_t groups;
	double left_out;   /* weight of samples that are in no group */
	double period;     /* mean weight of a sample; 0: the number of samples is unknown */
	struct pairs part; /* pairs of a group and a place */
	double *weight;    /* by index in @part */
	size_t weight_room;
	struct balance_row *row; /* "all functions" first, then the most uneven functions */
	size_t rows, cut;        /* number of rows; number of rows that the limit omits */
};

static inline const char *balance_name(const struct balance *balance, size_t group)
{
	return pool_at(&balance->names, (uint32_t)group + 1);
}

/* Sets @like of all groups (balance_alike.c). 0 or -ENOMEM. */
int balance_find_alike(struct balance *balance);

/* Prints the report: the print() of its struct report (report.h). */
int balance_print(const struct profile *profile, const struct report_options *options, FILE *out,
	char **ret_problem);
/* Prints the text form (balance_text.c). 0 or -ENOMEM. */
int balance_text(const struct balance *balance, FILE *out);

#endif
