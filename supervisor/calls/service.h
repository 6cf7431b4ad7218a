/* SPDX-License-Identifier: MIT */
/*
 * The supervisor's side of the calls: takes requests from its pipe, believes them when the sender's
 * memory holds their seal, puts their tables in force and answers (proto/call.h).
 *
 * The pipe is found through /proc/PID/fd of the tracer by the name of a memfd (CALL_MARK), so the
 * programs inherit nothing.
 */
#ifndef SUPERVISOR_SERVICE_H
#define SUPERVISOR_SERVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/call.h"
#include "supervisor/calls/session.h"
#include "supervisor/os/arch.h"

#define SERVICE_ASSEMBLIES 64 /* tables in several pieces that may be under way at a time */

/* A request, which may come in pieces. */
struct service_call {
	int pid, tid; /* of the sender, in our namespace; tid reaches its memory and descriptors */
	struct call_assembly table; /* region NULL: a free place */
};

struct service {
	int read_fd, write_fd, mark_fd; /* the pipe; the memfd with its name */
	uint64_t inode;                 /* of the pipe */
	uint64_t device;                /* of all anonymous pipes */
	uint8_t *buffer;
	size_t bytes;                                   /* in the buffer */
	struct service_call coming[SERVICE_ASSEMBLIES]; /* in pieces */
	unsigned next_victim;
	unsigned sessions;
	bool untidy; /* some session is */
	uint64_t idle_since_ns; /* since when there is no session */
	bool cannot_borrow; /* the kernel does not write to pipes without waiting (before Linux 6.4)
			     */
};

/* Makes the pipe. -errno: there will be no calls; *@service is closed then. */
int service_open(struct service *service);
void service_release(struct service *service);

/* The pipe is readable. */
void service_read(struct engine *engine);

/*
 * Does a thread that has stopped turn profiling off without a pipe (proto/call.h, CALL_OFF_FIRST)?
 * May run in the stop window.
 */
bool service_is_off(const struct arch_snapshot *snapshot);

/*
 * answer.c: answers @q, which came from @tid of @process, NULL: that is none of ours. Never blocks;
 * a sender that has gone, or whose pipe is full, gets none.
 */
void answer_send(struct engine *engine, struct process *process, int tid,
	const struct call_request *q, int error);

/*
 * A helper's first answer, through @fd, which is closed: @error 0 and where its pipe is, or the
 * errno value of its failure.
 */
void service_announce(const struct service *service, int fd, int error);

#endif
