/* SPDX-License-Identifier: MIT */
#include "opener/limited.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

#define STACK_BYTES ((size_t)512 << 10)

struct limited_request {
	struct limited *limited;
	pid_t sender;
	struct opening what;
	struct opened opened;
	/*
	 * Protected by the lock. If @answered is set in time, the requesting thread frees the
	 * request. If not, it sets @left_behind, and the handling thread frees the request.
	 */
	bool answered, left_behind;
};

int limited_init(struct limited *limited, uint64_t wait_ns)
{
	pthread_condattr_t attributes;
	int r;

	limited->wait_ns = wait_ns;
	limited->behind = 0;
	r = pthread_condattr_init(&attributes);
	if (r)
		return -r;
	(void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	r = pthread_cond_init(&limited->answered, &attributes);
	(void)pthread_condattr_destroy(&attributes);
	if (r)
		return -r;
	r = pthread_mutex_init(&limited->lock, NULL);
	if (r)
		(void)pthread_cond_destroy(&limited->answered);
	return -r;
}

static void *run(void *context)
{
	struct limited_request *request = context;
	struct limited *limited = request->limited;
	bool left_behind;

	limited->answer(limited->context, request->sender, &request->what, &request->opened);
	(void)pthread_mutex_lock(&limited->lock);
	request->answered = true;
	left_behind = request->left_behind;
	limited->behind -= left_behind;
	(void)pthread_cond_broadcast(&limited->answered);
	(void)pthread_mutex_unlock(&limited->lock);
	if (left_behind) {
		if (request->opened.fd >= 0)
			(void)close(request->opened.fd);
		free(request);
	}
	return NULL;
}

static bool start(struct limited_request *request)
{
	pthread_attr_t attributes;
	pthread_t thread;
	bool started;

	if (pthread_attr_init(&attributes) != 0)
		return false;
	(void)pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	(void)pthread_attr_setstacksize(&attributes, STACK_BYTES);
	started = pthread_create(&thread, &attributes, run, request) == 0;
	(void)pthread_attr_destroy(&attributes);
	return started;
}

/* Waits for the answer. False: the thread is left behind, and frees the request when it is done. */
static bool wait_for(struct limited *limited, struct limited_request *request, unsigned behind)
{
	uint64_t until =
		clock_now() + (behind < LIMITED_PATIENT ? limited->wait_ns : limited->wait_ns / 16);
	const struct timespec deadline = {.tv_sec = (time_t)(until / CLOCK_SECOND_NS),
		.tv_nsec = (long)(until % CLOCK_SECOND_NS)};
	bool answered;

	(void)pthread_mutex_lock(&limited->lock);
	while (!request->answered &&
		pthread_cond_timedwait(&limited->answered, &limited->lock, &deadline) == 0)
		;
	answered = request->answered;
	request->left_behind = !answered;
	limited->behind += !answered;
	(void)pthread_mutex_unlock(&limited->lock);
	return answered;
}

static unsigned count_behind(struct limited *limited)
{
	unsigned behind;

	(void)pthread_mutex_lock(&limited->lock);
	behind = limited->behind;
	(void)pthread_mutex_unlock(&limited->lock);
	return behind;
}

bool limited_is_behind(struct limited *limited)
{
	return count_behind(limited) != 0;
}

void limited_answer(struct limited *limited, pid_t sender, const struct opening *what,
	struct opened *ret_opened)
{
	struct limited_request *request;
	unsigned behind = count_behind(limited);

	*ret_opened = (struct opened){.sequence = what->sequence, .error = -ETIMEDOUT, .fd = -1};
	if (behind >= LIMITED_MOST)
		return;
	request = malloc(sizeof(*request));
	if (request)
		*request = (struct limited_request){
			.limited = limited, .sender = sender, .what = *what};
	if (!request || !start(request)) {
		free(request);
		limited->answer(limited->context, sender, what, ret_opened);
		return;
	}
	if (!wait_for(limited, request, behind))
		return;
	*ret_opened = request->opened;
	free(request);
}
