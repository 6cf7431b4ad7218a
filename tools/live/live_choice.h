/* SPDX-License-Identifier: MIT */
/*
 * Which threads --thread-name and --tid exclude. After a thread is renamed, the supervisor may
 * still judge it by its old name, for 0.2 s or more (supervisor/engine/choice.h).
 */
#ifndef TOOLS_LIVE_LIVE_CHOICE_H
#define TOOLS_LIVE_LIVE_CHOICE_H

#include "base/choice_rule.h"

struct live_choice {
	regex_t name;
	int *tid; /* list of --tid; owned */
	struct choice_rule rule;
};

/* @name, @tids: values of --thread-name, --tid, or NULL. If memory is short, excludes no thread. */
void live_choice_begin(struct live_choice *choice, const char *name, const char *tids);
void live_choice_release(struct live_choice *choice);

bool live_choice_leaves_out(const struct live_choice *choice, int tid, const char *name);

#endif
