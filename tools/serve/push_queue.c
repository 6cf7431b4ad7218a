/* SPDX-License-Identifier: MIT */
#include "tools/serve/push_queue.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proto/bytes.h"

const struct pushed *push_queue_first(const struct push_queue *queue)
{
	return queue->n ? &queue->waiting[0] : NULL;
}

void push_queue_drop(struct push_queue *queue)
{
	if (!queue->n)
		return;
	queue->bytes -= queue->waiting[0].bytes;
	free(queue->waiting[0].data);
	memmove(&queue->waiting[0], &queue->waiting[1], --queue->n * sizeof(queue->waiting[0]));
}

void push_queue_release(struct push_queue *queue)
{
	while (queue->n)
		push_queue_drop(queue);
	free(queue->coming.data);
	queue->coming.data = NULL;
}

static bool begin(struct push_queue *queue)
{
	struct reader r = reader_over(queue->head, PUSH_HEAD_BYTES);
	uint64_t bytes;

	queue->coming = (struct pushed){.from = get_u64(&r), .until = get_u64(&r)};
	bytes = get_u64(&r);
	if (!bytes || bytes > PUSH_QUEUE_BYTES)
		return false;
	queue->coming.bytes = (size_t)bytes;
	queue->coming.data = malloc(queue->coming.bytes);
	queue->read = 0;
	return queue->coming.data;
}

static void end(struct push_queue *queue)
{
	while (queue->n == PUSH_QUEUE_MOST ||
		(queue->n && queue->bytes + queue->coming.bytes > PUSH_QUEUE_BYTES)) {
		push_queue_drop(queue);
		queue->lost++;
	}
	queue->waiting[queue->n++] = queue->coming;
	queue->bytes += queue->coming.bytes;
	queue->coming = (struct pushed){0};
	queue->head_bytes = 0;
}

bool push_queue_read(struct push_queue *queue, int fd)
{
	bool head = queue->head_bytes < PUSH_HEAD_BYTES;
	uint8_t *to = head ? queue->head + queue->head_bytes : queue->coming.data + queue->read;
	size_t room =
		head ? PUSH_HEAD_BYTES - queue->head_bytes : queue->coming.bytes - queue->read;
	ssize_t n = read(fd, to, room);

	if (n < 0)
		return errno == EAGAIN || errno == EINTR;
	if (n == 0)
		return false;
	if (head) {
		queue->head_bytes += (size_t)n;
		return queue->head_bytes < PUSH_HEAD_BYTES || begin(queue);
	}
	queue->read += (size_t)n;
	if (queue->read == queue->coming.bytes)
		end(queue);
	return true;
}
