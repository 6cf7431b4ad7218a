/* SPDX-License-Identifier: MIT */
/*
 * The export for the Firefox Profiler (firefox.h). With a time line, each sample of a thread is at
 * its time. Without one, samples follow each other, and each lasts for its weight. Stacks whose
 * outer frames are equal are then next to each other.
 */
#include "view/export/firefox.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "view/export/exporters.h"
#include "view/json.h"

/*
 * Without a time line, at most so many rows are written for all threads together: ROWS_EACH per
 * stack of the profile, but at least LEAST_ROWS and at most MOST_ROWS. If there are more samples,
 * several samples of a stack share a row.
 */
#define LEAST_ROWS 50000
#define MOST_ROWS  1000000
#define ROWS_EACH  1000

/* Consecutive rows of the table of samples that have one stack. */
struct firefox_row {
	int stack; /* index in the table of stacks; -1: no stack */
	uint32_t rank;
	int64_t weight, samples;
	uint64_t time_ns; /* with a time line: time of the sample */
};

static int compare_rows(const void *a, const void *b)
{
	const struct firefox_row *x = a, *y = b;

	return (x->rank > y->rank) - (x->rank < y->rank);
}

/* The rank of a stack is its order in a depth-first walk. 0 or -ENOMEM. */
static int rank_rows(const struct firefox *f, struct firefox_row *row, size_t rows)
{
	const struct pairs *stack = &f->table[FIREFOX_STACKS].rows;
	uint32_t *size = calloc(stack->n + 1, sizeof(*size));
	uint32_t *rank = calloc(stack->n + 1, sizeof(*rank));
	bool has_memory = size && rank;

	/*
	 * Both arrays have the root (-1) at 0, and stack i at i + 1. A stack has a greater index
	 * than its caller's stack. @size: the number of stacks that the stack calls, directly or
	 * indirectly.
	 */
	for (size_t i = stack->n; has_memory && i > 0; i--)
		size[stack->pair[i - 1].a + 1] += size[i] + 1;
	for (size_t i = 1; has_memory && i <= stack->n; i++) {
		uint32_t own = size[i];

		rank[i] = rank[stack->pair[i - 1].a + 1] + 1;
		rank[stack->pair[i - 1].a + 1] += own + 1;
	}
	/* rank[] is now each stack's rank plus the number of the stacks that it calls, size[]. */
	for (size_t i = 0; has_memory && i < rows; i++) {
		size_t at = (size_t)(row[i].stack + 1);

		row[i].rank = rank[at] - size[at];
	}
	if (has_memory && rows)
		qsort(row, rows, sizeof(*row), compare_rows);
	free(size);
	free(rank);
	return has_memory ? 0 : -ENOMEM;
}

/*
 * Returns for how many rows of the file @row stands: one per sample; fewer if there are too many
 * samples (ROWS_EACH); one with a time line.
 */
static int64_t rows_of(const struct firefox *f, const struct firefox_row *row)
{
	double all = f->samples, n = (double)row->samples;
	double most = ROWS_EACH * (double)profile_samples(f->frames->profile);

	if (f->moments)
		return 1;
	most = fmin(fmax(most, LEAST_ROWS), MOST_ROWS);
	if (all > most)
		n = n * most / all;
	return n > 1 ? (int64_t)n : 1;
}

enum column { COLUMN_STACK, COLUMN_TIME, COLUMN_WEIGHT, COLUMN_CPU };

/*
 * Is the CPU time since the thread's previous sample written? It is known only if the profile has a
 * time line, and CPU time is exported.
 */
static bool has_cpu_use(const struct firefox *f)
{
	return f->moments && f->frames->sums.weight == VALUE_CPU_NS;
}

/*
 * Returns the factor from the value's unit to that of the file: milliseconds for a time. A value
 * that is not a time is written as it is.
 */
static double scale_of(const struct firefox *f)
{
	return strcmp(frames_value_type(f->frames).unit, "nanoseconds") ? 1 : 1e-6;
}

