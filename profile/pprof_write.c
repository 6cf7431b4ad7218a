/* SPDX-License-Identifier: MIT */
/*
 * The file is written in pieces, each a message of a few fields. Concatenated, these messages are
 * equivalent to one message with all fields. So only one sample at a time is converted to the
 * structures of protobuf-c, which saves memory.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "profile/gzip.h"
#include "profile/model.h"
#include "profile/pprof.h"
#include "profile/pprof_comments.h"
#include "profile/pprof_labels.h"
#include "profile/pprof_timeline.h"
#include "profile/profile.pb-c.h"

typedef Perftools__Profiles__Profile Profile;
typedef Perftools__Profiles__Sample Sample;
typedef Perftools__Profiles__Label Label;
typedef Perftools__Profiles__ValueType ValueType;
typedef Perftools__Profiles__Mapping Mapping;
typedef Perftools__Profiles__Location Location;
typedef Perftools__Profiles__Line Line;
typedef Perftools__Profiles__Function Function;
typedef Perftools__Profiles__ThreadTime ThreadTime;

/* In the string table, these names follow the model's strings. */
static const char *const label_name[] = {
	PPROF_LABEL_PID, PPROF_LABEL_TID, PPROF_LABEL_PROCESS, PPROF_LABEL_THREAD};
enum { LABEL_PID, LABEL_TID, LABEL_PROCESS, LABEL_THREAD, LABELS };

struct writing {
	const struct profile *profile;
	struct gzip_writer *gzip;
	uint8_t *scratch;
	size_t scratch_room;
	uint64_t *id; /* buffer for the location ids of a stack */
	size_t id_room;
	Label *label, **labels; /* labels of one sample */
	size_t label_room, labels_room;
	size_t strings; /* number of strings written so far */
	size_t columns; /* number of value types to be written */
	size_t column[VALUE_TYPES_MAX];
};

static int put(struct writing *w, const Profile *piece)
{
	size_t bytes = perftools__profiles__profile__get_packed_size(piece);

	if (!bytes)
		return 0;
	if (array_grow(&w->scratch, &w->scratch_room, bytes) < 0)
		return -ENOMEM;
	(void)perftools__profiles__profile__pack(piece, w->scratch);
	return gzip_writer_append(w->gzip, w->scratch, bytes);
}

/* Returns the string's index in the table. */
static int put_string(struct writing *w, const char *text)
{
	Profile piece = PERFTOOLS__PROFILES__PROFILE__INIT;
	char *strings[1] = {(char *)(uintptr_t)text};
	int error;

	piece.n_string_table = 1;
	piece.string_table = strings;
	error = put(w, &piece);
	return error < 0 ? error : (int)w->strings++;
}

static int put_strings(struct writing *w)
{
	for (size_t i = 0; i < w->profile->strings.n; i++) {
		int error = put_string(w, pool_at(&w->profile->strings, (uint32_t)i));

		if (error < 0)
			return error;
	}
	for (size_t i = 0; i < LABELS; i++) {
		int error = put_string(w, label_name[i]);

		if (error < 0)
			return error;
	}
	return 0;
}

static bool is_all_zero(const struct profile *profile, size_t column)
{
	for (size_t i = 0; i < profile->samples; i++) {
		if (profile->value[i * profile->value_types + column])
			return false;
	}
	return true;
}

/*
 * A profile with further value types and without samples is written without the columns of samples
 * and of CPU time, unless it has CPU time: it is another program's heap profile, which lacked these
 * columns. With samples, the CPU column is written even if it is all 0: without it, readers take
 * samples times period for CPU time, even of threads that slept.
 */
static void choose_columns(struct writing *w)
{
	const struct profile *profile = w->profile;
	bool all = profile->value_types == 2, samples = !is_all_zero(profile, VALUE_SAMPLES);

	for (size_t i = 0; i < profile->value_types; i++) {
		if (i > VALUE_CPU_NS || all || samples ||
			(i == VALUE_CPU_NS && !is_all_zero(profile, i)))
			w->column[w->columns++] = i;
	}
}

static size_t default_column(const struct profile *profile)
{
	size_t index = profile_default_value(profile);

	return index == SIZE_MAX ? VALUE_CPU_NS : index;
}

