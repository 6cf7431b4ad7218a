/* SPDX-License-Identifier: MIT */
#include "tools/live_choice.h"

#include <stdlib.h>

void live_choice_begin(struct live_choice *choice, const char *name, const char *tids)
{
	*choice = (struct live_choice){.tids = tids};
	/* The front has tried the expression; without memory nothing is marked. */
	if (name && regcomp(&choice->name, name, REG_EXTENDED | REG_NOSUB) == 0)
		choice->by_name = true;
}

void live_choice_release(struct live_choice *choice)
{
	if (choice->by_name)
		regfree(&choice->name);
	choice->by_name = false;
}

/* "123,456" */
static bool is_among(const char *tids, uint32_t tid)
{
	char *end;

	for (const char *at = tids; at && *at; at = *end ? end + 1 : end) {
		if (strtoul(at, &end, 10) == tid)
			return true;
	}
	return false;
}

bool live_choice_leaves_out(const struct live_choice *choice, uint32_t tid, const char *name)
{
	if (!choice->by_name && !choice->tids)
		return false;
	return !is_among(choice->tids, tid) &&
		!(choice->by_name && name[0] && regexec(&choice->name, name, 0, NULL, 0) == 0);
}
