/* SPDX-License-Identifier: MIT */
/*
 * Answers requests in time. A file system may never answer (FUSE, NFS), and a page of a process may
 * never come (userfaultfd). Each request is answered by a thread of its own, which is left behind
 * if it takes too long, and the answer is -ETIMEDOUT. (test: test_fuse.sh)
 */
#ifndef OPENER_LIMITED_H
#define OPENER_LIMITED_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "proto/opening.h"

#define LIMITED_WAIT_NS UINT64_C(5000000000)
/* While this many threads or more are behind, further requests get a sixteenth of the time. */
#define LIMITED_PATIENT 2u
/* With this many threads behind, further requests are refused. */
#define LIMITED_MOST 64u

struct limited {
	/* As openings_answer(), which is called with @context, by several threads at a time. */
	void (*answer)(
		void *context, pid_t sender, const struct opening *what, struct opened *ret_opened);
	void *context;
	uint64_t wait_ns;
	/* Private. */
	pthread_mutex_t lock;
	pthread_cond_t answered;
	unsigned behind; /* threads that were left behind */
};

/* -errno. @limited must stay valid while any thread is behind, as a rule to the process's end. */
int limited_init(struct limited *limited, uint64_t wait_ns);

/*
 * ret_opened->fd is the caller's. Without a thread the request is answered here, however long that
 * takes.
 */
void limited_answer(struct limited *limited, pid_t sender, const struct opening *what,
	struct opened *ret_opened);

/* Is any thread still behind? */
bool limited_is_behind(struct limited *limited);

#endif
