/* SPDX-License-Identifier: MIT */
/* The rule of --thread-name and --tid, for the engine and for the live view. */
#ifndef BASE_CHOICE_RULE_H
#define BASE_CHOICE_RULE_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

/* A thread is chosen if @tid lists it or its name matches. All pointers are borrowed. */
struct choice_rule {
	const regex_t *name; /* NULL: no choice by name */
	const int *tid;
	size_t tids;
};

bool choice_rule_lists(const struct choice_rule *rule, int tid);
/* A thread without a name ("") matches nothing. */
bool choice_rule_matches(const struct choice_rule *rule, const char *name);

#endif
