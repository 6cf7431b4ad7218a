/* SPDX-License-Identifier: MIT */
/*
 * Which of the threads that live the profile is not of (--thread-name, --tid), for the list of
 * threads in the live view. The engine decides by the same rule, but at other times: for a fifth of
 * a second after a change of name the two may differ.
 */
#ifndef TOOLS_LIVE_CHOICE_H
#define TOOLS_LIVE_CHOICE_H

#include "supervisor/engine/choice_rule.h"

struct live_choice {
	regex_t name;
	int *tid; /* owned */
	struct choice_rule rule;
};

/*
 * The options' values, NULL where one is not given. The front has tried both; without memory no
 * thread is left out.
 */
void live_choice_begin(struct live_choice *choice, const char *name, const char *tids);
void live_choice_release(struct live_choice *choice);

bool live_choice_leaves_out(const struct live_choice *choice, int tid, const char *name);

#endif