static void fill_type(ValueType *to, const struct value_type *from)
{
	to->type = pool_id(from->type);
	to->unit = pool_id(from->unit);
}

static int put_value_types(struct writing *w)
{
	for (size_t i = 0; i < w->columns; i++) {
		Profile piece = PERFTOOLS__PROFILES__PROFILE__INIT;
		ValueType type = PERFTOOLS__PROFILES__VALUE_TYPE__INIT, *types[1] = {&type};
		int error;

		fill_type(&type, &w->profile->value_type[w->column[i]]);
		piece.n_sample_type = 1;
		piece.sample_type = types;
		if (w->column[i] == default_column(w->profile))
			piece.default_sample_type = type.type;
		error = put(w, &piece);
		if (error < 0)
			return error;
	}
	return 0;
}

static int put_head(struct writing *w)
{
	const struct foreign *foreign = &w->profile->foreign;
	Profile piece = PERFTOOLS__PROFILES__PROFILE__INIT;
	ValueType period = PERFTOOLS__PROFILES__VALUE_TYPE__INIT;

	piece.time_nanos = (int64_t)w->profile->realtime_ns;
	piece.duration_nanos = (int64_t)w->profile->duration_ns;
	if (w->profile->period_ns) {
		fill_type(&period, &w->profile->value_type[VALUE_CPU_NS]);
		piece.period_type = &period;
		piece.period = (int64_t)w->profile->period_ns;
	} else if (foreign->period_type[0] || foreign->period_unit[0]) {
		period.type = pool_id(foreign->period_type);
		period.unit = pool_id(foreign->period_unit);
		piece.period_type = &period;
		piece.period = foreign->period;
	}
	piece.drop_frames = pool_id(foreign->drop_frames);
	piece.keep_frames = pool_id(foreign->keep_frames);
	piece.doc_url = pool_id(foreign->doc_url);
	return put(w, &piece);
}

/* Stands for "no mapping" in files of other programs, and is not written. */
static bool is_blank(const struct mapping *item)
{
	return !item->file[0] && !item->build_id[0] && !item->start && !item->limit;
}

static int put_mapping(struct writing *w, size_t index)
{
	const struct mapping *item = &w->profile->mapping[index];
	Profile piece = PERFTOOLS__PROFILES__PROFILE__INIT;
	Mapping mapping = PERFTOOLS__PROFILES__MAPPING__INIT, *mappings[1] = {&mapping};

	if (is_blank(item))
		return 0;
	mapping.id = index + 1;
	mapping.memory_start = item->start;
	mapping.memory_limit = item->limit;
	mapping.file_offset = item->offset;
	mapping.filename = pool_id(item->file);
	mapping.build_id = pool_id(item->build_id);
	mapping.has_functions = item->has_functions;
	mapping.has_filenames = item->has_lines;
	mapping.has_line_numbers = item->has_lines;
	mapping.has_inline_frames = item->has_inlines;
	piece.n_mapping = 1;
	piece.mapping = mappings;
	return put(w, &piece);
}

/* The format requires that the main program's mapping is first. */
static int put_mappings(struct writing *w)
{
	size_t first = w->profile->main;
	int error = first < w->profile->mappings ? put_mapping(w, first) : 0;

	for (size_t i = 0; i < w->profile->mappings && error >= 0; i++) {
		if (i != first)
			error = put_mapping(w, i);
	}
	return error;
}

static int put_functions(struct writing *w)
{
	for (size_t i = 0; i < w->profile->functions; i++) {
		const struct function *item = &w->profile->function[i];
		Profile piece = PERFTOOLS__PROFILES__PROFILE__INIT;
		Function function = PERFTOOLS__PROFILES__FUNCTION__INIT,
			 *functions[1] = {&function};
		int error;

		function.id = i + 1;
		function.name = pool_id(item->name);
		function.system_name = pool_id(item->symbol);
		function.filename = pool_id(item->file);
		function.start_line = item->line;
		piece.n_function = 1;
		piece.function = functions;
		error = put(w, &piece);
		if (error < 0)
			return error;
	}
	return 0;
}

