/* SPDX-License-Identifier: MIT */
#include "tools/inspector/inspect_histogram.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "profile/file.h"
#include "profile/monout.h"
#include "tools/inspector/inspect_answer.h"
#include "tools/inspector/inspect_put.h"
#include "tools/inspector/inspect_talk.h"

/* What is skipped of a program that crashed the inspector: 1: debug information; 2: all of it. */
enum { SKIP_MOST = 2 };

struct question {
	const uint8_t *data;
	size_t bytes;
	const char *program;
};

static int write_question(
	const struct question *q, uint8_t skip, char **ret_asked, size_t *ret_bytes)
{
	const struct inspection_histogram histogram = {
		.skip = skip, .program = q->program, .bytes = q->bytes};
	FILE *out = open_memstream(ret_asked, ret_bytes);
	int r;

	if (!out)
		return -ENOMEM;
	r = inspect_put(out, INSPECTION_HISTOGRAM, &histogram);
	if (fwrite(q->data, 1, q->bytes, out) != q->bytes)
		r = -ENOMEM;
	return fclose(out) == 0 && r == 0 ? 0 : -ENOMEM;
}

/*
 * Asks once. 0 or -errno; -EPROTO: the answer is incomplete, as the inspector died. *@ret_why: why
 * there is no profile, freed by the caller; NULL: no reason is known.
 */
static int ask_inspector(const char *inspector, const struct question *q, uint8_t skip,
	struct profile **ret_profile, char **ret_why)
{
	uint8_t *answer = NULL;
	char *asked = NULL;
	const char *why = NULL;
	size_t asked_bytes, bytes;
	int r = write_question(q, skip, &asked, &asked_bytes);

	if (r == 0)
		r = inspect_talk(inspector, asked, asked_bytes, &answer, &bytes);
	if (r == 0)
		r = inspect_answer_profile(answer, bytes, ret_profile, &why);
	else if (r != -ENOMEM)
		why = "sprofil-inspector, which reads it, cannot be started";
	*ret_why = why ? strdup(why) : NULL;
	free(asked);
	free(answer);
	return why && !*ret_why ? -ENOMEM : r;
}

/*
 * Asks. While the inspector dies, asks again and lets it skip more. *@ret_skip: what was skipped in
 * the last attempt.
 */
static int ask_again(
	const struct question *q, struct profile **ret_profile, char **ret_why, uint8_t *ret_skip)
{
	char inspector[PATH_MAX];
	uint8_t skip = 0;
	int r;

	if (!inspect_talk_find(inspector)) {
		*ret_why = strdup(INSPECT_TALK_MISSING);
		return *ret_why ? -ENOENT : -ENOMEM;
	}
	do {
		r = ask_inspector(inspector, q, skip, ret_profile, ret_why);
		*ret_skip = skip++;
	} while (r == -EPROTO && skip <= SKIP_MOST);
	if (r == -EPROTO) {
		*ret_why = strdup("the program was too much for what reads it");
		return *ret_why ? r : -ENOMEM;
	}
	return r;
}

/*
 * Returns a sentence: why there is no profile (@why), or what was skipped (@skip). NULL: there is
 * nothing to say, or memory is short.
 */
static char *tell(const char *path, const char *program, const char *why, uint8_t skip)
{
	char *text = NULL;
	int n = 0;

	if (why)
		n = asprintf(&text, "cannot use '%s' with --program %s: %s", path, program, why);
	else if (skip)
		n = asprintf(&text, "%s made what reads it die: its %s left alone", program,
			skip > 1 ? "names are" : "debug information is");
	return n < 0 ? NULL : text;
}

static int named(struct question *q, const char *path, const char *program,
	struct profile **ret_profile, char **ret_problem)
{
	char *real = realpath(program, NULL), *why = NULL;
	uint8_t skip = 0;
	int r;

	if (!real) {
		r = -errno;
		*ret_problem = r == -ENOMEM ? NULL : tell(path, program, strerror(-r), 0);
		return r;
	}
	q->program = real;
	r = ask_again(q, ret_profile, &why, &skip);
	*ret_problem = r == -ENOMEM ? NULL : tell(path, program, why, skip);
	free(why);
	free(real);
	return r;
}

int inspect_histogram(
	const char *path, const char *program, struct profile **ret_profile, char **ret_problem)
{
	const char *why = NULL;
	uint8_t *data = NULL;
	struct question q = {0};
	struct monout monout;
	int r = file_read_bytes(path, &data, &q.bytes, ret_problem);

	if (r < 0)
		return r;
	q.data = data;
	r = monout_open(data, q.bytes, &monout, &why);
	if (r == 0 && q.bytes > INSPECTION_FILE_MOST) {
		r = -EFBIG;
		why = "it has more than 128 MiB";
	}
	if (r == 0)
		r = named(&q, path, program, ret_profile, ret_problem);
	else
		r = text_refuse(ret_problem, r, "cannot use '%s': %s", path, why);
	free(data);
	return r;
}
