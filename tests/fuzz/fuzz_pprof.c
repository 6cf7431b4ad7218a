/* SPDX-License-Identifier: MIT */
/* The input is a pprof file. An accepted profile is written, read again, merged and reported. */
#include <stdio.h>
#include <stdlib.h>

#include "profile/pprof.h"
#include "profile/profile.h"
#include "tests/fuzz/fuzz.h"
#include "view/report/report.h"

enum { PROFILE, PARTS };
const unsigned fuzz_parts = PARTS;

static void print_against_itself(const struct report *report, struct profile *profile,
	const struct report_options *options, FILE *out, char **ret_problem)
{
	static const char *const name[2] = {"one", "other"};
	struct profile *both[2] = {profile, profile};
	struct report_sides sides = {
		.profile = {&both[0], &both[1]}, .name = {&name[0], &name[1]}, .n = {1, 1}};

	(void)report->print_sides(&sides, options, out, ret_problem);
}

static void print_reports(struct profile *profile)
{
	FILE *out = fopen("/dev/null", "w");
	const struct report *report;

	for (size_t i = 0; out && (report = report_at(i)); i++) {
		for (int format = REPORT_TEXT; format <= REPORT_JSON; format++) {
			struct report_options options = {.size = sizeof(options),
				.format = (enum report_format)format,
				.split = (enum report_split)(format % 3),
				.focus = "[aeiou]",
				.function = report->wants_function ? "^m.*n$|^f" : NULL,
				.width = 60,
				.no_inline = format == REPORT_CSV};
			char *problem = NULL;

			if (report->print_sides)
				print_against_itself(report, profile, &options, out, &problem);
			else
				(void)report->print(profile, &options, out, &problem);
			free(problem);
		}
	}
	if (out)
		(void)fclose(out);
}

/* The written profile must be readable, with unchanged values. */
static void write_and_read(const struct profile *profile)
{
	struct profile *back = NULL;
	const char *problem = NULL;
	uint8_t *written;
	size_t bytes;

	if (pprof_write(profile, &written, &bytes) < 0)
		return;
	if (pprof_read(written, bytes, &back, &problem) < 0 ||
		profile_samples(back) != profile_samples(profile) ||
		profile_locations(back) != profile_locations(profile))
		abort();
	if (profile_samples(back) && profile_locations(back))
		fuzz_accept(PROFILE);
	profile_free(back);
	free(written);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct profile *profile = NULL, *sum = NULL;
	const char *problem = NULL;

	if (pprof_read(data, size, &profile, &problem) < 0)
		return 0;
	write_and_read(profile);
	print_reports(profile);
	if (profile_new(&sum) == 0) {
		(void)profile_merge(sum, profile);
		(void)profile_merge(sum, profile);
		profile_free(sum);
	}
	profile_free(profile);
	return 0;
}
