/* SPDX-License-Identifier: MIT */
/*
 * `merge --by`: how evenly groups (ranks, hosts or processes) share the work, by function, and
 * which groups behave alike. Imbalance is the excess of the busiest group over the mean, in percent
 * of the mean: at a barrier, the other groups wait for the busiest.
 */
#ifndef VIEW_REPORT_BALANCE_H
#define VIEW_REPORT_BALANCE_H

#include "view/frames.h"
#include "view/pairs.h"
#include "view/report/report.h"

struct balance_group {
	double weight, samples; /* @samples: number of samples */
	const char *program;    /* owned by the profile; NULL: perhaps several programs */
	size_t program_bytes;   /* leading bytes of @program that count: 6 of "solver rank 3" */
	uint32_t like;          /* the first group that behaves like this one; may be itself */
};

struct balance_row {
	uint32_t place; /* or BALANCE_ALL */
	uint32_t most;  /* the busiest group */
	double least, mean, greatest;
};

enum { BALANCE_ALL = UINT32_MAX };

struct balance {
	struct frames frames;
	struct pool names; /* of groups; group 0 has id 1 */
	struct balance_group *group;
	size_t groups;
	double left_out;   /* weight of samples in no group */
	double period;     /* mean weight of a sample; 0: unknown */
	struct pairs part; /* pairs of group and place */
	double *weight;    /* by index in @part */
	size_t weight_room;
	struct balance_row *row; /* "all functions", then the most uneven functions */
	size_t rows, cut;        /* @cut: rows omitted by the limit */
};

static inline const char *balance_name(const struct balance *balance, size_t group)
{
	return pool_at(&balance->names, (uint32_t)group + 1);
}

/* Sets @like of all groups. 0 or -ENOMEM. */
int balance_find_alike(struct balance *balance);

#endif
