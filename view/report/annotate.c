/* SPDX-License-Identifier: MIT */
#include "view/report/annotate.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/sum.h"
#include "view/options.h"
#include "view/report/callers.h"
#include "view/report/report.h"
#include "view/sheet.h"
#include "view/source.h"

static bool same_inlined(const void *items, uint32_t index, const void *key)
{
	const struct annotate_inlined *a = (const struct annotate_inlined *)items + index;
	const struct annotate_inlined *b = key;

	return a->line == b->line && !strcmp(a->function, b->function);
}

static int count_inlined(
	struct annotate *annotate, uint32_t line, const char *function, const int64_t *value)
{
	struct annotate_inlined key = {.line = line, .function = function};
	uint64_t hash = table_mix(table_hash_bytes(table_seed(), function, strlen(function)), line);
	int index = table_intern(&annotate->inlined_table, hash, same_inlined, &annotate->inlined,
		&annotate->inlined_room, &annotate->inlineds, &key);

	if (index < 0)
		return index;
	sum_add_all(
		annotate->inlined[index].row.self, value, profile_value_types(annotate->profile));
	return 0;
}

/*
 * @at: index of the innermost frame of the annotated function. The function has a sample at the
 * leaf's address if this frame is the leaf, or if the leaf is inlined into it. Such a sample counts
 * at the leaf's address. If something is inlined into the frame, the sample also counts for the
 * function directly inlined there, in line @line.
 */
static int count_leaf(struct annotate *annotate, size_t at, uint32_t line, const int64_t *value)
{
	const struct frames *frames = &annotate->frames;
	size_t values = profile_value_types(annotate->profile), leaf = 0;

	/* A sample in the kernel counts for the instruction of the system call. */
	if (frames->n > 1 &&
		!strcmp(frames->places.place[frames->frame[0].place].object, "[kernel]"))
		leaf = 1;
	if (at < leaf || at - leaf > frames->frame[leaf].inlined)
		return 0;
	sum_add_all(annotate->at[frames->frame[leaf].location].self, value, values);
	if (at == leaf)
		return 0;
	return count_inlined(
		annotate, line, frames->places.place[frames->frame[at - 1].place].function, value);
}

static int count_sample(struct annotate *annotate, size_t index)
{
	const struct frames *frames = &annotate->frames;
	struct sample sample = profile_sample(annotate->profile, index);
	size_t values = profile_value_types(annotate->profile);
	bool first = true;

	for (size_t i = 0; i < frames->n; i++) {
		const struct frame *frame = &frames->frame[i];
		struct annotate_line *line;
		int at, r;

		if (!annotate->wanted[frame->place])
			continue;
		at = annotate_line_of(annotate, frames_file(frames, frame), frame->line);
		if (at < 0)
			return at;
		line = &annotate->line[at];
		if (line->seen != index + 1)
			sum_add_all(line->row.total, sample.value, values);
		line->seen = index + 1;
		if (i == 0) {
			sum_add_all(line->row.self, sample.value, values);
			sum_add_all(annotate->row.self, sample.value, values);
		}
		if (!first)
			continue;
		first = false;
		sum_add_all(annotate->row.total, sample.value, values);
		r = count_leaf(annotate, i, (uint32_t)at, sample.value);
		if (r < 0)
			return r;
	}
	return 0;
}

static void find_declaration(struct annotate *annotate)
{
	const struct profile *profile = annotate->profile;

	for (size_t i = 0; i < annotate->frames.places.n && !annotate->object; i++) {
		if (annotate->wanted[i])
			annotate->object = annotate->frames.places.place[i].object;
	}
	if (!annotate->object)
		annotate->object = "";
	for (size_t i = 0; i < profile_functions(profile); i++) {
		struct function function = profile_function(profile, i);
		const char *name = annotate->options->no_demangle ? function.symbol : function.name;

		if (function.line && annotate_is(annotate, name) &&
			!strcmp(function.file, annotate->file) &&
			(!annotate->declared || function.line < annotate->declared))
			annotate->declared = function.line;
	}
}

static void find_file(struct annotate *annotate)
{
	size_t weight = annotate->frames.sums.weight;
	int64_t most = -1;

	annotate->file = "";
	for (size_t i = 0; i < annotate->lines; i++) {
		int64_t sum = 0;

		for (size_t j = 0; j < annotate->lines; j++) {
			if (!strcmp(annotate->line[i].file, annotate->line[j].file) &&
				annotate->line[j].line)
				sum += annotate->line[j].row.total[weight];
		}
		if (annotate->line[i].file[0] && sum > most) {
			most = sum;
			annotate->file = annotate->line[i].file;
		}
		/* @sum includes all lines of the file, so the file's other lines are skipped. */
		while (i + 1 < annotate->lines &&
			!strcmp(annotate->line[i + 1].file, annotate->line[i].file))
			i++;
	}
}

/*
 * Returns 0; -ENOMEM; -ENOENT: no function, or several, has the given name; -EINVAL: a pattern of
 * the options is no regular expression, or the profile lacks the value type. With -ENOENT and
 * -EINVAL, *@ret_problem is a sentence, which the caller frees.
 */
