/* SPDX-License-Identifier: MIT */
/*
 * The supervisor's side of the calls: takes requests from its pipe, accepts them if the sender's
 * memory holds their seal, puts their tables in force, and answers (proto/call.h).
 *
 * Programs find the pipe through /proc/PID/fd of their tracer by the name of a memfd (CALL_MARK),
 * so they inherit nothing.
 */
#ifndef SUPERVISOR_SERVICE_H
#define SUPERVISOR_SERVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/call.h"
#include "supervisor/calls/answer.h"

#define SERVICE_ASSEMBLIES 64 /* maximum tables in several pieces being received at a time */

/* A request, possibly in pieces. */
struct service_call {
	/* of the sender, in our namespace; tid gives access to its memory and descriptors */
	int pid, tid;
	struct call_assembly table; /* region NULL: a free slot */
};

struct sessions;

struct service {
	struct sessions *sessions;
	struct answerer answerer;
	bool restrict_fast;             /* PROF_FAST fails with EACCES */
	int read_fd, write_fd, mark_fd; /* the pipe; the memfd that names it */
	uint64_t inode;                 /* of the pipe */
	uint8_t *buffer;
	size_t bytes;                                   /* in the buffer */
	struct service_call coming[SERVICE_ASSEMBLIES]; /* being received in pieces */
	unsigned next_victim;
};

/* Creates the pipe. -errno: there will be no calls, and @service has no descriptors. */
int service_open(struct service *service);
void service_release(struct service *service);

/* The pipe is readable. */
void service_read(struct service *service);

/*
 * A helper's first answer, written to @fd, which is then closed: @error 0 and where its pipe is, or
 * the errno value of its failure.
 */
void service_announce(const struct service *service, int fd, int error);

#endif
