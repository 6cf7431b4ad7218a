/* SPDX-License-Identifier: MIT */
/*
 * The rows of a report: sums of the chosen samples by function, by source line, by process or
 * thread, or by object.
 *
 * A sample's leaf is the innermost inlined function of its first location. The sample counts in the
 * self of the row of its leaf. It counts once in the total of each row that its stack contains,
 * even with recursion. In a row of a process, a thread or an object, total and self are equal.
 *
 * By function, all unnamed code of an object is one row, "[libfoo.so]". By line, each unnamed
 * address is a row, "[libfoo.so+0x1234]". The address is that in the ELF file, as addr2line wants
 * it.
 */
#ifndef VIEW_ROWS_H
#define VIEW_ROWS_H

#include "profile/profile.h"
#include "view/options.h"
#include "view/task_times.h"

/*
 * TASK: a row per process or per thread, as options->split says. OBJECT: a row per file of a leaf.
 */
enum rows_by { ROWS_BY_FUNCTION, ROWS_BY_LINE, ROWS_BY_TASK, ROWS_BY_OBJECT };

struct row {
	const char *function; /* by task: its process or thread; by object: that object */
	const char *file, *object;
	uint32_t line;
	uint32_t id;      /* pid or tid, if split */
	const char *task; /* process or thread, if split */
	bool unsampled;
	int64_t rank; /* rows are sorted by rows_amount() of this */
	int64_t self[VALUE_TYPES_MAX], total[VALUE_TYPES_MAX];
};

struct rows {
	struct row *row; /* sorted, without the excluded ones */
	size_t n;
	struct row left_out; /* sums of the excluded rows; only @self and @total are set */
	size_t left_out_rows;
	size_t callers_only;          /* number of excluded rows whose self would show as 0.0 % */
	size_t weight;                /* index of the value type that sorts and weighs rows */
	int64_t all[VALUE_TYPES_MAX]; /* sums of the whole profile */
	int64_t chosen[VALUE_TYPES_MAX]; /* of the chosen samples */
	int64_t unsampled;               /* [unsampled] part of all[weight] */
	/* the amount that is 100 %: all[weight], or if @negative the sum of absolute amounts */
	int64_t whole;
	bool negative;            /* some amounts are negative: a difference of profiles */
	double effective_samples; /* 0: unknown */
	bool filtered;            /* only a part of the samples was chosen */
	bool has_callers;         /* some row's total is not its self */
	struct task_times times;  /* empty unless the options split by thread */
	bool by_used;             /* ranks are the CPU times that the kernel charged */
	struct rows_text *text;   /* strings that the profile does not own */
};

struct places;
struct filter;

/* Rows are sorted by this amount, without a sign. */
static inline int64_t rows_amount(int64_t value)
{
	return value == INT64_MIN ? INT64_MAX : value < 0 ? -value : value;
}

/*
 * Sets the sums (@all, @chosen, @unsampled, @whole), @weight, @negative, @filtered and
 * @effective_samples. Makes no list of rows.
 */
void rows_sum_up(const struct profile *profile, const struct places *places,
	const struct filter *filter, struct rows *rows);

/*
 * Returns 0; -ENOMEM; or -EINVAL if a pattern of the options is no regular expression, or the
 * profile lacks the value type. With -EINVAL, *@ret_problem is a sentence, which the caller frees.
 */
int rows_collect(const struct profile *profile, const struct report_options *options,
	enum rows_by by, struct rows *ret_rows, char **ret_problem);
void rows_release(struct rows *rows);

#endif
