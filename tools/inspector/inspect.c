/* SPDX-License-Identifier: MIT */
#include "tools/inspector/inspect.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/waiting_line.h"
#include "profile/profile.h"
#include "tools/inspector/debuginfod.h"
#include "tools/inspector/inspect_answer.h"
#include "tools/inspector/inspect_put.h"
#include "tools/inspector/inspect_talk.h"
#include "tools/inspector/package.h"

/*
 * If the inspector crashes on a file, more of the file is skipped (enum symbolizer_skip): first its
 * debug information (1), then all of it (2).
 */
enum { SKIP_MOST = 2 };

static int write_object(
	FILE *to, const struct profile *profile, const struct code_object *object, uint8_t skip)
{
	struct mapping mapping = profile_mapping(profile, object->mapping);
	const struct inspection_object asked = {.skip = skip,
		.start = mapping.start,
		.limit = mapping.limit,
		.offset = mapping.offset,
		.build_id = mapping.build_id,
		.path = mapping.file,
		.addresses = (uint32_t)object->addresses};
	int r = inspect_put(to, INSPECTION_OBJECT, &asked);

	for (size_t i = 0; i < object->addresses && r == 0; i++)
		r = inspect_put(to, INSPECTION_ADDRESS,
			&(struct inspection_address){object->instructions, object->address[i]});
	return r < 0 ? -ENOMEM : 0;
}

struct talk {
	char *asked;
	uint8_t *answer;
	size_t asked_bytes, answer_bytes;
};

static int ask_inspector(const char *path, const struct profile *profile,
	struct code_object *object, size_t n, uint8_t skip, struct talk *t)
{
	FILE *out = open_memstream(&t->asked, &t->asked_bytes);
	int r = out ? 0 : -ENOMEM;

	/* @skip applies to the file of the first object only. */
	for (size_t i = 0; i < n && r == 0; i++)
		r = write_object(out, profile, &object[i], i ? 0 : skip);
	if (out && fclose(out) != 0)
		r = -ENOMEM;
	if (r < 0)
		return r;
	return inspect_talk(path, t->asked, t->asked_bytes, &t->answer, &t->answer_bytes);
}

/* Takes complete answers; returns the number of answered objects, or -ENOMEM. */
static int take_answers(const struct talk *t, struct code_object *object, size_t n)
{
	const uint8_t *at = t->answer;
	size_t left = t->answer_bytes;

	for (size_t i = 0; i < n; i++) {
		long used = inspect_answer_take(at, left, &object[i]);

		if (used < 0)
			return used == -ENOMEM ? -ENOMEM : (int)i;
		at += used;
		left -= (size_t)used;
	}
	return (int)n;
}

static void refuse(struct code_object *object, size_t n, const char *problem)
{
	for (size_t i = 0; i < n; i++)
		object[i].problem = object[i].code_problem = problem;
}

/* Returns the number of answered objects, or -errno. @skip applies to the first object. */
static int ask_and_take(const char *path, const struct profile *profile, struct code_object *object,
	size_t n, uint8_t skip)
{
	struct talk t = {0};
	int r = ask_inspector(path, profile, object, n, skip, &t);

	if (r == 0)
		r = take_answers(&t, object, n);
	free(t.asked);
	free(t.answer);
	return r;
}

static int inspect(
	void *context, const struct profile *profile, struct code_object *object, size_t n)
{
	struct inspect *inspect = context;
	char path[PATH_MAX];
	uint8_t skip = 0;
	size_t done = 0;

	for (size_t i = 0; i < n; i++)
		inspect_answer_init(&object[i]);
	if (!inspect_talk_find(path)) {
		refuse(object, n, INSPECT_TALK_MISSING);
		return 0;
	}
	if (inspect->progress)
		waiting_line_say(inspect->progress, "reading programs and libraries");
	while (done < n) {
		int r = ask_and_take(path, profile, object + done, n - done, skip);

		if (r == -ENOMEM)
			return r;
		if (r < 0) {
			refuse(object + done, n - done, "sprofil-inspector cannot be started");
			return 0;
		}
		done += (size_t)r;
		/*
		 * The inspector died of the file of the first object without an answer: skips more
		 * of that file.
		 */
		skip = r ? 1 : skip + 1;
		if (done < n && skip > SKIP_MOST) {
			refuse(&object[done++], 1,
				"the file was too much for what reads it, and is left alone");
			skip = 0;
		}
	}
	return 0;
}

static int read_source(void *context, const char *file, bool shared, char **ret_text,
	char **ret_path, uint64_t *ret_changed_ns, char **ret_problem)
{
	const struct inspect *inspect = context;

	return source_files_read(
		&inspect->sources, file, shared, ret_text, ret_path, ret_changed_ns, ret_problem);
}

static int fetch(void *context, const char *path, const char *build_id, const char **ret_problem)
{
	return debuginfod_fetch(((struct inspect *)context)->progress, path, build_id, ret_problem);
}

static int package(void *context, const char *path, struct code_package *ret_package)
{
	(void)context;
	return package_find(path, ret_package);
}

struct code_reader inspect_reader(struct inspect *inspector)
{
	return (struct code_reader){.inspect = inspect,
		.source = read_source,
		.fetch = fetch,
		.package = package,
		.context = inspector};
}