static int put_location(struct writing *w, size_t index)
{
	const struct location_item *item = &w->profile->location[index];
	Profile piece = PERFTOOLS__PROFILES__PROFILE__INIT;
	Location location = PERFTOOLS__PROFILES__LOCATION__INIT, *locations[1] = {&location};
	Line *line = calloc(item->lines + (size_t)1, sizeof(*line));
	Line **lines = calloc(item->lines + (size_t)1, sizeof(*lines));
	int error = line && lines ? 0 : -ENOMEM;

	for (size_t i = 0; !error && i < item->lines; i++) {
		const struct location_line *from = &w->profile->location_line[item->first + i];

		perftools__profiles__line__init(&line[i]);
		line[i].function_id = (uint64_t)from->function + 1;
		line[i].line = from->line;
		lines[i] = &line[i];
	}
	if (!error) {
		location.id = index + 1;
		if (!is_blank(&w->profile->mapping[item->mapping]))
			location.mapping_id = (uint64_t)item->mapping + 1;
		location.address = item->address;
		location.n_line = item->lines;
		location.line = lines;
		piece.n_location = 1;
		piece.location = locations;
		error = put(w, &piece);
	}
	free(line);
	free(lines);
	return error;
}

static size_t fill_labels(const struct writing *w, uint32_t task, Label *label, Label **labels)
{
	const struct task *item = &w->profile->task[task].task;
	const uint32_t value[LABELS] = {
		item->pid, item->tid, pool_id(item->process), pool_id(item->thread)};
	size_t n = 0;

	for (size_t i = 0; i < LABELS; i++) {
		if (!value[i])
			continue;
		perftools__profiles__label__init(&label[n]);
		label[n].key = (int64_t)(w->profile->strings.n + i);
		if (i < LABEL_PROCESS)
			label[n].num = value[i];
		else
			label[n].str = value[i];
		labels[n] = &label[n];
		n++;
	}
	return n;
}

/* Appends the labels of @set to the sample's @n labels of the task. Returns the total number. */
static size_t fill_others(
	const struct writing *w, uint32_t set, Label *label, Label **labels, size_t n)
{
	for (size_t i = 0; i < labels_count(w->profile, set); i++, n++) {
		struct label from = labels_at(w->profile, set, i);

		perftools__profiles__label__init(&label[n]);
		label[n].key = pool_id(from.key);
		label[n].str = from.text ? pool_id(from.text) : 0;
		label[n].num = from.number;
		label[n].num_unit = pool_id(from.unit);
		labels[n] = &label[n];
	}
	return n;
}

static int put_sample(struct writing *w, size_t index)
{
	const struct sample_item *item = &w->profile->sample[index];
	const int64_t *value = w->profile->value + index * w->profile->value_types;
	Profile piece = PERFTOOLS__PROFILES__PROFILE__INIT;
	Sample sample = PERFTOOLS__PROFILES__SAMPLE__INIT, *samples[1] = {&sample};
	size_t labels = LABELS + labels_count(w->profile, item->labels);
	int64_t chosen[VALUE_TYPES_MAX];

	if (array_grow(&w->id, &w->id_room, item->n) < 0 ||
		array_grow(&w->label, &w->label_room, labels) < 0 ||
		array_grow(&w->labels, &w->labels_room, labels) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < item->n; i++)
		w->id[i] = (uint64_t)w->profile->frame[item->first + i] + 1;
	for (size_t i = 0; i < w->columns; i++)
		chosen[i] = value[w->column[i]];
	sample.n_location_id = item->n;
	sample.location_id = w->id;
	sample.n_value = w->columns;
	sample.value = chosen;
	sample.n_label = fill_labels(w, item->task, w->label, w->labels);
	sample.n_label = fill_others(w, item->labels, w->label, w->labels, sample.n_label);
	sample.label = w->labels;
	piece.n_sample = 1;
	piece.sample = samples;
	return put(w, &piece);
}

static int put_thread_times(struct writing *w)
{
	int error = 0;

	for (size_t i = 0; i < w->profile->tasks && error >= 0; i++) {
		const struct task_item *item = &w->profile->task[i];
		Profile piece = PERFTOOLS__PROFILES__PROFILE__INIT;
		ThreadTime time = PERFTOOLS__PROFILES__THREAD_TIME__INIT, *times[1] = {&time};

		if (!item->has_cpu_ns)
			continue;
		time.pid = item->task.pid;
		time.tid = item->task.tid;
		time.process = pool_id(item->task.process);
		time.thread = pool_id(item->task.thread);
		time.cpu_ns = item->cpu_ns < INT64_MAX ? (int64_t)item->cpu_ns : INT64_MAX;
		piece.n_sprofil_thread = 1;
		piece.sprofil_thread = times;
		error = put(w, &piece);
	}
	return error;
}

