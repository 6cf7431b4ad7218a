/* SPDX-License-Identifier: MIT */
/*
 * The top level is read once for each kind of item, because writers may use any order: first the
 * items that other items refer to. Only one item is unpacked at a time, so that memory is bounded
 * by the sizes of the file and of the profile.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "profile/gzip.h"
#include "profile/model.h"
#include "profile/pprof.h"
#include "profile/pprof_head.h"
#include "profile/pprof_reading.h"
#include "profile/pprof_sample.h"
#include "profile/pprof_timeline.h"
#include "profile/profile.pb-c.h"

/* Field numbers of the top level. */
enum {
	SAMPLE_TYPE = 1,
	SAMPLE = 2,
	MAPPING = 3,
	LOCATION = 4,
	FUNCTION = 5,
	STRING_TABLE = 6,
	DROP_FRAMES = 7,
	KEEP_FRAMES = 8,
	TIME_NANOS = 9,
	DURATION_NANOS = 10,
	PERIOD_TYPE = 11,
	PERIOD = 12,
	COMMENT = 13,
	DEFAULT_SAMPLE_TYPE = 14,
	DOC_URL = 15,
	SPROFIL_COMMENT = 1001,
	SPROFIL_THREAD = 1002,
};

static int each(struct reading *r, uint32_t number, reading_take *take)
{
	struct byte_span span = r->file;
	struct field field;
	int result;

	while ((result = pprof_scan_field(&span, &field)) > 0) {
		if (field.number != number)
			continue;
		result = take(r, &field);
		if (result < 0)
			return result;
	}
	return result < 0 ? pprof_reading_bad(r, "it is not a pprof profile, or it is damaged") : 0;
}

static int count_string(struct reading *r, const struct field *field)
{
	if (!field->delimited)
		return pprof_reading_bad(r, "its string table is damaged");
	r->strings++;
	return 0;
}

static int read_strings(struct reading *r)
{
	struct byte_span span = r->file;
	struct field field;
	size_t n = 0;
	int error = each(r, STRING_TABLE, count_string);

	if (error < 0)
		return error;
	r->string = calloc(r->strings + 1, sizeof(*r->string));
	if (!r->string)
		return -ENOMEM;
	for (const uint8_t *at = span.p; pprof_scan_field(&span, &field) > 0; at = span.p) {
		if (field.number == STRING_TABLE)
			r->string[n++] = (uint32_t)(at - r->file.p);
	}
	return 0;
}

static int add_id(struct reading *r, struct ids *ids, uint64_t id, int index)
{
	int error = index < 0 ? index : ids_add(ids, id, (uint32_t)index);

	return error == -EEXIST ? pprof_reading_bad(r, "two of its parts have the same id") : error;
}

static int read_mapping(struct reading *r, const struct field *field)
{
	Perftools__Profiles__Mapping *message;
	struct mapping mapping;
	int error = pprof_reading_unpack(
		r, field, &perftools__profiles__mapping__descriptor, (ProtobufCMessage **)&message);

	if (error < 0)
		return error;
	mapping = (struct mapping){
		.file = pprof_reading_text(r, message->filename),
		.build_id = pprof_reading_text(r, message->build_id),
		.start = message->memory_start,
		.limit = message->memory_limit,
		.offset = message->file_offset,
		.has_functions = message->has_functions,
		.has_lines = message->has_line_numbers,
		.has_inlines = message->has_inline_frames,
	};
	if (!mapping.file || !mapping.build_id)
		return -EBADMSG;
	return add_id(r, &r->mappings, message->id, profile_add_mapping(r->profile, &mapping));
}

/* Returns 0 (unknown) for a line beyond the model's range. */
static uint32_t line_of(int64_t line)
{
	return line > 0 && line <= UINT32_MAX ? (uint32_t)line : 0;
}

