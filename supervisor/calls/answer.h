/* SPDX-License-Identifier: MIT */
/* Answers to requests. A request names a descriptor of its sender: a pipe for the answer. */
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
	uint64_t device; /* st_dev of anonymous pipes */
	/* the kernel cannot write to pipes without blocking (before Linux 6.4) */
	bool cannot_borrow;
};

/*
 * Answers @q, which came from @tid of @process (NULL: not a process that we trace). Never blocks; a
 * sender that is gone, or whose pipe is full, gets no answer. @status, if not NULL, is sent along.
 */
void answer_send(struct answerer *answerer, struct process *process, int tid,
	const struct call_request *q, int error, const struct call_status *status);

#endif
