/* SPDX-License-Identifier: MIT */
/* The instructions of an annotated function, with the line and the samples of each. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "view/report/annotate.h"

/* Maximum inlined calls at an instruction (more are cut); maximum bytes of an x86 instruction. */
enum { INSTRUCTION_FRAMES = 128, INSTRUCTION_BYTES_MOST = 15 };

static bool same_line(const void *items, uint32_t index, const void *key)
{
	const struct annotate_line *a = (const struct annotate_line *)items + index, *b = key;

	return a->line == b->line && !strcmp(a->file, b->file);
}

int annotate_line_of(struct annotate *annotate, const char *file, uint32_t line)
{
	struct annotate_line key = {.file = file, .line = line};
	uint64_t hash = table_mix(table_hash_bytes(table_seed(), file, strlen(file)), line);

	return table_intern(&annotate->line_table, hash, same_line, &annotate->line,
		&annotate->line_room, &annotate->lines, &key);
}

/*
 * Has the annotated function samples at this location, in code with instructions? The functions of
 * interpreted languages have the address 0, and no instructions.
 */
static bool was_met(const void *context, size_t location)
{
	const struct annotate *annotate = context;

	return profile_location(annotate->profile, location).address != 0 &&
		annotate->at[location].self[annotate->frames.sums.weight] != 0;
}

static struct annotate_instruction *append(struct annotate *annotate)
{
	struct annotate_instruction *more;

	if (array_grow(&annotate->instruction, &annotate->instruction_room,
		    annotate->instructions + 1) < 0)
		return NULL;
	more = &annotate->instruction[annotate->instructions++];
	*more = (struct annotate_instruction){.line = ANNOTATE_NO_LINE};
	return more;
}

/*
 * Sets the instruction's line, and the function inlined there, from @frame (innermost first).
 * Returns 1; 0: no frame is of the annotated function, and the instruction is unchanged; -ENOMEM.
 */
static int put_to_line(struct annotate *annotate, struct annotate_instruction *insn,
	const struct code_frame *frame, unsigned frames)
{
	for (unsigned i = 0; i < frames; i++) {
		int line;

		if (!annotate_is(annotate, frame[i].function))
			continue;
		line = annotate_line_of(annotate, frame[i].file, frame[i].line);
		if (line < 0)
			return line;
		insn->line = (uint32_t)line;
		if (i) {
			insn->inlined = frame[0].function;
			insn->inlined_file = frame[0].file;
			insn->inlined_line = frame[0].line;
		}
		return 1;
	}
	return 0;
}

static int add_instruction(struct annotate *annotate, const struct code_object *code,
	const struct code_instruction *from)
{
	struct annotate_instruction insn = {
		.line = ANNOTATE_NO_LINE, .address = from->address, .text = from->text};
	const struct code_frame *frame = code->frame ? code->frame + from->first : NULL;
	int r = put_to_line(annotate, &insn, frame, from->frames);
	struct annotate_instruction *to;

	if (r <= 0)
		return r;
	to = append(annotate);
	if (!to)
		return -ENOMEM;
	*to = insn;
	return 0;
}

/*
 * Returns the instruction that contains @address; NULL: none that was read. @address may be inside
 * of an instruction, because the location of a call is the last byte of the call. The end of the
 * last instruction is unknown, so only its first byte is taken as its own.
 */
static struct annotate_instruction *find(
	struct annotate *annotate, size_t from, size_t to, uint64_t address)
{
	size_t low = array_bisect(i, from, to, annotate->instruction[i].address <= address);
	struct annotate_instruction *last = low > from ? &annotate->instruction[low - 1] : NULL;

	if (last && last->address != address &&
		(low == to || address - last->address >= INSTRUCTION_BYTES_MOST))
		last = NULL;
	return last;
}

/*
 * Adds the samples of the location at @index to the instruction that contains it, among
 * annotate->instruction[@from, @to). If that instruction was not read, adds a new one without a
 * text, with the source line that the profile has.
 */
static int count_location(struct annotate *annotate, size_t index, size_t from, size_t to)
{
	struct location location = profile_location(annotate->profile, index);
	struct annotate_instruction *insn = find(annotate, from, to, location.address);
	struct code_frame frame[INSTRUCTION_FRAMES];
	unsigned n = 0;

	if (!insn) {
		insn = append(annotate);
		if (!insn)
			return -ENOMEM;
		insn->address = location.address;
	}
	for (size_t i = 0; i < location.lines && n < INSTRUCTION_FRAMES; i++) {
		struct function function =
			profile_function(annotate->profile, location.line[i].function);

		frame[n++] = (struct code_frame){
			annotate->options->no_demangle ? function.symbol : function.name,
			function.file, location.line[i].line};
	}
	for (size_t i = 0; i < VALUE_TYPES_MAX; i++)
		insn->row.self[i] += annotate->at[index].self[i];
	return put_to_line(annotate, insn, frame, n);
}

static int take_answers(struct annotate *annotate, size_t mappings)
{
	/* By mapping: the range of its instructions in annotate->instruction. */
	struct range {
		size_t from, to;
	} *read = calloc(mappings + 1, sizeof(*read));
	int r = read ? 0 : -ENOMEM;

	for (size_t i = 0; i < annotate->codes && r == 0; i++) {
		const struct code_object *code = &annotate->code[i];

		read[code->mapping].from = annotate->instructions;
		for (size_t j = 0; j < code->instructions_n && r == 0; j++)
			r = add_instruction(annotate, code, &code->instruction[j]);
		read[code->mapping].to = annotate->instructions;
	}
	for (size_t i = 0; i < profile_locations(annotate->profile) && r >= 0; i++) {
		uint32_t mapping = profile_location(annotate->profile, i).mapping;

		if (was_met(annotate, i))
			r = count_location(annotate, i, read[mapping].from, read[mapping].to);
	}
	free(read);
	return r < 0 ? r : 0;
}

static int by_line(const void *a, const void *b)
{
	const struct annotate_instruction *x = a, *y = b;

	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return x->address < y->address ? -1 : x->address > y->address;
}

int annotate_instructions(struct annotate *annotate)
{
	const struct code_reader *reader = annotate->options->code;
	size_t mappings = profile_mappings(annotate->profile);
	int r;

	annotate->code = calloc(mappings + 1, sizeof(*annotate->code));
	r = annotate->code
		? code_addresses_init(&annotate->addresses, annotate->profile, was_met, annotate)
		: -ENOMEM;
	for (uint32_t i = 0; i < mappings && r == 0; i++) {
		struct code_object request = code_addresses_request(&annotate->addresses, i);

		request.instructions = true;
		if (request.addresses)
			annotate->code[annotate->codes++] = request;
	}
	if (r == 0 && reader && annotate->codes &&
		annotate->options->instructions != REPORT_INSTRUCTIONS_NONE)
		r = reader->inspect(
			reader->context, annotate->profile, annotate->code, annotate->codes);
	if (r == 0)
		r = take_answers(annotate, mappings);
	if (r == 0 && annotate->instructions)
		qsort(annotate->instruction, annotate->instructions, sizeof(*annotate->instruction),
			by_line);
	return r;
}
