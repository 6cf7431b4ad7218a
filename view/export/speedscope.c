/* SPDX-License-Identifier: MIT */
/*
 * The file format of speedscope (its file-format-schema.json). A file has profiles of type
 * "sampled": one of all threads together, then one of each thread. A sample is a list of frames,
 * root first, with a weight.
 *
 * In the profile of all threads, each stack is one sample, and stacks whose outer frames are equal
 * are next to each other. Without a time line, the profiles of threads are the same. With a time
 * line, a thread's samples are at their times. While the thread did not run, there is a sample
 * without frames, whose weight is that time.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/sum.h"
#include "view/export/exporters.h"
#include "view/frames.h"
#include "view/json.h"
#include "view/moments.h"
#include "view/tree.h"

struct scope {
	const struct frames *frames;
	struct frames *timed; /* equal to @frames; for frames_take(), which changes it */
	const struct tree *tree;
	uint32_t *path;
	size_t room;
	FILE *out;
};

/* A frame is a place (a function of an object), with a source file of one of its locations. */
static int put_frames(const struct frames *frames, FILE *out)
{
	const struct profile *profile = frames->profile;
	const struct places *places = &frames->places;
	uint32_t *function = malloc((places->n + 1) * sizeof(*function));

	if (!function)
		return -ENOMEM;
	for (size_t i = 0; i < places->n; i++)
		function[i] = FRAMES_NO_FUNCTION;
	for (size_t i = 0; i < profile_locations(profile); i++) {
		struct location location = profile_location(profile, i);
		size_t n;
		const uint32_t *of = places_of(places, (uint32_t)i, &n);

		for (size_t j = 0; j < n && location.lines; j++) {
			uint32_t place = of[j];

			if (function[place] == FRAMES_NO_FUNCTION)
				function[place] = location.line[location.lines - n + j].function;
		}
	}
	fputs("\"shared\":{\"frames\":[", out);
	for (size_t i = 0; i < places->n; i++) {
		struct function known = {.file = ""};

		if (function[i] != FRAMES_NO_FUNCTION)
			known = profile_function(profile, function[i]);
		fputs(i ? ",\n{\"name\":" : "\n{\"name\":", out);
		json_string(out, places->place[i].function);
		fputs(",\"file\":", out);
		json_string(out, known.file[0] ? known.file : places->place[i].object);
		if (known.file[0] && known.line)
			fprintf(out, ",\"line\":%" PRIu32, known.line);
		fputc('}', out);
	}
	/* The last frame stands for the stack of a sample without a stack. */
	fprintf(out, "%s{\"name\":\"[unknown]\",\"file\":\"\"}]}", places->n ? ",\n" : "\n");
	free(function);
	return 0;
}

static int put_stack(struct scope *s, uint32_t leaf)
{
	const struct tree_node *all = s->tree->node;
	size_t n = 0;

	if (array_grow(&s->path, &s->room, all[leaf].depth + (size_t)1) < 0)
		return -ENOMEM;
	for (uint32_t at = leaf; at != TREE_NONE; at = all[at].parent) {
		if (all[at].place != TREE_NONE)
			s->path[n++] = all[at].place;
	}
	if (!n)
		s->path[n++] = (uint32_t)s->frames->places.n;
	fputc('[', s->out);
	while (n--)
		fprintf(s->out, "%" PRIu32 "%s", s->path[n], n ? "," : "]");
	return 0;
}

static const char *unit_of(const char *unit)
{
	static const char *const known[] = {
		"nanoseconds", "microseconds", "milliseconds", "seconds", "bytes"};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		if (!strcmp(known[i], unit))
			return known[i];
	}
	return "none";
}

/* Writes one profile of the file: all stacks below the node @top. */
static int put_profile(struct scope *s, uint32_t top, const char *name)
{
	const struct tree *tree = s->tree;
	int64_t end = 0, weight;
	bool first = true;
	int error = 0;

	fputs("\n{\"type\":\"sampled\",\"name\":", s->out);
	json_string(s->out, name);
	fprintf(s->out, ",\"unit\":\"%s\",\"startValue\":0,\n\"samples\":[",
		unit_of(frames_value_type(s->frames).unit));
	for (uint32_t at = top; at != TREE_NONE && !error; at = tree_walk(tree, top, at)) {
		if (tree_self_weight(tree, at) <= 0)
			continue;
		fputs(first ? "" : ",\n", s->out);
		first = false;
		error = put_stack(s, at);
	}
	fputs("],\n\"weights\":[", s->out);
	first = true;
	for (uint32_t at = top; at != TREE_NONE; at = tree_walk(tree, top, at)) {
		weight = tree_self_weight(tree, at);
		if (weight <= 0)
			continue;
		fprintf(s->out, "%s%" PRId64, first ? "" : ",", weight);
		first = false;
		sum_add(&end, weight);
	}
	fprintf(s->out, "],\"endValue\":%" PRId64 "}", end);
	return error;
}

static int put_threads(struct scope *s, const struct report_options *options)
{
	const struct tree *tree = s->tree;
	int error = 0;

	for (uint32_t at = tree->node[TREE_ROOT].child; at != TREE_NONE && !error;
		at = tree->node[at].next) {
		char *name = tree_task_name(s->frames->profile, options, &tree->node[at]);

		fputc(',', s->out);
		error = name ? put_profile(s, at, name) : -ENOMEM;
		free(name);
	}
	return error;
}

