/* SPDX-License-Identifier: MIT */
/*
 * The live threads that are excluded from the profile (--thread-name, --tid), for the live view's
 * list of threads. The engine applies the same rule, but at other times: for a fifth of a second
 * after a change of name the two may differ.
 */
#ifndef TOOLS_LIVE_LIVE_CHOICE_H
#define TOOLS_LIVE_LIVE_CHOICE_H

#include "base/choice_rule.h"

struct live_choice {
	regex_t name;
	int *tid; /* list of --tid; owned */
	struct choice_rule rule;
};

/*
 * Begins with the user's choice. @name and @tids are the values of --thread-name and --tid; NULL:
 * not given. The front has validated both. If out of memory, no thread is excluded.
 */
void live_choice_begin(struct live_choice *choice, const char *name, const char *tids);
void live_choice_release(struct live_choice *choice);

bool live_choice_leaves_out(const struct live_choice *choice, int tid, const char *name);

#endif
