/* SPDX-License-Identifier: MIT */
/*
 * The text of `perf script` with the fields comm, pid, tid, time, period, event, ip, sym, dso:
 *
 *   worker  100/101   0.250000:    4000000 cpu-clock:u:
 *   	            1300 walk (/usr/bin/demo)
 *   	            1100 main (/usr/bin/demo)
 *
 * Leaf first, with an empty line behind each sample. There is a record for each sample, so that
 * programs that count records and programs that add up periods agree. Addresses are those in the
 * file. Without a time line the time is the thread's time so far, as if equal stacks were
 * consecutive.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "view/export/exporters.h"
#include "view/frames.h"
#include "view/moments.h"

/* "cpu-clock:u"; another value's name, made a single word. */
static char *event_name(const struct frames *frames)
{
	struct value_type type = frames_value_type(frames);
	char *name;

	if (!strcmp(type.type, "cpu") || frames->sums.weight == VALUE_SAMPLES)
		return strdup("cpu-clock:u");
	name = text_clean(type.type[0] ? type.type : "value", true);
	for (char *p = name; p && *p; p++) {
		if (*p == ' ' || *p == ':')
			*p = '_';
	}
	return name;
}

/* White space in a name would end the frame. */
static int put_stack(const struct frames *frames, FILE *out)
{
	for (size_t i = 0; i < frames->n; i++) {
		const struct frame *frame = &frames->frame[i];
		struct location location = profile_location(frames->profile, frame->location);
		const char *object = frames->places.place[frame->place].object;

		fprintf(out, "\t%16" PRIx64 " ", location.address);
		text_put(location.lines ? frames->places.place[frame->place].function : "[unknown]",
			out);
		fputs(" (", out);
		if (frame->inlined)
			fputs("inlined", out);
		else
			text_put(object[0] ? object : "[unknown]", out);
		fputs(")\n", out);
	}
	return ferror(out) ? -EIO : 0;
}

/* One record of the last stack taken. */
static int put_record(const struct frames *frames, const struct task *task, uint64_t time_ns,
	int64_t period, const char *event, FILE *out)
{
	char *comm = text_clean(task->thread[0] ? task->thread : task->process, false);
	int error;

	if (!comm)
		return -ENOMEM;
	fprintf(out,
		"%s %7" PRIu32 "/%-7" PRIu32 " %5" PRIu64 ".%06" PRIu64 ": %10" PRId64 " %s:\n",
		comm[0] ? comm : "unknown", task->pid, task->tid, time_ns / 1000000000,
		time_ns / 1000 % 1000000, period, event);
	free(comm);
	error = put_stack(frames, out);
	fputc('\n', out);
	return error;
}

/* The records of a stack; @time_ns advances by its weight. */
static int put_sample(struct frames *frames, size_t index, int64_t weight, const char *event,
	uint64_t *time_ns, FILE *out)
{
	struct sample sample = profile_sample(frames->profile, index);
	struct task task = profile_task(frames->profile, sample.task);
	int64_t records = sample.value[VALUE_SAMPLES];
	int error = 0;

	if (frames->sums.all[VALUE_SAMPLES] <= 0 || frames->options.value)
		records = 1;
	for (int64_t i = 0; i < records && !error; i++) {
		/* The periods of all records sum up exactly to the weight. */
		int64_t period = weight / records + (i < weight % records);

		error = put_record(frames, &task, *time_ns, period, event, out);
		*time_ns += (uint64_t)period;
	}
	return error;
}

static int put_stacks(struct frames *frames, const char *event, FILE *out)
{
	uint64_t *time_ns = calloc(profile_tasks(frames->profile) + 1, sizeof(*time_ns));
	int error = time_ns ? 0 : -ENOMEM;

	for (size_t i = 0; i < profile_samples(frames->profile) && !error; i++) {
		int64_t weight;

		error = frames_take(frames, i, &weight);
		if (!error && weight)
			error = put_sample(frames, i, weight, event,
				&time_ns[profile_sample(frames->profile, i).task], out);
	}
	free(time_ns);
	return error;
}

static int put_moments(
	struct frames *frames, const struct moments *moments, const char *event, FILE *out)
{
	bool counted = frames->sums.all[VALUE_SAMPLES] > 0 && !frames->options.value;
	int error = 0;

	for (size_t i = 0; i < moments->n && !error; i++) {
		const struct moment *moment = &moments->moment[i];
		struct sample sample = profile_sample(frames->profile, moment->sample);
		struct task task = profile_task(frames->profile, moment->task);
		int64_t weight;

		/* Time without samples has no records. */
		if (counted && sample.value[VALUE_SAMPLES] <= 0)
			continue;
		error = frames_take(frames, moment->sample, &weight);
		if (!error)
			error = put_record(
				frames, &task, moment->time_ns, moment->weight, event, out);
	}
	return error;
}

int perf_script_write(const struct profile *profile, const struct report_options *options,
	FILE *out, char **ret_problem)
{
	struct moments moments;
	struct frames frames;
	char *event;
	int error = frames_init(&frames, profile, options, ret_problem), timed;

	if (error < 0)
		return error;
	event = event_name(&frames);
	error = event ? 0 : -ENOMEM;
	if (!error) {
		timed = moments_init(&moments, &frames, MOMENTS_BY_TIME);
		if (timed < 0)
			error = timed;
		else if (timed)
			error = put_moments(&frames, &moments, event, out);
		else
			error = put_stacks(&frames, event, out);
		moments_release(&moments);
	}
	free(event);
	frames_release(&frames);
	return error;
}
