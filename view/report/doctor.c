/* SPDX-License-Identifier: MIT */
#include "view/report/doctor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/table.h"
#include "view/frames.h"
#include "view/options.h"
#include "view/report/report.h"
#include "view/share.h"
#include "view/sheet.h"

/* Debug files are large: they are downloaded only for objects with at least this share. */
#define LEAST_SHARE 0.005

/* All mappings of one build of a file are one object, added if new. NULL: out of memory. */
static struct doctor_object *object_of(struct doctor *d, uint32_t mapping)
{
	struct mapping m = profile_mapping(d->profile, mapping);
	struct doctor_object *more;

	if (d->of[mapping])
		return &d->object[d->of[mapping] - 1];
	for (size_t i = 0; i < d->n; i++) {
		if (d->object[i].path == m.file && d->object[i].build_id == m.build_id) {
			d->of[mapping] = (uint32_t)i + 1;
			return &d->object[i];
		}
	}
	if (array_grow(&d->object, &d->room, d->n + 1) < 0)
		return NULL;
	more = &d->object[d->n];
	d->of[mapping] = (uint32_t)++d->n;
	*more = (struct doctor_object){.path = m.file,
		.build_id = m.build_id,
		.mapping = mapping,
		.symbols = "",
		.lines = "",
		.cause = "",
		.code = {.language = ""},
		.unfetched = "",
		.behind = "",
		.cut_cause = "",
		.cut_remedy = ""};
	return more;
}

/* False for "[libfoo.so+0x1234]", a function whose start is known, but not its name. */
static bool is_name(const char *name)
{
	size_t bytes = strlen(name);

	return bytes && !(name[0] == '[' && name[bytes - 1] == ']' && strstr(name, "+0x"));
}

/* Stubs are made by the linker ("dup@plt") or by HotSpot; methods of Java have a dot. */
static bool is_stub(const struct doctor_object *object, const char *name)
{
	static const char stub[] = "@plt";
	size_t bytes = strlen(name);

	if (!strcmp(object->path, "[java]"))
		return is_name(name) && !strchr(name, '.');
	return bytes >= sizeof(stub) && !strcmp(name + bytes - (sizeof(stub) - 1), stub);
}

static const char *outermost_name(const struct profile *profile, const struct sample *sample)
{
	struct location location = profile_location(profile, sample->location[sample->n - 1]);

	return location.lines
		? profile_function(profile, location.line[location.lines - 1].function).name
		: "";
}

/* Counts a stack that lacks outer frames. */
static int count_end(struct doctor *d, const struct sample *sample, int64_t count)
{
	const char *name = outermost_name(d->profile, sample);
	bool truncated = !strcmp(name, "[truncated]");
	struct doctor_object *object;

	if (sample->n < 2 || (!truncated && strcmp(name, "[incomplete]") != 0))
		return 0;
	object =
		object_of(d, profile_location(d->profile, sample->location[sample->n - 2]).mapping);
	if (!object)
		return -ENOMEM;
	*(truncated ? &object->truncated : &object->incomplete) += count;
	return 0;
}

static int count_sample(struct doctor *d, const struct sample *sample)
{
	int64_t count = sample->value[VALUE_SAMPLES];
	struct location location = profile_location(d->profile, sample->location[0]);
	struct doctor_object *object = object_of(d, location.mapping);
	bool named = false, lined = false, stub = false;

	if (!object)
		return -ENOMEM;
	for (size_t i = 0; i < location.lines; i++) {
		const char *name = profile_function(d->profile, location.line[i].function).name;

		named |= is_name(name);
		lined |= location.line[i].line != 0;
		stub |= is_stub(object, name);
	}
	object->task = sample->task;
	object->samples += count;
	object->weight += sample->value[d->sums.weight];
	object->unnamed += named ? 0 : count;
	object->unlined += lined || stub ? 0 : count;
	object->stubs += stub ? count : 0;
	return count_end(d, sample, count);
}

static int collect(struct doctor *d, char **ret_problem)
{
	struct frames frames;
	int r = frames_init(&frames, d->profile, &d->options, ret_problem);

	if (r < 0)
		return r;
	d->sums = frames.sums;
	for (size_t i = 0; i < profile_samples(d->profile) && r == 0; i++) {
		struct sample sample = profile_sample(d->profile, i);

		if (sample.n && !profile_is_unsampled(d->profile, &sample) &&
			filter_takes(&frames.filter, d->profile, &frames.places, &sample))
			r = count_sample(d, &sample);
	}
	frames_release(&frames);
	return r;
}

static int by_weight(const void *a, const void *b)
{
	const struct doctor_object *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return strcmp(x->path, y->path);
}

/*
 * Returns where the names of code made at run time come from. A jitdump has source lines, a perf
 * map has none.
 */
static const char *symbols_of_jit(const struct doctor_object *object)
{
	if (object->unnamed == object->samples)
		return "none";
	return object->unlined == object->samples ? "perf map" : "jitdump";
}