static int read_function(struct reading *r, const struct field *field)
{
	Perftools__Profiles__Function *message;
	struct function function;
	int error = pprof_reading_unpack(r, field, &perftools__profiles__function__descriptor,
		(ProtobufCMessage **)&message);

	if (error < 0)
		return error;
	function = (struct function){
		.name = pprof_reading_text(r, message->name),
		.symbol = pprof_reading_text(r, message->system_name),
		.file = pprof_reading_text(r, message->filename),
		.line = line_of(message->start_line),
	};
	if (!function.name || !function.symbol || !function.file)
		return -EBADMSG;
	if (!function.name[0])
		function.name = function.symbol;
	if (!function.symbol[0])
		function.symbol = function.name;
	return add_id(r, &r->functions, message->id, profile_add_function(r->profile, &function));
}

static int mapping_of(struct reading *r, uint64_t id)
{
	static const struct mapping none = {.file = "", .build_id = ""};
	int index = id ? ids_find(&r->mappings, id) : -ENOENT;

	if (index >= 0)
		return index;
	if (id)
		return pprof_reading_bad(
			r, "a location of it is in a mapping that it does not have");
	if (r->no_mapping < 0)
		r->no_mapping = profile_add_mapping(r->profile, &none);
	return r->no_mapping;
}

static int read_location(struct reading *r, const struct field *field)
{
	Perftools__Profiles__Location *message;
	size_t lines = 0;
	int mapping,
		error = pprof_reading_unpack(r, field, &perftools__profiles__location__descriptor,
			(ProtobufCMessage **)&message);

	if (error < 0)
		return error;
	mapping = mapping_of(r, message->mapping_id);
	if (mapping < 0)
		return mapping;
	if (array_grow(&r->line, &r->line_room, message->n_line + 1) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < message->n_line; i++) {
		int function = ids_find(&r->functions, message->line[i]->function_id);

		if (function >= 0)
			r->line[lines++] = (struct location_line){
				(uint32_t)function, line_of(message->line[i]->line)};
		else if (message->line[i]->function_id)
			return pprof_reading_bad(
				r, "a location of it is in a function that it does not have");
	}
	return add_id(r, &r->locations, message->id,
		profile_add_named_location(
			r->profile, (uint32_t)mapping, message->address, r->line, lines));
}

static int read_thread_time(struct reading *r, const struct field *field)
{
	Perftools__Profiles__ThreadTime *message;
	struct task task;
	int index,
		error = pprof_reading_unpack(r, field,
			&perftools__profiles__thread_time__descriptor,
			(ProtobufCMessage **)&message);

	if (error < 0)
		return error;
	if (message->pid < 0 || message->pid > UINT32_MAX || message->tid < 0 ||
		message->tid > UINT32_MAX || message->cpu_ns < 0)
		return pprof_reading_bad(r, "the CPU time of a thread of it is damaged");
	task = (struct task){.pid = (uint32_t)message->pid,
		.tid = (uint32_t)message->tid,
		.process = pprof_reading_text(r, message->process),
		.thread = pprof_reading_text(r, message->thread)};
	if (!task.process || !task.thread)
		return -EBADMSG;
	index = profile_add_task(r->profile, &task);
	return index < 0
		? index
		: profile_add_task_cpu(r->profile, (uint32_t)index, (uint64_t)message->cpu_ns);
}

static int read_all(struct reading *r)
{
	static const struct {
		uint32_t number;
		reading_take *take;
	} steps[] = {
		{SAMPLE_TYPE, pprof_head_value_type},
		{PERIOD, pprof_head_period},
		{PERIOD_TYPE, pprof_head_period_type},
		{TIME_NANOS, pprof_head_time_nanos},
		{DURATION_NANOS, pprof_head_duration_nanos},
		{DEFAULT_SAMPLE_TYPE, pprof_head_default_type},
		{DROP_FRAMES, pprof_head_drop_frames},
		{KEEP_FRAMES, pprof_head_keep_frames},
		{DOC_URL, pprof_head_doc_url},
		{SPROFIL_COMMENT, pprof_head_remark},
		{COMMENT, pprof_head_comment},
		{MAPPING, read_mapping},
		{FUNCTION, read_function},
		{LOCATION, read_location},
		{SAMPLE, pprof_sample_read},
		{SPROFIL_THREAD, read_thread_time},
		{PPROF_TIMELINE_FIELD, pprof_timeline_read},
	};
	int error = read_strings(r);

	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps) && error >= 0; i++) {
		error = each(r, steps[i].number, steps[i].take);
		if (error >= 0 && steps[i].number == SAMPLE_TYPE && !r->columns)
			return pprof_reading_bad(r,
				"it does not say what its values are: it is not a pprof profile");
	}
	/* pprof_reading_text() sets no problem if memory ran out. */
	return error == -EBADMSG && !r->problem ? -ENOMEM : error;
}

