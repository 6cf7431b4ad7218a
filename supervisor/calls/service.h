/* SPDX-License-Identifier: MIT */
/*
 * The supervisor's side of the calls (proto/call.h). It reads requests from a pipe, checks by a
 * seal in the sender's memory that a request is really from there, puts the table of the request in
 * force, and answers.
 */
#ifndef SUPERVISOR_SERVICE_H
#define SUPERVISOR_SERVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/call.h"
#include "supervisor/os/pages.h"

struct call_status;
struct process;
struct procfiles;
struct sessions;

#define SERVICE_ASSEMBLIES 64 /* most tables that are received in pieces at a time */

/*
 * What answers need (answer.c). An answer goes through a pipe of the sender: the request names the
 * sender's descriptor of that pipe.
 */
struct answerer {
	struct procfiles *files;
	uint64_t device;    /* st_dev of anonymous pipes */
	bool cannot_borrow; /* Linux before 6.4: RWF_NOWAIT does not work on pipes */
};

/* A request, possibly in pieces. */
struct service_call {
	int pid, tid;               /* of the sender, in our namespace */
	uint64_t last;              /* service.pieces when the last piece came */
	struct call_assembly table; /* table.region is NULL in a free slot */
};

struct service {
	struct sessions *sessions;
	struct answerer answerer;
	bool restrict_fast;             /* a shorter tick (PROF_FAST) fails with EACCES */
	int read_fd, write_fd, mark_fd; /* the request pipe's ends; a memfd named after it */
	uint64_t inode;                 /* of the pipe */
	uint8_t *buffer;
	size_t bytes; /* bytes in the buffer */
	/* tables of which pieces are missing */
	struct service_call coming[SERVICE_ASSEMBLIES];
	uint64_t pieces;      /* number of pieces received so far */
	struct pages strange; /* used to read the memory of a sender that is not traced */
};

/* Creates the pipe. 0; or -errno, and @service has no descriptors and accepts no calls. */
int service_open(struct service *service);
void service_release(struct service *service);

/* Handles requests. Call it when the pipe is readable. */
void service_read(struct service *service);

/*
 * Writes to @fd the first answer of a helper, a supervisor that serves calls only; closes @fd. If
 * @error is 0, the answer says where the helper's request pipe is. Otherwise @error is the errno
 * value with which the helper failed.
 */
void service_announce(const struct service *service, int fd, int error);

/*
 * Answers @q of the thread @tid of @process (NULL: a process that we do not trace). @status, if not
 * NULL, is sent along. Never blocks: a sender that is gone, or whose pipe is full, gets no answer.
 */
void answer_send(struct answerer *answerer, struct process *process, int tid,
	const struct call_request *q, int error, const struct call_status *status);

#endif
