/* SPDX-License-Identifier: MIT */
/*
 * Answers requests within a time limit. A file system may never answer (FUSE, NFS), and a page of a
 * process may never come (userfaultfd). Therefore each request is handled by a thread of its own.
 * If that takes too long, the answer is -ETIMEDOUT, and the thread is left behind: it goes on
 * waiting, and what it opens is closed. (test: test_fuse.sh)
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
	/*
	 * Answers a request: openings_answer(), with this @context. Several threads call it at a
	 * time.
	 */
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
 * Initializes all but @answer and @context, which the caller sets; @wait_ns is the time limit of a
 * request. 0, or -errno. @limited must stay valid while limited_is_behind(), which usually means
 * until the process ends.
 */
int limited_init(struct limited *limited, uint64_t wait_ns);

/*
 * Answers a request in *@ret_opened, whose fd the caller owns. If no thread can be created, it is
 * handled in the calling thread, without a time limit.
 */
void limited_answer(struct limited *limited, pid_t sender, const struct opening *what,
	struct opened *ret_opened);

/* Is any thread left behind that still waits? */
bool limited_is_behind(struct limited *limited);

#endif