static int read_plain(
	const uint8_t *data, size_t bytes, struct profile **ret_profile, const char **problem)
{
	struct reading r = {.file = {data, data + bytes}, .no_mapping = -1, .last_task = -1};
	int error = profile_new(&r.profile);

	scan_arena_init(&r.arena);
	if (error >= 0)
		error = read_all(&r);
	if (error >= 0)
		*ret_profile = r.profile;
	else
		profile_free(r.profile);
	*problem = r.problem;
	scan_arena_release(&r.arena);
	ids_release(&r.longs);
	ids_release(&r.mappings);
	ids_release(&r.functions);
	ids_release(&r.locations);
	free(r.string);
	free(r.column);
	free(r.line);
	free(r.stack);
	free(r.sample);
	free(r.label);
	return error < 0 ? error : 0;
}

/* Recognizes another format by its first bytes. NULL: none that is known here. */
static const char *other_format(const uint8_t *data, size_t bytes)
{
	static const struct {
		const char *magic;
		size_t bytes;
		const char *problem;
	} formats[] = {
		{"PERFILE2", 8, "it is a perf.data file; perf_to_profile makes a pprof file of it"},
		{"\177ELF", 4, "it is a program or library, not a profile"},
		{"gmon", 4, "it is a gmon.out file: gprof reads it"},
		{"SPROFCAP", 8, "it is a capture of sprofrun, not a profile yet"},
		{"\0\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0", 16,
			"it is in the old format of gperftools; `pprof -proto` converts it"},
		{"\3757zXZ", 5, "xz has packed it: `xz -dc FILE | sprofreport -` reads it"},
		{"\50\265\57\375", 4,
			"zstd has packed it: `zstd -dc FILE | sprofreport -` reads it"},
		{"BZh", 3, "bzip2 has packed it: `bzip2 -dc FILE | sprofreport -` reads it"},
		{"--- ", 4,
			"it is in the old text format of gperftools; `pprof -proto` converts it"},
	};

	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
		if (bytes >= formats[i].bytes && !memcmp(data, formats[i].magic, formats[i].bytes))
			return formats[i].problem;
	}
	return NULL;
}

static int unzip(const uint8_t *data, size_t bytes, uint8_t **ret_data, size_t *ret_bytes,
	const char **problem, const char **more_problem)
{
	bool more = false;
	int error = gzip_unpack(data, bytes, ret_data, ret_bytes, &more);

	if (error == 0 && more)
		*more_problem = "something follows the end of its compressed data, and is left out";
	if (error == -EFBIG)
		*problem = "it would unpack to far more than a profile holds";
	else if (error == -ENODATA)
		*problem = "it is cut short";
	else if (error == -EBADMSG)
		*problem = "its compressed data are damaged";
	return error == -ENODATA ? -EBADMSG : error;
}

int pprof_read(
	const uint8_t *data, size_t bytes, struct profile **ret_profile, const char **ret_problem)
{
	const char *problem = NULL, *more = NULL;
	uint8_t *unpacked = NULL;
	int error = 0;

	if (gzip_is(data, bytes)) {
		error = unzip(data, bytes, &unpacked, &bytes, &problem, &more);
		data = unpacked;
	}
	if (error >= 0 && !bytes)
		problem = "it is empty";
	else if (error >= 0)
		problem = other_format(data, bytes);
	if (error >= 0)
		error = problem ? -EBADMSG : read_plain(data, bytes, ret_profile, &problem);
	free(unpacked);
	if (ret_problem && (error >= 0 || problem))
		*ret_problem = error >= 0 ? more : problem;
	return error;
}
