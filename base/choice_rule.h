/* SPDX-License-Identifier: MIT */
/* Which threads --thread-name and --tid choose, for the engine and for the live view. */
#ifndef BASE_CHOICE_RULE_H
#define BASE_CHOICE_RULE_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

/* Chooses the threads that @tid lists, and those with a matching name. Pointers are borrowed. */
struct choice_rule {
	const regex_t *name; /* NULL: no choice by name */
	const int *tid;
	size_t tids;
};

bool choice_rule_lists(const struct choice_rule *rule, int tid);
/* Does @name match the expression? "" (a thread without a name) never does. */
bool choice_rule_matches(const struct choice_rule *rule, const char *name);

#endif