static void put_column(
	const struct firefox *f, const struct firefox_row *row, size_t rows, enum column column)
{
	double scale = scale_of(f), time = 0;
	bool first = true;

	for (size_t i = 0; i < rows; i++) {
		int64_t n = rows_of(f, &row[i]);
		double weight = (double)row[i].weight / (double)n * scale;

		for (int64_t j = 0; j < n; j++) {
			fputs(first ? "" : ",", f->out);
			first = false;
			if (column == COLUMN_STACK && row[i].stack < 0)
				fputs("null", f->out);
			else if (column == COLUMN_STACK)
				fprintf(f->out, "%d", row[i].stack);
			else if (column == COLUMN_CPU)
				fprintf(f->out, "%" PRId64, row[i].weight);
			else if (column == COLUMN_TIME && f->moments)
				fprintf(f->out, "%.6f", (double)row[i].time_ns / 1e6);
			else
				fprintf(f->out, "%.6f", column == COLUMN_TIME ? time : weight);
			time += weight;
		}
	}
}

static void put_samples(const struct firefox *f, const struct firefox_row *row, size_t rows)
{
	static const char *const names[] = {"stack", "time", "weight", "threadCPUDelta"};
	const char *unit = frames_value_type(f->frames).unit;
	int64_t n = 0;

	fputs("\"samples\":{", f->out);
	for (int i = 0; i < (has_cpu_use(f) ? 4 : 3); i++) {
		fprintf(f->out, "\"%s\":[", names[i]);
		put_column(f, row, rows, (enum column)i);
		fputs("],\n", f->out);
	}
	for (size_t i = 0; i < rows; i++)
		n += rows_of(f, &row[i]);
	fprintf(f->out, "\"weightType\":\"%s\",\"length\":%" PRId64 "},\n",
		!strcmp(unit, "nanoseconds")     ? "tracing-ms"
			: !strcmp(unit, "bytes") ? "bytes"
						 : "samples",
		n);
}

static void put_thread_head(const struct firefox *f, const struct task *task)
{
	fputs("{\"processType\":\"default\",\"processStartupTime\":0,"
	      "\"processShutdownTime\":null,\"registerTime\":0,\"unregisterTime\":null,"
	      "\"pausedRanges\":[],\n\"name\":",
		f->out);
	json_string(f->out, task->thread[0] ? task->thread : task->process);
	fprintf(f->out,
		",\"isMainThread\":%s,\"processName\":", task->pid == task->tid ? "true" : "false");
	json_string(f->out, task->process);
	fprintf(f->out, ",\"pid\":\"%" PRIu32 "\",\"tid\":%" PRIu32 ",\n", task->pid, task->tid);
}

/* @index: indexes of the thread's samples in f->moments or, without a time line, in the profile. */
static int put_thread(
	struct firefox *f, uint32_t task_index, const uint32_t *index, size_t n, bool *first)
{
	const struct profile *profile = f->frames->profile;
	struct task task = profile_task(profile, task_index);
	struct firefox_row *row = calloc(n + 1, sizeof(*row));
	size_t rows = 0;
	int error = row ? 0 : -ENOMEM;

	for (size_t i = 0; i < n && !error; i++) {
		const struct moment *moment = f->moments ? &f->moments->moment[index[i]] : NULL;
		size_t sample = moment ? moment->sample : index[i];
		int64_t weight;

		error = frames_take(f->frames, sample, &weight);
		if (moment)
			weight = moment->weight;
		if (error || !weight)
			continue;
		row[rows].time_ns = moment ? moment->time_ns : 0;
		row[rows].weight = weight;
		row[rows].samples = profile_sample(profile, sample).value[VALUE_SAMPLES];
		error = firefox_add_stack(f, &row[rows++].stack);
	}
	if (!error)
		error = firefox_take_waits(f, task_index);
	if (!error && (rows || f->waits.chosen)) {
		fputs(*first ? "\n" : ",\n", f->out);
		*first = false;
		error = f->moments ? 0 : rank_rows(f, row, rows);
		put_thread_head(f, &task);
		put_samples(f, row, rows);
		firefox_put_tables(f);
		if (!error)
			error = firefox_put_markers(f);
	}
	firefox_forget_thread(f);
	free(row);
	return error;
}

