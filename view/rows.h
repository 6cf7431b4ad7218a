/* SPDX-License-Identifier: MIT */
/*
 * The rows of a report: the sums of a profile's samples by function, or by source line, for the
 * samples that the options choose.
 *
 * A sample counts in the self of one row, that of its leaf: the innermost inlined function of its
 * first location. It counts once in the total of each row that its stack contains, even if
 * recursion repeats that row in the stack.
 *
 * By function, code without a name is the row "[libfoo.so]", one for all such code in that object.
 * By line it is "[libfoo.so+0x1234]", with the address as in the ELF file, for addr2line.
 */
#ifndef VIEW_ROWS_H
#define VIEW_ROWS_H

#include "profile/profile.h"
#include "view/options.h"

enum rows_by { ROWS_BY_FUNCTION, ROWS_BY_LINE };

struct row {
	const char *function, *file, *object;
	uint32_t line;
	uint32_t id;      /* pid or tid, if split */
	const char *task; /* name of the process or thread, if split */
	bool unsampled;
	int64_t self[VALUE_TYPES_MAX], total[VALUE_TYPES_MAX];
};

struct rows {
	struct row *row; /* sorted, without those excluded by the options */
	size_t n;
	struct row left_out; /* sums of the rows excluded; only self and total */
	size_t left_out_rows;
	size_t callers_only; /* of @left_out_rows, those whose self would show as 0.0 % */
	size_t weight;       /* index of the value type by which rows are sorted and weighed */
	int64_t all[VALUE_TYPES_MAX];    /* sums of the whole profile */
	int64_t chosen[VALUE_TYPES_MAX]; /* sums of the samples chosen by the options */
	int64_t unsampled;               /* the part of all[weight] that is [unsampled] */
	/* What is 100 %: all[weight]; if @negative, the sum of all amounts without signs. */
	int64_t whole;
	/* Some amounts are negative: the profile is a difference, as other tools write it. */
	bool negative;
	double effective_samples; /* 0 unknown */
	bool filtered;            /* the options choose a part of the samples */
	bool has_callers;         /* some row's total differs from its self */
	struct rows_text *text;   /* strings that the profile does not own */
};

struct places;
struct filter;

/* Returns the amount without its sign, by which rows are sorted. */
static inline int64_t rows_amount(int64_t value)
{
	return value == INT64_MIN ? INT64_MAX : value < 0 ? -value : value;
}

/*
 * Sets only weight, the sums (all, chosen, unsampled, whole), negative and effective_samples: for
 * reports whose rows are not a list.
 */
void rows_sum_up(const struct profile *profile, const struct places *places,
	const struct filter *filter, struct rows *rows);

/*
 * Collects the rows. 0, -ENOMEM, or -EINVAL with a sentence in @ret_problem, which the caller frees
 * (see filter_init()).
 */
int rows_collect(const struct profile *profile, const struct report_options *options,
	enum rows_by by, struct rows *ret_rows, char **ret_problem);
void rows_release(struct rows *rows);

#endif
