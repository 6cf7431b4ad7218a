/* SPDX-License-Identifier: MIT */
#include "tools/serve/serve_push.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "proto/bytes.h"
#include "tools/serve/serve_spans.h"

#define SECOND_NS UINT64_C(1000000000)

void push_init(struct push *push, int fd, uint64_t every_ns, struct spans *spans)
{
	*push = (struct push){.fd = fd, .every_ns = every_ns, .spans = spans};
	if (fd >= 0)
		(void)fcntl(fd, F_SETFL, O_NONBLOCK);
}

static void stop(struct push *push)
{
	for (size_t i = 0; i < 2; i++) {
		if (push->span[i])
			spans_end(push->spans, push->span[i]);
		push->span[i] = NULL;
	}
	if (push->fd >= 0)
		(void)close(push->fd);
	push->fd = -1;
	free(push->data);
	push->data = NULL;
}

void push_release(struct push *push)
{
	stop(push);
}

uint64_t push_next(const struct push *push, uint64_t now)
{
	if (push->fd < 0 || push->spans->closed)
		return UINT64_MAX;
	if (!push->begun)
		return now;
	if (!push->span[0])
		return now + SECOND_NS;
	/*
	 * While the older span is unfinished, no time is due here: a piece completes that span, or
	 * POLLOUT shows room for its profile. spans_next() tells when it is given up.
	 */
	return push->span[1] ? UINT64_MAX : push->to_ns[0];
}

void push_poll(const struct push *push, struct pollfd *fd)
{
	*fd = (struct pollfd){.fd = push->fd, .events = push->data ? POLLOUT : 0};
}

static void begin(struct push *push, uint64_t from_ns, uint64_t from_realtime_ns)
{
	push->span[0] = spans_begin(push->spans, from_ns, from_ns + push->every_ns);
	push->to_ns[0] = from_ns + push->every_ns;
	push->from_realtime_ns[0] = from_realtime_ns;
}

/*
 * Begins the next span at the end of the last one. The span's UNIX time also continues that of the
 * last span without a gap, unless the wall clock was set meanwhile.
 */
static void begin_next(struct push *push, uint64_t now)
{
	uint64_t by_clock = clock_read(CLOCK_REALTIME) - (now - push->to_ns[1]),
		 by_last = push->from_realtime_ns[1] + push->every_ns;
	bool was_set = by_clock + SECOND_NS < by_last || by_last + SECOND_NS < by_clock;

	begin(push, push->to_ns[1], was_set ? by_clock : by_last);
}

static void take_profile(struct push *push, struct span *span, size_t i)
{
	uint64_t from = push->from_realtime_ns[i] / SECOND_NS,
		 until = (push->from_realtime_ns[i] + push->every_ns) / SECOND_NS,
		 now = clock_read(CLOCK_REALTIME) / SECOND_NS;
	struct writer w;
	uint8_t *data;
	size_t bytes;

	if (spans_write(push->spans, span, &data, &bytes) < 0)
		return;
	push->data = malloc(PUSH_HEAD_BYTES + bytes);
	if (push->data) {
		w = writer_over(push->data, PUSH_HEAD_BYTES);
		if (until > now)
			until = now;
		put_u64(&w, from);
		put_u64(&w, until > from ? until : from + 1); /* stores refuse length 0 */
		put_u64(&w, bytes);
		memcpy(push->data + PUSH_HEAD_BYTES, data, bytes);
		push->bytes = PUSH_HEAD_BYTES + bytes;
		push->written = 0;
	}
	free(data);
}

/* Takes the profiles of ended spans, the older one first, unless one is being written. */
static void finish(struct push *push, uint64_t now)
{
	for (size_t i = 2; i-- > 0;) {
		if (!push->span[i] || push->data || !spans_is_over(push->spans, push->span[i], now))
			continue;
		take_profile(push, push->span[i], i);
		spans_end(push->spans, push->span[i]);
		push->span[i] = NULL;
	}
}

static bool write_some(struct push *push)
{
	ssize_t n = write(push->fd, push->data + push->written, push->bytes - push->written);

	if (n < 0)
		return errno == EAGAIN || errno == EINTR;
	push->written += (size_t)n;
	if (push->written < push->bytes)
		return true;
	free(push->data);
	push->data = NULL;
	return true;
}

void push_turn(struct push *push, const struct pollfd *fd, uint64_t now)
{
	if (push->fd < 0)
		return;
	if (fd->revents & POLLERR || (push->data && !write_some(push))) {
		stop(push);
		return;
	}
	finish(push, now);
	if (push->spans->closed)
		return;
	if (push->span[0] && now >= push->to_ns[0] && !push->span[1]) {
		push->span[1] = push->span[0];
		push->to_ns[1] = push->to_ns[0];
		push->from_realtime_ns[1] = push->from_realtime_ns[0];
		push->span[0] = NULL;
		begin_next(push, now);
	}
	push->begun = true;
	if (!push->span[0])
		begin(push, now, clock_read(CLOCK_REALTIME));
}

bool push_is_idle(const struct push *push)
{
	return push->fd < 0 || (!push->data && !push->span[0] && !push->span[1]);
}