/* Writes the threads of a profile with a time line. f->moments are sorted by task. */
static int put_timed_threads(struct firefox *f)
{
	const struct moments *moments = f->moments;
	uint32_t *index = calloc(moments->n + 1, sizeof(*index));
	int error = index && moments->n < UINT32_MAX ? 0 : -ENOMEM;
	bool first = true;

	fputs("\"threads\":[", f->out);
	for (size_t i = 0; i < moments->n && !error; i++)
		index[i] = (uint32_t)i;
	for (size_t i = 0; i < profile_tasks(f->frames->profile) && !error; i++) {
		size_t from = moments->first[i];

		error = put_thread(
			f, (uint32_t)i, index + from, moments->first[i + 1] - from, &first);
	}
	fputs("],\n", f->out);
	free(index);
	return error;
}

/* Writes the threads of a profile without a time line. */
static int put_threads(struct firefox *f)
{
	const struct profile *profile = f->frames->profile;
	size_t tasks = profile_tasks(profile), samples = profile_samples(profile);
	size_t *end = calloc(tasks + 1, sizeof(*end));
	uint32_t *order = calloc(samples + 1, sizeof(*order));
	int error = end && order ? 0 : -ENOMEM;
	bool first = true;

	fputs("\"threads\":[", f->out);
	for (size_t i = 0; i < samples && !error; i++)
		end[profile_sample(profile, i).task + (size_t)1]++;
	for (size_t i = 0; i < tasks && !error; i++)
		end[i + 1] += end[i];
	/*
	 * @order gets the samples sorted by task. end[task] is the index at which the task's next
	 * sample is stored. After the loop it is the index behind the task's last sample.
	 */
	for (size_t i = 0; i < samples && !error; i++)
		order[end[profile_sample(profile, i).task]++] = (uint32_t)i;
	for (size_t i = 0; i < tasks && !error; i++) {
		size_t from = i ? end[i - 1] : 0;

		error = put_thread(f, (uint32_t)i, order + from, end[i] - from, &first);
	}
	fputs("],\n", f->out);
	free(end);
	free(order);
	return error;
}

static void put_meta(const struct firefox *f)
{
	const struct profile *profile = f->frames->profile;
	uint64_t period = profile_period_ns(profile);

	fprintf(f->out,
		"{\"meta\":{\"interval\":%.6f,\"startTime\":%.3f,\"processType\":0,"
		"\"stackwalk\":1,\"debug\":false,\"version\":31,"
		"\"preprocessedProfileVersion\":58,\n"
		"\"symbolicated\":true,\"usesOnlyOneStackType\":true,"
		"\"sourceCodeIsNotOnSearchfox\":true,\n",
		period ? (double)period / 1e6 : 1, (double)profile_realtime_ns(profile) / 1e6);
	if (has_cpu_use(f))
		fputs("\"sampleUnits\":{\"time\":\"ms\",\"eventDelay\":\"ms\","
		      "\"threadCPUDelta\":\"ns\"},\n",
			f->out);
	firefox_put_marker_schema(f);
	fputs("\"importedFrom\":\"sprofil " SPROFIL_VERSION "\",\"product\":", f->out);
	json_string(f->out, f->frames->title);
	fputs(",\"arguments\":", f->out);
	json_string(f->out, profile_command(profile));
	/* The order is that of FIREFOX_OTHER, …; the format requires a grey category. */
	fputs(",\n\"categories\":["
	      "{\"name\":\"Other\",\"color\":\"grey\",\"subcategories\":[\"Other\"]},"
	      "{\"name\":\"Program\",\"color\":\"yellow\",\"subcategories\":[\"Other\"]},"
	      "{\"name\":\"Library\",\"color\":\"blue\",\"subcategories\":[\"Other\"]},"
	      "{\"name\":\"System call\",\"color\":\"orange\",\"subcategories\":[\"Other\"]},"
	      "{\"name\":\"Python\",\"color\":\"green\",\"subcategories\":[\"Other\"]},"
	      "{\"name\":\"Java\",\"color\":\"orange\",\"subcategories\":[\"Other\"]}]},\n",
		f->out);
}

