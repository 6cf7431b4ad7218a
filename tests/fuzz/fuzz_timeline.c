/* SPDX-License-Identifier: MIT */
/*
 * The input is a piece of a time line in a pprof file (profile/pprof_timeline.h), after a profile
 * of five stacks. An accepted profile is cut, written, reported and exported.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/gzip.h"
#include "profile/pprof.h"
#include "profile/profile.h"
#include "profile/timeline.h"
#include "profile/timeline_code.h"
#include "tests/fuzz/fuzz.h"
#include "tests/unit/timeline_fixture.h"
#include "view/export/export.h"
#include "view/report/report.h"

enum { INSTANTS, PARTS };
const unsigned fuzz_parts = PARTS;

enum { TAG_7001 = 7001 << 3 | 2 };

/* Makes the uncompressed file of the fixture's profile, without a time line. */
static uint8_t *make_rest(size_t *ret_bytes)
{
	struct profile *profile = fixture_timeline();
	uint8_t *packed, *data;
	size_t bytes;
	bool more;

	timeline_forget(profile);
	if (pprof_write(profile, &packed, &bytes) < 0 ||
		gzip_unpack(packed, bytes, &data, ret_bytes, &more) < 0)
		abort();
	free(packed);
	profile_free(profile);
	return data;
}

static void show(const struct profile *profile)
{
	const struct report_options options = {.size = sizeof(options), .width = 90};
	FILE *out = fopen("/dev/null", "w");
	char *problem = NULL;

	if (!out)
		return;
	(void)report_find("timeline")->print(profile, &options, out, &problem);
	free(problem);
	for (size_t i = 0; export_at(i); i++) {
		problem = NULL;
		(void)export_at(i)->write(profile, &options, out, &problem);
		free(problem);
	}
	(void)fclose(out);
}

static int64_t cpu_of(const struct profile *profile)
{
	int64_t sum = 0;

	for (size_t i = 0; i < profile_samples(profile); i++)
		sum += profile_sample(profile, i).value[VALUE_CPU_NS];
	return sum;
}

/* Cuts the profile in two parts, which together must not exceed it. */
static void cut(const struct profile *profile, uint64_t at_ns)
{
	struct profile *part[2];

	if (timeline_span(profile, 0, at_ns, &part[0]) < 0)
		return;
	if (timeline_span(profile, at_ns, UINT64_MAX, &part[1]) == 0) {
		if (cpu_of(part[0]) + cpu_of(part[1]) > cpu_of(profile))
			abort();
		profile_free(part[1]);
	}
	profile_free(part[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t *rest;
	static size_t rest_bytes;
	struct profile *profile = NULL, *sum = NULL;
	uint8_t *file, *written;
	size_t n, bytes;

	if (!rest)
		rest = make_rest(&rest_bytes);
	file = malloc(rest_bytes + 20 + size);
	if (!file)
		return 0;
	memcpy(file, rest, rest_bytes);
	n = rest_bytes + timeline_put_varint(file + rest_bytes, TAG_7001);
	n += timeline_put_varint(file + n, size);
	memcpy(file + n, data, size);
	if (pprof_read(file, n + size, &profile, NULL) == 0) {
		cut(profile, 1500000000);
		show(profile);
		if (pprof_write(profile, &written, &bytes) == 0) {
			if (pprof_read(written, bytes, &sum, NULL) < 0 ||
				timeline_instants(sum) != timeline_instants(profile))
				abort();
			if (timeline_instants(sum))
				fuzz_accept(INSTANTS);
			free(written);
			(void)profile_merge(sum, profile);
			profile_free(sum);
		}
		profile_free(profile);
	}
	free(file);
	return 0;
}
