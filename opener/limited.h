/* SPDX-License-Identifier: MIT */
/*
 * Answers requests within a time limit, each in its own thread: a file system (FUSE, NFS) or a page
 * of a process (userfaultfd) may never answer. After the limit the answer is -ETIMEDOUT. The thread
 * is left behind: it goes on waiting, and closes what it opens. (test: test_fuse.sh)
 */
#ifndef OPENER_LIMITED_H
#define OPENER_LIMITED_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "proto/opening.h"

/* The usual time limit of a request. */
#define LIMITED_WAIT_NS UINT64_C(5000000000)
/* While this many threads or more are left behind, further requests get a sixteenth of the time. */
#define LIMITED_PATIENT 2u
/* While this many threads are left behind, further requests are refused with -ETIMEDOUT. */
#define LIMITED_MOST 64u

struct limited {
	/* Answers a request, with @context. Called by several threads at once. */
	void (*answer)(
		void *context, pid_t sender, const struct opening *what, struct opened *ret_opened);
	void *context;
	uint64_t wait_ns;
	/* Used by limited.c only: */
	pthread_mutex_t lock;
	pthread_cond_t answered;
	unsigned behind; /* threads that were left behind */
};

/*
 * Initializes all but @answer and @context. @wait_ns: the time limit of a request. 0, or -errno.
 * @limited must be valid until limited_is_behind() is false: usually until the process ends.
 */
int limited_init(struct limited *limited, uint64_t wait_ns);

/*
 * Answers a request in *@ret_opened, whose fd the caller owns. If no thread can be created, the
 * calling thread handles the request, without a time limit.
 */
void limited_answer(struct limited *limited, pid_t sender, const struct opening *what,
	struct opened *ret_opened);

/* Is any thread left behind that still waits? */
bool limited_is_behind(struct limited *limited);

#endif
