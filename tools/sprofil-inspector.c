/* SPDX-License-Identifier: MIT */
/*
 * sprofil-inspector: reads ELF files for sprofreport, in a sandbox like the analyst's. Requests
 * come on standard input, answers go to standard output (proto/inspection.h). Each object's answer
 * is written as soon as it is complete: if a file crashes this process, the requesting process
 * knows which one.
 */
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "analyst/blame.h"
#include "analyst/monout_profile.h"
#include "base/stack_room.h"
#include "base/standard.h"
#include "opener/opener.h"
#include "profile/file.h"
#include "profile/pprof.h"
#include "profile/profile.h"
#include "symbolizer/symbolizer.h"
#include "tools/inspector/inspect_object.h"
#include "tools/inspector/inspect_put.h"
#include "tools/sandbox/opener_start.h"
#include "tools/sandbox/sandbox.h"

enum { EXIT_OPENER = 3 };

/* Maximum bytes of all requests. An address takes a few bytes; no profile needs this much. */
#define ASKED_BYTES_MOST ((size_t)256 << 20)

struct inspector {
	struct opener opener;
	struct blame blame;
	enum symbolizer_skip skip;
};

static void working_on(void *context, const char *path)
{
	blame_working_on(&((struct inspector *)context)->blame, path);
}

static enum symbolizer_skip skip(void *context, const char *path)
{
	(void)path;
	return ((struct inspector *)context)->skip;
}

/* @how_much: how much of the file to skip (enum symbolizer_skip). */
static struct symbolizer_options options(struct inspector *in, uint8_t how_much)
{
	in->skip = how_much < SYMBOLIZER_SKIP_FILE ? how_much : SYMBOLIZER_SKIP_FILE;
	return (struct symbolizer_options){.size = sizeof(struct symbolizer_options),
		.working_on = working_on,
		.skip = skip,
		.context = in,
		.opener = &in->opener};
}

/* Each object gets its own symbolizer, so that memory has data of one object at a time. */
static int answer_one(
	struct inspector *in, const struct inspection_object *object, struct reader *asked)
{
	const struct symbolizer_options how = options(in, object->skip);
	struct symbolizer *symbolizer;
	int r = symbolizer_new(&how, &symbolizer);

	if (r < 0)
		return r;
	r = inspect_object(symbolizer, &in->opener, object, asked, stdout);
	symbolizer_free(symbolizer);
	if (r == 0 && fflush(stdout) != 0)
		r = -EIO;
	return r;
}

static int put_profile(const struct profile *profile)
{
	uint8_t *data;
	size_t bytes;
	int r = pprof_write(profile, &data, &bytes);

	if (r < 0)
		return r;
	r = inspect_put(stdout, INSPECTION_PROFILE, &(struct inspection_profile){.bytes = bytes});
	if (r == 0 && fwrite(data, 1, bytes, stdout) != bytes)
		r = -EIO;
	free(data);
	return r;
}

static int answer_histogram(struct inspector *in, struct reader *asked)
{
	struct inspection_histogram histogram;
	struct symbolizer_options how;
	struct profile *profile = NULL;
	const char *problem = NULL;
	struct monout monout;
	int r;

	inspection_get(asked, INSPECTION_HISTOGRAM, &histogram);
	r = asked->bad ? -EPROTO : 0;
	how = options(in, histogram.skip);
	if (r == 0)
		r = monout_open(histogram.data, histogram.bytes, &monout, &problem);
	if (r == 0)
		r = monout_profile(&monout, histogram.program, &how, &profile, &problem);
	if (r == 0)
		r = put_profile(profile);
	else if (problem)
		r = inspect_put(stdout, INSPECTION_PROBLEM, &(struct inspection_problem){problem});
	profile_free(profile);
	if (r == 0 && (fputc(INSPECTION_END, stdout) == EOF || fflush(stdout) != 0))
		r = -EIO;
	return r;
}

static int answer(struct inspector *in, const uint8_t *data, size_t bytes)
{
	struct reader asked = reader_over(data, bytes);
	int r = 0;

	while (r == 0 && asked.p < asked.end) {
		struct inspection_object object;
		uint8_t kind = get_u8(&asked);

		if (kind == INSPECTION_HISTOGRAM)
			return answer_histogram(in, &asked);
		if (kind != INSPECTION_OBJECT)
			return -EPROTO;
		inspection_get(&asked, INSPECTION_OBJECT, &object);
		r = asked.bad ? -EPROTO : answer_one(in, &object, &asked);
	}
	return r;
}

static int run_all(int argc, char **arguments)
{
	const char *argv[] = {"", "", "--supervisor", "0", NULL};
	struct inspector in = {0};
	struct sandbox sandbox;
	int keep[1], r;
	uint8_t *data;
	size_t bytes;
	pid_t opener;

	(void)argc;
	(void)arguments;
	standard_hold();
	if (isatty(STDIN_FILENO)) {
		fputs("sprofil-inspector is started by sprofreport\n", stderr);
		return 2;
	}
	(void)setlocale(LC_CTYPE, "");
	if (opener_start(argv, &in.opener, &opener) < 0)
		return EXIT_OPENER;
	keep[0] = in.opener.fd;
	sandbox_close_others(keep, 1);
	sandbox_enter(&sandbox);
	r = blame_init(&in.blame, NULL);
	if (r == 0)
		r = file_read_fd(STDIN_FILENO, true, ASKED_BYTES_MOST, &data, &bytes);
	if (r == 0) {
		r = answer(&in, data, bytes);
		free(data);
	}
	blame_release(&in.blame);
	opener_end(&in.opener, opener);
	return r < 0;
}

int main(int argc, char **argv)
{
	return stack_room_run(run_all, argc, argv);
}