/* With @ours, puts the comment into the field that only our reader shows. */
static int put_comment(struct writing *w, const char *text, bool ours)
{
	Profile piece = PERFTOOLS__PROFILES__PROFILE__INIT;
	int64_t index = put_string(w, text);

	if (index < 0)
		return (int)index;
	piece.n_comment = !ours;
	piece.comment = &index;
	piece.n_sprofil_comment = ours;
	piece.sprofil_comment = &index;
	return put(w, &piece);
}

static int put_ours(struct writing *w, const char *prefix, const char *text)
{
	char *comment;
	int error;

	if (asprintf(&comment, "%s%s", prefix, text) < 0)
		return -ENOMEM;
	error = put_comment(w, comment, true);
	free(comment);
	return error;
}

static int put_remarks(struct writing *w)
{
	int error = 0;

	for (size_t i = 0; i < profile_audits(w->profile) && error >= 0; i++) {
		const char *key;
		uint64_t value;
		char *text;

		profile_audit_at(w->profile, i, &key, &value);
		if (asprintf(&text, "%s %" PRIu64, key, value) < 0)
			return -ENOMEM;
		error = put_ours(w, PPROF_COMMENT_AUDIT, text);
		free(text);
	}
	for (size_t i = 0; i < profile_notes(w->profile) && error >= 0; i++) {
		const char *note = profile_note(w->profile, i);

		error = profile_note_is_foreign(w->profile, i)
			? put_comment(w, note, false)
			: put_ours(w, PPROF_COMMENT_NOTE, note);
	}
	return error;
}

static int put_comments(struct writing *w)
{
	char *comment[PPROF_COMMENTS_MOST];
	int n = pprof_comments(w->profile, comment), error = n < 0 ? n : 0;

	for (int i = 0; i < n; i++) {
		if (error >= 0)
			error = put_comment(w, comment[i], false);
		free(comment[i]);
	}
	return error;
}

static int put_all(struct writing *w)
{
	int error;

	choose_columns(w);
	error = put_value_types(w);
	for (size_t i = 0; i < w->profile->samples && error >= 0; i++)
		error = put_sample(w, i);
	if (error >= 0)
		error = put_mappings(w);
	for (size_t i = 0; i < w->profile->locations && error >= 0; i++)
		error = put_location(w, i);
	if (error >= 0)
		error = put_functions(w);
	if (error >= 0)
		error = put_strings(w);
	if (error >= 0)
		error = put_head(w);
	if (error >= 0)
		error = put_thread_times(w);
	if (error >= 0)
		error = put_remarks(w);
	if (error >= 0)
		error = put_comments(w);
	if (error >= 0)
		error = pprof_timeline_write(w->profile, w->gzip);
	return error;
}

int pprof_write(const struct profile *profile, uint8_t **ret_data, size_t *ret_bytes)
{
	struct writing w = {.profile = profile};
	int error = gzip_writer_new(&w.gzip);

	if (error >= 0)
		error = put_all(&w);
	if (error >= 0)
		error = gzip_writer_finish(w.gzip, ret_data, ret_bytes);
	gzip_writer_free(w.gzip);
	free(w.scratch);
	free(w.id);
	free(w.label);
	free(w.labels);
	return error < 0 ? error : 0;
}

/*
 * Estimated compressed bytes: of an empty profile (ANY_BYTES), and of each instant, stack, frame
 * and location.
 */
enum { ANY_BYTES = 1000, INSTANT_BYTES = 3, STACK_BYTES = 8, FRAME_BYTES = 1, LOCATION_BYTES = 24 };

uint64_t pprof_estimate(const struct profile *profile)
{
	return ANY_BYTES + INSTANT_BYTES * (uint64_t)profile->timeline.instants +
		STACK_BYTES * (uint64_t)profile->samples + FRAME_BYTES * (uint64_t)profile->frames +
		LOCATION_BYTES * (uint64_t)profile->locations;
}
