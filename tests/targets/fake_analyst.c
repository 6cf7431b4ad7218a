/* SPDX-License-Identifier: MIT */
/*
 * An analyst that only counts records, and sends the requests that the environment names. Under the
 * name sprofil-analyst, beside a copy of sprofrun, it shows how the supervisor handles them.
 *
 *	FAKE_REQUESTS  "TYPE:VALUE ..." each sent after another 100 samples
 *	FAKE_FIRST     the same, all sent at the beginning
 *	FAKE_OUTPUT    file for the result: samples, and the last audit
 */
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "proto/record.h"
#include "proto/request.h"
#include "proto/ring.h"
#include "tests/clock.h"

enum { RING_FD = 3, BELL_FD = 4, REQUEST_FD = 5, EVERY = 100 };

/* Returns the text after the request that was sent. */
static const char *send_next(const char *text)
{
	uint8_t message[REQUEST_BYTES];
	struct request request = {0};
	int used;

	if (!text ||
		sscanf(text, " %" SCNu32 ":%" SCNu64 "%n", &request.type, &request.value, &used) !=
			2)
		return NULL;
	request_put(message, &request);
	if (write(REQUEST_FD, message, sizeof(message)) != (ssize_t)sizeof(message))
		exit(3);
	return text + used;
}

int main(void)
{
	const char *requests = getenv("FAKE_REQUESTS"), *path = getenv("FAKE_OUTPUT");
	const char *first = getenv("FAKE_FIRST");
	uint64_t samples = 0, maps = 0, late_ns = 0;
	char audit[4096] = "", bells[64];
	struct ring ring;
	struct stat st;
	void *memory;
	bool open = true;
	FILE *out;

	if (fstat(RING_FD, &st) < 0)
		return 2;
	memory = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, RING_FD, 0);
	if (memory == MAP_FAILED || ring_open(&ring, memory, (size_t)st.st_size) < 0)
		return 2;
	while (first)
		first = send_next(first);
	while (open) {
		struct pollfd fd = {.fd = BELL_FD, .events = POLLIN};
		const uint8_t *data;
		struct record rec;
		size_t bytes;
		int error;

		if (ring_sleep(&ring))
			(void)poll(&fd, 1, -1);
		ring_wake(&ring);
		open = read(BELL_FD, bells, sizeof(bells)) != 0;
		while ((data = ring_peek(&ring, &bytes, &error))) {
			if (record_get(data, bytes, &rec) < 0)
				return 4;
			if (rec.header.type == RECORD_SAMPLE && ++samples % EVERY == 0) {
				requests = send_next(requests);
				if (samples == EVERY)
					late_ns = clock_ns(CLOCK_MONOTONIC) - rec.header.time_ns;
			}
			if (rec.header.type == RECORD_MAPS)
				maps++;
			if (rec.header.type == RECORD_END)
				(void)snprintf(audit, sizeof(audit), "%s", rec.as.audit.text);
			ring_consume(&ring);
		}
		if (error)
			return 5;
	}
	out = fopen(path ? path : "/dev/null", "we");
	if (!out)
		return 6;
	(void)fprintf(out, "samples %" PRIu64 "\nmaps %" PRIu64 "\nlate_ns %" PRIu64 "\n%s",
		samples, maps, late_ns, audit);
	return fclose(out) != 0;
}
