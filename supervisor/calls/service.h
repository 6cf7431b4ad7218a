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
#include "supervisor/calls/answer.h"

#define SERVICE_ASSEMBLIES 64 /* tables in several pieces that may be under way at a time */

/* A request, which may come in pieces. */
struct service_call {
	int pid, tid; /* of the sender, in our namespace; tid reaches its memory and descriptors */
	struct call_assembly table; /* region NULL: a free place */
};

struct sessions;

struct service {
	struct sessions *sessions;
	struct answerer answerer;
	bool restrict_fast;             /* PROF_FAST fails with EACCES */
	int read_fd, write_fd, mark_fd; /* the pipe; the memfd with its name */
	uint64_t inode;                 /* of the pipe */
	uint8_t *buffer;
	size_t bytes;                                   /* in the buffer */
	struct service_call coming[SERVICE_ASSEMBLIES]; /* in pieces */
	unsigned next_victim;
};

/* Makes the pipe. -errno: there will be no calls; @service has no descriptors then. */
int service_open(struct service *service);
void service_release(struct service *service);

/* The pipe is readable. */
void service_read(struct service *service);

/*
 * A helper's first answer, through @fd, which is closed: @error 0 and where its pipe is, or the
 * errno value of its failure.
 */
void service_announce(const struct service *service, int fd, int error);

#endif
