/* SPDX-License-Identifier: MIT */
/*
 * The rows of a report: the sums of a profile's samples by function, or by source line, for the
 * samples that the options choose.
 *
 * Self is that of the leaf: the innermost inlined function of the first location. Total counts a
 * sample once for each row that contains it, however often (recursion).
 *
 * A place without a name is, by function, "[libfoo.so]": one row for everything unknown in that
 * object; by line, "[libfoo.so+0x1234]": the address as in the ELF file, as input for addr2line.
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
	size_t callers_only; /* number of excluded rows that have less self time than is shown */
	size_t weight;       /* index of the value type by which rows are sorted and weighed */
	int64_t all[VALUE_TYPES_MAX];    /* sums of the whole profile */
	int64_t chosen[VALUE_TYPES_MAX]; /* sums of the samples chosen by the options */
	int64_t unsampled;               /* the part of all[weight] that is [unsampled] */
	/* The amount that shares are of: all[weight], or the sum of all amounts without signs. */
	int64_t whole;
	/* some amounts are negative: a difference of profiles, as other tools write it */
	bool negative;
	double effective_samples; /* 0 unknown */
	bool filtered;            /* the options choose samples */
	bool has_callers;         /* total differs from self somewhere */
	struct rows_text *text;   /* strings that the profile does not own */
};

struct places;
struct filter;

/* What one row is less important than another by: its amount without the sign. */
static inline int64_t rows_amount(int64_t value)
{
	return value == INT64_MIN ? INT64_MAX : value < 0 ? -value : value;
}

/*
 * Sets only the sums: weight, all, chosen, unsampled, whole, effective_samples. For reports whose
 * rows are not a list.
 */
void rows_sum_up(const struct profile *profile, const struct places *places,
	const struct filter *filter, struct rows *rows);

/* Collects the rows. Results and @ret_problem as those of filter_init(). */
int rows_collect(const struct profile *profile, const struct report_options *options,
	enum rows_by by, struct rows *ret_rows, char **ret_problem);
void rows_release(struct rows *rows);

#endif
