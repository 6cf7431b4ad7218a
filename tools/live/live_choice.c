/* SPDX-License-Identifier: MIT */
#include "tools/live/live_choice.h"

#include <stdlib.h>

#include "base/units.h"

void live_choice_begin(struct live_choice *choice, const char *name, const char *tids)
{
	*choice = (struct live_choice){0};
	if (tids && units_pids(tids, &choice->tid, &choice->rule.tids) < 0)
		return;
	if (name && regcomp(&choice->name, name, REG_EXTENDED | REG_NOSUB) != 0)
		live_choice_release(choice);
	else if (name)
		choice->rule.name = &choice->name;
	choice->rule.tid = choice->tid;
}

void live_choice_release(struct live_choice *choice)
{
	if (choice->rule.name)
		regfree(&choice->name);
	free(choice->tid);
	*choice = (struct live_choice){0};
}

bool live_choice_leaves_out(const struct live_choice *choice, int tid, const char *name)
{
	const struct choice_rule *rule = &choice->rule;

	return (rule->name || rule->tids) && !choice_rule_lists(rule, tid) &&
		!choice_rule_matches(rule, name);
}