static int collect_lines(struct annotate *annotate, const struct profile *profile,
	const struct report_options *options, char **ret_problem)
{
	int64_t weight;
	int r;

	*annotate = (struct annotate){.profile = profile, .options = options};
	r = callers_find(profile, options, &annotate->name, ret_problem);
	if (r < 0)
		return r;
	r = frames_init(&annotate->frames, profile, options, ret_problem);
	if (r < 0) {
		free(annotate->name);
		return r;
	}
	annotate->wanted = calloc(annotate->frames.places.n + 1, sizeof(*annotate->wanted));
	annotate->at = calloc(profile_locations(profile) + 1, sizeof(*annotate->at));
	r = annotate->wanted && annotate->at ? 0 : -ENOMEM;
	for (size_t i = 0; i < annotate->frames.places.n && r == 0; i++)
		annotate->wanted[i] =
			annotate_is(annotate, annotate->frames.places.place[i].function);
	for (size_t i = 0; i < profile_samples(profile) && r == 0; i++) {
		r = frames_take(&annotate->frames, i, &weight);
		if (r == 0 && weight)
			r = count_sample(annotate, i);
	}
	if (r == 0) {
		find_file(annotate);
		find_declaration(annotate);
		r = annotate_instructions(annotate);
	}
	if (r < 0)
		annotate_release(annotate);
	return r;
}

void annotate_release(struct annotate *annotate)
{
	for (size_t i = 0; i < annotate->codes; i++)
		code_forget(&annotate->code[i]);
	code_addresses_release(&annotate->addresses);
	frames_release(&annotate->frames);
	table_release(&annotate->line_table);
	table_release(&annotate->inlined_table);
	free(annotate->name);
	free(annotate->wanted);
	free(annotate->line);
	free(annotate->inlined);
	free(annotate->instruction);
	free(annotate->at);
	free(annotate->code);
	*annotate = (struct annotate){0};
}

static void put_row(struct sheet *sheet, const struct annotate *annotate, const struct row *row,
	const char *kind, const struct annotate_line *line, const char *address, const char *text)
{
	sheet_values(sheet, annotate->profile, row);
	sheet_cell(sheet, "kind", cell_text(kind));
	sheet_cell(sheet, "file", cell_text(line ? line->file : ""));
	sheet_cell(sheet, "line", cell_number(line ? line->line : 0));
	sheet_cell(sheet, "address", cell_text(address));
	sheet_cell(sheet, "text", cell_text(text));
	sheet_others(sheet, annotate->profile, annotate->frames.sums.weight, row);
	sheet_row(sheet);
}

static void put_instructions(struct sheet *sheet, const struct annotate *annotate, uint32_t line)
{
	for (size_t i = 0; i < annotate->instructions; i++) {
		const struct annotate_instruction *insn = &annotate->instruction[i];
		char address[24];

		if (insn->line != line || !annotate_shows_instruction(annotate, insn))
			continue;
		(void)snprintf(address, sizeof(address), "0x%" PRIx64, insn->address);
		put_row(sheet, annotate, &insn->row, "instruction",
			line == ANNOTATE_NO_LINE ? NULL : &annotate->line[line], address,
			insn->text ? insn->text : "");
	}
}

/* Prints the report as TSV, CSV or JSON: each line, then its inlined functions and instructions. */
static int print_sheet(struct annotate *annotate, FILE *out)
{
	static const struct row names;
	struct sheet sheet;
	struct source source;
	int r = source_read(&source, annotate->profile, annotate->options->code, annotate->file,
		false, SOURCE_TAB);

	if (r < 0)
		return r;
	sheet_begin(&sheet, annotate->options->format, out);
	put_row(&sheet, annotate, &names, "", NULL, "", "");
	for (size_t i = 0; i < annotate->lines; i++) {
		const struct annotate_line *line = &annotate->line[i];
		const char *text = strcmp(line->file, annotate->file) != 0
			? NULL
			: source_line(&source, line->line);

		if (annotate_shows_line(annotate, i))
			put_row(&sheet, annotate, &line->row, "line", line, "", text ? text : "");
		for (size_t j = 0; j < annotate->inlineds; j++) {
			if (annotate->inlined[j].line == i &&
				annotate_is_hot(annotate, &annotate->inlined[j].row))
				put_row(&sheet, annotate, &annotate->inlined[j].row, "inlined",
					line, "", annotate->inlined[j].function);
		}
		put_instructions(&sheet, annotate, (uint32_t)i);
	}
	put_instructions(&sheet, annotate, ANNOTATE_NO_LINE);
	source_release(&source);
	return sheet_end(&sheet);
}

int annotate_print(const struct profile *profile, const struct report_options *given, FILE *out,
	char **ret_problem)
{
	struct report_options options = options_take(given);
	struct annotate annotate;
	int r = collect_lines(&annotate, profile, &options, ret_problem);

	if (r < 0)
		return r;
	if (options.format == REPORT_TEXT)
		r = annotate_text(&annotate, out);
	else
		r = print_sheet(&annotate, out);
	annotate_release(&annotate);
	return r;
}