static int put_task_name(const struct task *task, FILE *out)
{
	char *name;

	if (asprintf(&name, "%s %" PRIu32, task->thread[0] ? task->thread : task->process,
		    task->tid ? task->tid : task->pid) < 0)
		return -ENOMEM;
	json_string(out, name);
	free(name);
	return 0;
}

static void put_frames_of(const struct frames *frames, FILE *out)
{
	fputc('[', out);
	for (size_t i = frames->n; i-- > 0;)
		fprintf(out, "%" PRIu32 "%s", frames->frame[i].place, i ? "," : "");
	if (!frames->n)
		fprintf(out, "%zu", frames->places.n);
	fputc(']', out);
}

/*
 * Writes a thread's samples, or their weights (@weights). A sample begins at its time. But if the
 * previous sample ends later than that, it begins at this end: samples of a thread must not
 * overlap, because a thread runs one function at a time. *@ret_end: the end of the last sample. 0
 * or -ENOMEM.
 */
static int put_thread_column(struct scope *s, const struct moments *moments, uint32_t task,
	bool weights, int64_t *ret_end)
{
	int64_t at = (int64_t)moments->from_ns;
	bool first = true;
	int error = 0;

	for (size_t i = moments->first[task]; i < moments->first[task + 1] && !error; i++) {
		const struct moment *moment = &moments->moment[i];
		int64_t begin = (int64_t)moment->time_ns, weight;

		if (!moment->weight)
			continue;
		if (begin > at) {
			fputs(first ? "" : ",", s->out);
			first = false;
			if (weights)
				fprintf(s->out, "%" PRId64, begin - at);
			else
				fputs("[]", s->out);
			at = begin;
		}
		fputs(first ? "" : weights ? "," : ",\n", s->out);
		first = false;
		if (weights) {
			fprintf(s->out, "%" PRId64, moment->weight);
		} else {
			error = frames_take(s->timed, moment->sample, &weight);
			put_frames_of(s->timed, s->out);
		}
		sum_add(&at, moment->weight);
	}
	*ret_end = at;
	return error;
}

static int put_timed_threads(struct scope *s, const struct moments *moments)
{
	const struct profile *profile = s->frames->profile;
	int error = 0;

	for (uint32_t i = 0; i < profile_tasks(profile) && !error; i++) {
		struct task task = profile_task(profile, i);
		int64_t end;

		if (moments->first[i] == moments->first[i + 1])
			continue;
		fputs(",\n{\"type\":\"sampled\",\"name\":", s->out);
		error = put_task_name(&task, s->out);
		fprintf(s->out,
			",\"unit\":\"nanoseconds\",\"startValue\":%" PRIu64 ",\n\"samples\":[",
			moments->from_ns);
		if (!error)
			error = put_thread_column(s, moments, i, false, &end);
		fputs("],\n\"weights\":[", s->out);
		if (!error)
			error = put_thread_column(s, moments, i, true, &end);
		fprintf(s->out, "],\"endValue\":%" PRId64 "}", error ? 0 : end);
	}
	return error;
}

static int put_all(struct scope *s, char **ret_problem)
{
	struct report_options options = s->frames->options;
	struct tree tree;
	int error;

	options.bottom_up = false;
	options.split = REPORT_SPLIT_NONE;
	error = tree_init(&tree, s->frames->profile, &options, TREE_WHOLE, ret_problem);
	if (error)
		return error;
	s->tree = &tree;
	error = put_profile(s, TREE_ROOT, "all threads");
	tree_release(&tree);
	if (error)
		return error;
	if (!strcmp(frames_value_type(s->frames).unit, "nanoseconds")) {
		struct moments moments;

		error = moments_init(&moments, s->frames, MOMENTS_BY_TASK);
		if (error > 0)
			error = put_timed_threads(s, &moments);
		else if (!error)
			error = 1;
		moments_release(&moments);
		if (error <= 0)
			return error;
	}
	if (s->frames->options.split == REPORT_SPLIT_NONE)
		options.split = REPORT_SPLIT_THREAD;
	else
		options.split = s->frames->options.split;
	error = tree_init(&tree, s->frames->profile, &options, TREE_WHOLE, ret_problem);
	if (error)
		return error;
	/* If there is only one thread, its profile would repeat that of all threads. */
	if (tree.node[TREE_ROOT].child != TREE_NONE &&
		tree.node[tree.node[TREE_ROOT].child].next != TREE_NONE)
		error = put_threads(s, &options);
	tree_release(&tree);
	return error;
}

int speedscope_write(const struct profile *profile, const struct report_options *options, FILE *out,
	char **ret_problem)
{
	struct frames frames;
	struct scope s = {.frames = &frames, .timed = &frames, .out = out};
	int error = frames_init(&frames, profile, options, ret_problem);

	if (error < 0)
		return error;
	fputs("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n"
	      "\"exporter\":\"sprofil " SPROFIL_VERSION "\",\"name\":",
		out);
	json_string(out, frames.title);
	fputs(",\"activeProfileIndex\":0,\n", out);
	error = put_frames(&frames, out);
	fputs(",\n\"profiles\":[", out);
	if (!error)
		error = put_all(&s, ret_problem);
	fputs("]}\n", out);
	free(s.path);
	frames_release(&frames);
	return error;
}
