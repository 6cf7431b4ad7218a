/* SPDX-License-Identifier: MIT */
/* How an answer reaches the sender of a request: through a pipe of its own, whose number it tells.
 */
#ifndef SUPERVISOR_ANSWER_H
#define SUPERVISOR_ANSWER_H

#include <stdbool.h>
#include <stdint.h>

#include "proto/call.h"

struct call_status;
struct process;
struct procfiles;

struct answerer {
	struct procfiles *files;
	uint64_t device;    /* of all anonymous pipes */
	bool cannot_borrow; /* the kernel does not write to pipes without waiting (before Linux 6.4)
			     */
};

/*
 * Answers @q, which came from @tid of @process, NULL: that is none of ours. Never blocks; a sender
 * that has gone, or whose pipe is full, gets none. @status, if not NULL, goes with it.
 */
void answer_send(struct answerer *answerer, struct process *process, int tid,
	const struct call_request *q, int error, const struct call_status *status);

#endif
