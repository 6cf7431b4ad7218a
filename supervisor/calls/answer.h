/* SPDX-License-Identifier: MIT */
/* Answers to requests, through the pipe whose descriptor in the sender the request names. */
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
	uint64_t device;    /* st_dev of anonymous pipes */
	bool cannot_borrow; /* Linux before 6.4: RWF_NOWAIT does not work on pipes */
};

/*
 * Answers @q of the thread @tid of @process (NULL: a process that we do not trace). @status, if not
 * NULL, is sent along. Never blocks: a sender that is gone, or whose pipe is full, gets no answer.
 */
void answer_send(struct answerer *answerer, struct process *process, int tid,
	const struct call_request *q, int error, const struct call_status *status);

#endif