static int inspect_files(struct doctor *d)
{
	const struct code_reader *reader = d->options.code;
	struct code_object *code = calloc(d->n + 1, sizeof(*code));
	size_t n = 0;
	int r = code ? code_addresses_init(&d->addresses, d->profile, NULL, NULL) : -ENOMEM;

	for (size_t i = 0; i < d->n && r == 0; i++) {
		d->object[i].lined = d->addresses.lined[d->object[i].mapping];
		d->object[i].code = code_addresses_request(&d->addresses, d->object[i].mapping);
		if (doctor_is_file(&d->object[i]))
			code[n++] = d->object[i].code;
	}
	if (r == 0 && reader && n)
		r = reader->inspect(reader->context, d->profile, code, n);
	n = 0;
	for (size_t i = 0; i < d->n && code; i++) {
		struct doctor_object *object = &d->object[i];

		if (!strcmp(object->path, "[jit]"))
			object->symbols = symbols_of_jit(object);
		if (!doctor_is_file(object))
			continue;
		object->code = code[n++];
		object->symbols = object->code.symbols;
		object->lines = object->code.lines;
	}
	free(code);
	return r;
}

static int fetch(struct doctor *d)
{
	const struct code_reader *reader = d->options.code;
	int r = 0;

	for (size_t i = 0; i < d->n && r >= 0; i++) {
		struct doctor_object *object = &d->object[i];

		if (doctor_is_file(object) && object->build_id[0] &&
			share_of(&d->sums, object->weight) >= LEAST_SHARE &&
			(object->unnamed || object->unlined))
			r = reader->fetch(reader->context, object->path, object->build_id,
				&object->unfetched);
		/* Nothing can be downloaded for any object. */
		if (r == -EDESTADDRREQ || r == -ENOTSUP)
			break;
		r = r == -ENOMEM ? r : 0;
	}
	return r == -ENOMEM ? r : 0;
}

int doctor_init(struct doctor *doctor, const struct profile *profile,
	const struct report_options *options, char **ret_problem)
{
	int r;

	*doctor = (struct doctor){.profile = profile, .options = options_take(options)};
	doctor->of = calloc(profile_mappings(profile) + 1, sizeof(*doctor->of));
	r = doctor->of ? collect(doctor, ret_problem) : -ENOMEM;
	if (r == 0 && doctor->n)
		qsort(doctor->object, doctor->n, sizeof(*doctor->object), by_weight);
	if (r == 0 && doctor->options.fetch && doctor->options.code)
		r = fetch(doctor);
	if (r == 0)
		r = inspect_files(doctor);
	for (size_t i = 0; i < doctor->n && r == 0; i++)
		r = doctor_find_remedy(doctor, &doctor->object[i]);
	if (r < 0)
		doctor_release(doctor);
	return r;
}

void doctor_release(struct doctor *doctor)
{
	for (size_t i = 0; i < doctor->n; i++) {
		code_forget(&doctor->object[i].code);
		free(doctor->object[i].remedy);
		free(doctor->object[i].command[0]);
		free(doctor->object[i].command[1]);
	}
	code_addresses_release(&doctor->addresses);
	free(doctor->object);
	free(doctor->of);
	*doctor = (struct doctor){0};
}

/* Returns "first; second", which the caller frees; NULL: out of memory. */
static char *join(const char *first, const char *second)
{
	char *text;

	if (asprintf(&text, "%s%s%s", first, first[0] && second[0] ? "; " : "", second) < 0)
		return NULL;
	return text;
}

static int put_object(struct sheet *sheet, const struct doctor_object *object)
{
	char *cause = join(object->cause, object->cut_cause);
	char *remedy = join(object->remedy ? object->remedy : "", object->cut_remedy);
	int r = cause && remedy ? 0 : -ENOMEM;

	sheet_cell(sheet, "samples", cell_number(object->samples));
	sheet_cell(sheet, "unnamed_samples", cell_number(object->unnamed));
	sheet_cell(sheet, "unlined_samples", cell_number(object->unlined));
	sheet_cell(sheet, "incomplete_stacks", cell_number(object->incomplete));
	sheet_cell(sheet, "truncated_stacks", cell_number(object->truncated));
	sheet_cell(sheet, "symbols", cell_text(object->symbols));
	sheet_cell(sheet, "lines", cell_text(object->lines));
	sheet_cell(sheet, "object", cell_text(object->path));
	sheet_cell(sheet, "build_id", cell_text(object->build_id));
	sheet_cell(sheet, "cause", cell_text(cause));
	sheet_cell(sheet, "mend", cell_text(remedy));
	if (r == 0)
		sheet_row(sheet);
	free(cause);
	free(remedy);
	return r;
}

static int put_sheet(const struct doctor *doctor, FILE *out)
{
	static const struct doctor_object names = {.cause = "", .cut_cause = "", .cut_remedy = ""};
	struct sheet sheet;
	size_t shown = 0;
	int r, error;

	sheet_begin(&sheet, doctor->options.format, out);
	r = put_object(&sheet, &names);
	for (size_t i = 0; i < doctor->n && r == 0; i++) {
		if (!doctor_shows(doctor, &doctor->object[i]) ||
			(doctor->options.limit && shown >= doctor->options.limit))
			continue;
		r = put_object(&sheet, &doctor->object[i]);
		shown++;
	}
	error = sheet_end(&sheet);
	return r < 0 ? r : error;
}

int doctor_print(const struct profile *profile, const struct report_options *options, FILE *out,
	char **ret_problem)
{
	struct doctor doctor;
	int r = doctor_init(&doctor, profile, options, ret_problem);

	if (r < 0)
		return r;
	if (doctor.options.format == REPORT_TEXT)
		r = doctor_text(&doctor, out);
	else
		r = put_sheet(&doctor, out);
	doctor_release(&doctor);
	return r;
}
