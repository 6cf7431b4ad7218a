/* SPDX-License-Identifier: MIT */
#ifndef TESTS_STREAM_FIXTURE_H
#define TESTS_STREAM_FIXTURE_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyst/analyst.h"
#include "profile/pprof.h"
#include "profile/profile.h"
#include "proto/record.h"

#define S UINT64_C(1000000000)

struct stream {
	struct analyst *analyst;
	uint64_t now;
	int last;      /* result of the last analyst_record() */
	FILE *capture; /* gets a copy of all records; NULL: none */
};

static inline void begin_with(struct stream *stream, struct analyst_options options)
{
	*stream = (struct stream){.now = 100 * S};
	assert_int_equal(analyst_new(&options, &stream->analyst), 0);
}

static inline void begin(struct stream *stream)
{
	begin_with(stream, (struct analyst_options){0});
}

static inline void put(struct stream *stream, const uint8_t *record, int bytes)
{
	assert_true(bytes > 0);
	stream->last = analyst_record(stream->analyst, record, (size_t)bytes);
	if (stream->capture)
		assert_int_equal(fwrite(record, 1, (size_t)bytes, stream->capture), bytes);
	stream->now += S / 10;
}

static inline void put_start(struct stream *stream)
{
	uint8_t b[256];
	const struct record_start start = {.period_ns = 4000000,
		.realtime_ns = 5 * S,
		.command = "prog\0-x",
		.command_bytes = 7};

	put(stream, b, record_put_start(b, sizeof(b), stream->now, &start));
}

static inline void put_process(struct stream *stream, uint32_t pid, uint32_t parent, uint16_t flags)
{
	uint8_t b[64];

	put(stream, b, record_put_process(b, sizeof(b), stream->now, flags, pid, parent));
}

static inline void put_exec(struct stream *stream, uint32_t pid, const char *path, const char *name)
{
	uint8_t b[256];

	put(stream, b, record_put_exec(b, sizeof(b), stream->now, pid, path, name));
}

static inline void put_maps(
	struct stream *stream, uint32_t pid, uint32_t offset, const char *text, bool last)
{
	uint8_t b[512];
	const struct record_maps maps = {.pid = pid,
		.generation = 1,
		.offset = offset,
		.bytes = (uint32_t)strlen(text),
		.text = text};

	put(stream, b,
		record_put_maps(b, sizeof(b), stream->now, last ? RECORD_MAPS_LAST : 0, &maps));
}

static const char maps_of_prog[] = "00400000-00500000 r-xp 00000000 00:00 0 \n"
				   "10000000-10100000 r-xp 00000000 fe:00 77 /no/such/lib.so\n";

static inline void put_image(
	struct stream *stream, uint32_t pid, const char *path, const char *name)
{
	put_process(stream, pid, 1, 0);
	put_exec(stream, pid, path, name);
	put_maps(stream, pid, 0, maps_of_prog, true);
}

static inline void put_sample_in(struct stream *stream, uint32_t pid, uint32_t tid, uint64_t pc,
	uint64_t ns, int32_t syscall)
{
	uint8_t b[256];
	const struct record_sample sample = {.pid = pid,
		.tid = tid,
		.pc = pc,
		.weight_ns = ns,
		.syscall = syscall,
		.machine = 62};

	put(stream, b, record_put_sample(b, sizeof(b), stream->now, &sample));
}

static inline void put_sample(
	struct stream *stream, uint32_t pid, uint32_t tid, uint64_t pc, uint64_t ns)
{
	put_sample_in(stream, pid, tid, pc, ns, -1);
}

static inline void put_cpu(
	struct stream *stream, uint32_t pid, uint32_t tid, uint64_t cpu_ns, bool last)
{
	uint8_t b[64];
	const struct record_cpu cpu = {pid, tid, cpu_ns};

	put(stream, b, record_put_cpu(b, sizeof(b), stream->now, last ? RECORD_CPU_LAST : 0, &cpu));
}

static inline void put_exit(struct stream *stream, uint32_t pid, uint64_t kernel_ns)
{
	uint8_t b[64];
	const struct record_exit exit = {.pid = pid, .kernel_ns = kernel_ns};

	put(stream, b, record_put_exit(b, sizeof(b), stream->now, &exit));
}

static inline void put_thread(struct stream *stream, uint32_t pid, uint32_t tid, const char *name)
{
	uint8_t b[128];

	put(stream, b, record_put_thread(b, sizeof(b), stream->now, pid, tid, name));
}

static inline void put_text(struct stream *stream, enum record_type type, const char *text)
{
	uint8_t b[512];

	put(stream, b, record_put_audit(b, sizeof(b), stream->now, type, 0, text));
}

static inline uint64_t figure(struct stream *stream, const char *key)
{
	uint64_t value = UINT64_MAX;

	(void)profile_audit(stream->analyst->profile, key, &value);
	return value;
}

/* CPU time of the process's samples in an object file. */
static inline int64_t cpu_ns(struct stream *stream, uint32_t pid, const char *file)
{
	const struct profile *p = stream->analyst->profile;
	int64_t sum = 0;

	for (size_t i = 0; i < profile_samples(p); i++) {
		struct sample s = profile_sample(p, i);
		struct location l = profile_location(p, s.location[0]);

		if (profile_task(p, s.task).pid == pid &&
			strcmp(profile_mapping(p, l.mapping).file, file) == 0)
			sum += s.value[VALUE_CPU_NS];
	}
	return sum;
}

#endif
