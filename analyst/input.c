/* SPDX-License-Identifier: MIT */
#include "analyst/input.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyst/analyst.h"
#include "proto/bytes.h"
#include "proto/record.h"

bool input_bell(int bell_fd)
{
	char bells[64];
	ssize_t n;

	do
		n = read(bell_fd, bells, sizeof(bells));
	while (n == (ssize_t)sizeof(bells));
	return n != 0;
}

/*
 * Sleeps until the supervisor writes to @bell_fd, a pipe. False: the supervisor has closed the
 * pipe.
 */
static bool await_bell(struct ring *ring, int bell_fd)
{
	struct pollfd fd = {.fd = bell_fd, .events = POLLIN};

	if (!ring_sleep(ring))
		return true;
	(void)poll(&fd, 1, -1);
	ring_wake(ring);
	return input_bell(bell_fd);
}

int input_ready(struct analyst *analyst, struct ring *ring, FILE *capture, int *capture_error)
{
	const uint8_t *record;
	size_t bytes;
	int error = 0, r = 0;

	while (r != 1 && (record = ring_peek(ring, &bytes, &error))) {
		if (capture && !*capture_error && fwrite(record, 1, bytes, capture) != bytes)
			*capture_error = -errno;
		r = analyst_record(analyst, record, bytes);
		ring_consume(ring);
		if (r == -ENOMEM)
			return r;
	}
	return r == 1 ? 1 : error;
}

int input_ring(struct analyst *analyst, struct ring *ring, int bell_fd, FILE *capture,
	int *ret_capture_error)
{
	bool open = true;
	int r;

	*ret_capture_error = 0;
	if (capture &&
		fwrite(CAPTURE_MAGIC, 1, CAPTURE_MAGIC_BYTES, capture) != CAPTURE_MAGIC_BYTES)
		*ret_capture_error = -errno;
	for (;;) {
		/*
		 * After the supervisor has closed the pipe, reads once more, as its last records
		 * came before that.
		 */
		r = input_ready(analyst, ring, capture, ret_capture_error);
		if (r || !open)
			break;
		open = await_bell(ring, bell_fd);
	}
	if (capture && fflush(capture) != 0 && !*ret_capture_error)
		*ret_capture_error = -errno;
	return r < 0 ? r : 0;
}

static int take_records(struct analyst *analyst, const uint8_t *data, size_t bytes)
{
	while (bytes) {
		struct reader r = reader_over(data, bytes);
		size_t size = get_u32(&r);
		int taken;

		if (r.bad || size < RECORD_HEADER_BYTES || size > bytes || size % 8)
			return -EPROTO;
		taken = analyst_record(analyst, data, size);
		if (taken == -ENOMEM)
			return taken;
		if (taken == 1)
			return 0;
		data += size;
		bytes -= size;
	}
	return 0;
}

int input_capture(struct analyst *analyst, int fd)
{
	struct stat st;
	void *data;
	int r = 0;

	if (fstat(fd, &st) < 0)
		r = -errno;
	else if (S_ISDIR(st.st_mode))
		r = -EISDIR;
	else if (st.st_size < CAPTURE_MAGIC_BYTES)
		r = -EBADMSG;
	data = r == 0 ? mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
	if (r == 0 && data == MAP_FAILED)
		r = -errno;
	if (r == 0) {
		r = memcmp(data, CAPTURE_MAGIC, CAPTURE_MAGIC_BYTES) != 0
			? -EBADMSG
			: take_records(analyst, (const uint8_t *)data + CAPTURE_MAGIC_BYTES,
				  (size_t)st.st_size - CAPTURE_MAGIC_BYTES);
	}
	if (data != MAP_FAILED)
		(void)munmap(data, (size_t)st.st_size);
	return r;
}
