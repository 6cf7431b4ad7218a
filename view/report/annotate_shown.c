/* SPDX-License-Identifier: MIT */
/* Which lines and instructions `annotate` shows. */
#include "view/options.h"
#include "view/report/annotate.h"
#include "view/share.h"

bool annotate_is_hot(const struct annotate *annotate, const struct row *row)
{
	const struct rows *sums = &annotate->frames.sums;
	int64_t self = rows_amount(row->self[sums->weight]);
	int64_t total = rows_amount(row->total[sums->weight]), most = total > self ? total : self;

	return most && share_of(sums, most) * 100 >= annotate->options->min_percent;
}

bool annotate_shows_instruction(
	const struct annotate *annotate, const struct annotate_instruction *instruction)
{
	switch (annotate->options->instructions) {
	case REPORT_INSTRUCTIONS_NONE:
		return false;
	case REPORT_INSTRUCTIONS_ALL:
		return true;
	default:
		return annotate_is_hot(annotate, &instruction->row);
	}
}

bool annotate_shows_line(const struct annotate *annotate, size_t line)
{
	bool all = annotate->options->instructions == REPORT_INSTRUCTIONS_ALL;

	if (annotate_is_hot(annotate, &annotate->line[line].row))
		return true;
	for (size_t i = 0; all && i < annotate->instructions; i++) {
		if (annotate->instruction[i].line == line)
			return true;
	}
	return false;
}
