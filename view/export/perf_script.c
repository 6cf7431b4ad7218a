/* SPDX-License-Identifier: MIT */
/*
 * The text of `perf script` with the fields comm, pid, tid, time, period, event, ip, sym, dso:
 *
 *   worker  100/101   0.250000:    4000000 cpu-clock:u:
 *   	            1300 walk (/usr/bin/demo)
 *   	            1100 main (/usr/bin/demo)
 *
 * Stacks are leaf first, with an empty line behind each. Addresses are as in the ELF file. Each
 * sample is a record, so that programs that count records and programs that add up periods agree.
 * Without a time line, the times are made up: the samples of a stack follow each other, and a
 * record's time is the sum of the thread's periods before it.
 *
 * A small profile may claim any number of samples, so the size of the text is bounded. The bound is
 * what RECORDS_EACH records of each stack take, but at least LEAST_BYTES and at most MOST_BYTES. If
 * there are more samples, several share a record, whose period is the sum of theirs. The first line
 * of the text then says so.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "view/export/exporters.h"
#include "view/frames.h"
#include "view/moments.h"

#define LEAST_BYTES  (4 << 20)
#define MOST_BYTES   (64 << 20)
#define RECORDS_EACH 1000

/* Returns "cpu-clock:u", or the value type as a word. The caller frees it; NULL: out of memory. */
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

/* A line feed in a name would end a frame: text_put() replaces it. */
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

static int put_head(
	const struct task *task, uint64_t time_ns, int64_t period, const char *event, FILE *out)
{
	char *comm = text_clean(task->thread[0] ? task->thread : task->process, false);

	if (!comm)
		return -ENOMEM;
	fprintf(out,
		"%s %7" PRIu32 "/%-7" PRIu32 " %5" PRIu64 ".%06" PRIu64 ": %10" PRId64 " %s:\n",
		comm[0] ? comm : "unknown", task->pid, task->tid, time_ns / 1000000000,
		time_ns / 1000 % 1000000, period, event);
	free(comm);
	return 0;
}

static int put_record(const struct frames *frames, const struct task *task, uint64_t time_ns,
	int64_t period, const char *event, FILE *out)
{
	int error = put_head(task, time_ns, period, event, out);

	if (!error)
		error = put_stack(frames, out);
	fputc('\n', out);
	return error;
}

/* The state of the export of a profile without a time line. */
struct stacks {
	struct frames *frames;
	const char *event;
	double share;      /* records per sample, at most 1 */
	uint64_t *time_ns; /* by task: time of the next record */
	FILE *out;
};

/*
 * Returns a stack's number of samples. If the profile has no numbers of samples, or if another
 * value is exported, each stack counts as one sample.
 */
static int64_t samples_of(const struct stacks *s, size_t index)
{
	struct sample sample = profile_sample(s->frames->profile, index);

	if (s->frames->sums.all[VALUE_SAMPLES] <= 0 || s->frames->options.value)
		return 1;
	return sample.value[VALUE_SAMPLES] > 0 ? sample.value[VALUE_SAMPLES] : 0;
}

/* Formats the last stack taken. The caller frees *@ret_text. 0 or -ENOMEM. */
static int stack_text(const struct frames *frames, char **ret_text, size_t *ret_bytes)
{
	FILE *out = open_memstream(ret_text, ret_bytes);
	int error;

	if (!out)
		return -ENOMEM;
	error = put_stack(frames, out);
	fputc('\n', out);
	if (fclose(out) && !error)
		error = -ENOMEM;
	if (error)
		free(*ret_text);
	return error;
}

/* Approximate bytes of a record's head. */
enum { HEAD_BYTES = 64 };

static int measure(struct stacks *s)
{
	double samples = 0, bytes = 0, most = 0;
	int error = 0;

	for (size_t i = 0; i < profile_samples(s->frames->profile) && !error; i++) {
		int64_t weight;
		size_t length;
		char *text;

		error = frames_take(s->frames, i, &weight);
		if (error || !weight)
			continue;
		error = stack_text(s->frames, &text, &length);
		if (error)
			continue;
		free(text);
		most += RECORDS_EACH * (double)(length + HEAD_BYTES);
		samples += (double)samples_of(s, i);
		bytes += (double)samples_of(s, i) * (double)(length + HEAD_BYTES);
	}
	most = fmin(fmax(most, LEAST_BYTES), MOST_BYTES);
	s->share = bytes > most ? most / bytes : 1;
	if (s->share < 1)
		fprintf(s->out,
			"# %.0f samples: a record for about %.0f of them each, with the sum of "
			"their periods\n",
			samples, 1 / s->share);
	return error;
}

/* Writes a sample's records, and advances the time of its task by @weight. */
static int put_sample(const struct stacks *s, size_t index, int64_t weight)
{
	struct sample sample = profile_sample(s->frames->profile, index);
	struct task task = profile_task(s->frames->profile, sample.task);
	int64_t samples = samples_of(s, index);
	int64_t records = s->share < 1 ? (int64_t)((double)samples * s->share) : samples;
	size_t bytes;
	char *text;
	int error = stack_text(s->frames, &text, &bytes);

	if (error)
		return error;
	if (records < 1 && samples)
		records = 1;
	for (int64_t i = 0; i < records && !error; i++) {
		/* The periods of all records add up exactly to the weight. */
		int64_t period = weight / records + (i < weight % records);

		error = put_head(&task, s->time_ns[sample.task], period, s->event, s->out);
		(void)fwrite(text, 1, bytes, s->out);
		s->time_ns[sample.task] += (uint64_t)period;
		if (ferror(s->out))
			error = -EIO;
	}
	free(text);
	return error;
}

static int put_stacks(struct frames *frames, const char *event, FILE *out)
{
	struct stacks s = {.frames = frames,
		.event = event,
		.time_ns = calloc(profile_tasks(frames->profile) + 1, sizeof(*s.time_ns)),
		.out = out};
	int error = s.time_ns ? measure(&s) : -ENOMEM;

	for (size_t i = 0; i < profile_samples(frames->profile) && !error; i++) {
		int64_t weight;

		error = frames_take(frames, i, &weight);
		if (!error && weight)
			error = put_sample(&s, i, weight);
	}
	free(s.time_ns);
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

		/* CPU time without a sample has no record. */
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
