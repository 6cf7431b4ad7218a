/* SPDX-License-Identifier: MIT */
/*
 * Which of the threads that live the profile is not of (--thread-name, --tid), for the list of
 * threads in the live view. The engine decides for itself (supervisor/engine/choice.h), by the same
 * rule; for a fifth of a second after a change of name the two may differ.
 */
#ifndef TOOLS_LIVE_CHOICE_H
#define TOOLS_LIVE_CHOICE_H

#include <regex.h>
#include <stdbool.h>
#include <stdint.h>

struct live_choice {
	bool by_name;
	regex_t name;
	const char *tids;
};

/* The options' values, NULL where one is not given. @tids is borrowed. */
void live_choice_begin(struct live_choice *choice, const char *name, const char *tids);
void live_choice_release(struct live_choice *choice);

bool live_choice_leaves_out(const struct live_choice *choice, uint32_t tid, const char *name);

#endif