/*
 * Writes the id that Breakpad (the crash reporter) derives from a build-id: the first 16 bytes of
 * the build-id as a GUID (a 32-bit and two 16-bit numbers in little-endian order), in capitals,
 * then "0", which Breakpad calls the age.
 */
static void put_breakpad_id(const char *build_id, FILE *out)
{
	static const unsigned char order[16] = {
		3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15};
	size_t digits = strspn(build_id, "0123456789abcdefABCDEF");

	fputc('"', out);
	if (digits >= 2 && !build_id[digits]) {
		for (size_t i = 0; i < 32; i++) {
			size_t at = order[i / 2] * (size_t)2 + i % 2;
			char c = at < digits ? build_id[at] : '0';

			fputc(c >= 'a' ? c - 'a' + 'A' : c, out);
		}
		fputc('0', out);
	}
	fputc('"', out);
}

static void put_libraries(const struct firefox *f)
{
	fputs("\"libs\":[", f->out);
	for (size_t i = 0; i < f->library.n; i++) {
		struct mapping mapping = profile_mapping(f->frames->profile, f->mapping[i]);
		const char *const path[] = {"name", "debugName", "path", "debugPath"};

		fputs(i ? ",\n{\"arch\":\"\"" : "\n{\"arch\":\"\"", f->out);
		for (size_t j = 0; j < 4; j++) {
			fprintf(f->out, ",\"%s\":", path[j]);
			json_string(f->out, j < 2 ? text_basename(mapping.file) : mapping.file);
		}
		fputs(",\"breakpadId\":", f->out);
		put_breakpad_id(mapping.build_id, f->out);
		fputs(",\"codeId\":", f->out);
		if (mapping.build_id[0])
			json_string(f->out, mapping.build_id);
		else
			fputs("null", f->out);
		fputc('}', f->out);
	}
	fputs("],\n", f->out);
}

static void put_shared(const struct firefox *f)
{
	fprintf(f->out, "\"shared\":{\"sources\":{\"length\":%zu,\"uuid\":[", f->source.n);
	for (size_t i = 0; i < f->source.n; i++)
		fputs(i ? ",null" : "null", f->out);
	fputs("],\"filename\":[", f->out);
	for (size_t i = 0; i < f->source.n; i++)
		fprintf(f->out, "%s%" PRIu64, i ? "," : "", f->source.pair[i].a);
	fputs("]},\n\"stringArray\":[", f->out);
	for (size_t i = 0; i < f->strings.n; i++) {
		fputs(i ? ",\n" : "\n", f->out);
		json_string(f->out, pool_at(&f->strings, (uint32_t)i));
	}
	fputs("]}}\n", f->out);
}

int firefox_write(const struct profile *profile, const struct report_options *options, FILE *out,
	char **ret_problem)
{
	struct frames frames;
	struct firefox f = {.frames = &frames, .out = out};
	struct moments moments = {0};
	int error = frames_init(&frames, profile, options, ret_problem);

	if (error < 0)
		return error;
	for (size_t i = 0; i < profile_samples(profile); i++)
		f.samples += (double)profile_sample(profile, i).value[VALUE_SAMPLES];
	f.address = calloc(frames.places.n + 1, sizeof(*f.address));
	error = f.address ? pool_init(&f.strings) : -ENOMEM;
	if (!error)
		error = firefox_find_waits(&f);
	if (!error)
		error = moments_init(&moments, &frames, MOMENTS_BY_TASK);
	if (error >= 0) {
		f.moments = error ? &moments : NULL;
		put_meta(&f);
		error = f.moments ? put_timed_threads(&f) : put_threads(&f);
	}
	moments_release(&moments);
	if (!error) {
		put_libraries(&f);
		put_shared(&f);
	}
	if (f.strings.item)
		pool_release(&f.strings);
	firefox_forget_thread(&f);
	firefox_forget_waits(&f);
	pairs_release(&f.source);
	pairs_release(&f.library);
	free(f.mapping);
	free(f.address);
	frames_release(&frames);
	return error;
}
