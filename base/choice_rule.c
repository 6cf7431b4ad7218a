/* SPDX-License-Identifier: MIT */
#include "base/choice_rule.h"

bool choice_rule_lists(const struct choice_rule *rule, int tid)
{
	for (size_t i = 0; i < rule->tids; i++) {
		if (rule->tid[i] == tid)
			return true;
	}
	return false;
}

bool choice_rule_matches(const struct choice_rule *rule, const char *name)
{
	return rule->name && name[0] && regexec(rule->name, name, 0, NULL, 0) == 0;
}
