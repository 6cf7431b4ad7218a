/* SPDX-License-Identifier: MIT */
/* The views of a function's source and instructions, with each line's share. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "view/live/live_internal.h"
#include "view/source.h"

static int split(struct live_page *page)
{
	return source_split(&page->text, SOURCE_TAB, &page->line, &page->lines);
}

int live_code_rows(struct live *live, struct live_page *page)
{
	if (!page->line && split(page) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < page->lines; i++) {
		if (live_add_row(live,
			    &(struct live_row){.id = i,
				    .line = (uint32_t)i + 1,
				    .text = page->line[i],
				    .place = page->place}) < 0)
			return -ENOMEM;
	}
	return 0;
}

static const char *file_of(const struct live *live, const struct live_page *page)
{
	return live->functions.place[page->place].file;
}

/* Moves the cursor to @row, leaving some rows above it visible. */
static void point_at(struct live_page *page, size_t row)
{
	page->cursor = row;
	page->cursor_id = row;
	page->moved = true;
	page->top = row > 8 ? row - 8 : 0;
}

static size_t hottest_row(const struct live *live)
{
	size_t hottest = 0;

	for (size_t i = 0; i < live->table.n; i++) {
		if (live->table.row[i].self > live->table.row[hottest].self)
			hottest = i;
	}
	return hottest;
}

/* Returns the hottest row of the view's function; other lines of the file may be hotter. */
static size_t hottest_line(const struct live *live, const struct live_page *page)
{
	const struct places *lines = &live->lines;
	uint32_t begins = live->functions.place[page->place].line;
	size_t hottest = begins && begins <= live->table.n ? begins - 1 : 0;
	double most = 0;

	for (size_t i = 0; i < lines->n; i++) {
		uint32_t line = lines->place[i].line;
		const struct live_row *row;

		if (lines->place[i].function_place != page->place || !line || line > live->table.n)
			continue;
		row = &live->table.row[line - 1];
		if (row->self * 1e6 + row->total > most) {
			most = row->self * 1e6 + row->total;
			hottest = line - 1;
		}
	}
	return hottest;
}

struct lines_of {
	const char *file;
	size_t lines;
};

static uint32_t line_in_file(
	const struct live *live, uint32_t location, size_t frame, const void *context)
{
	const struct place *line = &live->lines.place[live->lines.of[frame]];
	const struct lines_of *of = context;

	(void)location;
	return line->file == of->file && line->line && line->line <= of->lines ? line->line - 1
									       : LIVE_NONE;
}

/* Sums up the lines of @file, in whatever functions they are. */
static void weigh_lines(struct live *live, const struct live_page *page, const char *file)
{
	live_sum_up(live, page, line_in_file, &(struct lines_of){file, page->lines});
	for (size_t i = 0; i < live->table.n; i++) {
		live->table.row[i].self = live->self[i];
		live->table.row[i].total = live->total[i];
	}
}

static int read_source(struct live *live, struct live_page *page, const char *file)
{
	const struct live_sources *sources = &live->options.sources;
	uint64_t changed_ns = 0;
	int r = sources->source ? sources->source(sources->context, file, &page->text, &changed_ns)
				: -ENOENT;

	if (r == -ENOMEM)
		return r;
	if (r < 0)
		return text_refuse(&page->problem, 0, "the source file %s is not here", file);
	/* Base name only: on a narrow screen a path would hide the rest of the note. */
	return source_note_newer(live->profile, text_basename(file), changed_ns, &page->note);
}

int live_collect_source(struct live *live, struct live_page *page)
{
	const char *file;
	int r;

	if (page->place >= live->functions.n)
		return 0;
	file = file_of(live, page);
	if (!page->text && !page->problem) {
		if (!file[0])
			return text_refuse(&page->problem, 0,
				"no line is known of %s: it was built without -g, or its debug "
				"file is "
				"not here",
				live->functions.place[page->place].function);
		r = read_source(live, page, file);
		if (r < 0)
			return r;
	}
	if (page->problem)
		return 0;
	if (live_code_rows(live, page) < 0 || live_clear_sums(live, page->lines) < 0)
		return -ENOMEM;
	weigh_lines(live, page, file);
	if (!page->opened && live->table.n)
		point_at(page, hottest_line(live, page));
	page->opened = true;
	return 0;
}

/* Parses the address that begins a line such as "  401136:\tmov ..."; 0: none. */
static uint64_t address_of(const char *line)
{
	char *end;
	uint64_t address = strtoull(line, &end, 16);

	return end != line && *end == ':' ? address : 0;
}

static size_t line_at(const struct live_page *page, uint64_t address)
{
	size_t low = array_bisect(i, 0, page->lines, address_of(page->line[i]) < address);

	return low < page->lines && address_of(page->line[low]) == address ? low : SIZE_MAX;
}

static void weigh_addresses(struct live *live, const struct live_page *page)
{
	const char *object = live->functions.place[page->place].object;
	double weight, whole = 0;
	struct sample sample;
	size_t at = 0;

	while (live_next_stack(live, page, &at, &sample, &weight)) {
		struct location location;
		size_t row;

		whole += weight;
		if (!sample.n)
			continue;
		/*
		 * A sample in a system call has a frame in "[kernel]" (is_call) as its leaf. The
		 * sample counts for the next frame's instruction, which made the system call.
		 */
		location = profile_location(live->profile,
			sample.location[sample.n > 1 &&
				live->functions.location[sample.location[0]].is_call]);
		if (profile_mapping(live->profile, location.mapping).file != object)
			continue;
		row = line_at(page, location.address);
		if (row < live->table.n)
			live->table.row[row].self += weight;
	}
	live_set_whole(live, whole);
}

static int fetch_disassembly(struct live *live, struct live_page *page)
{
	const struct live_sources *sources = &live->options.sources;
	const struct place *place = &live->functions.place[page->place];
	int r = sources->disassembly ? sources->disassembly(sources->context, place->location,
					       &page->text, &page->problem)
				     : -ENOSYS;

	if (r == -ENOMEM)
		return r;
	if (r < 0 && !page->problem)
		return text_refuse(
			&page->problem, 0, "the instructions of %s cannot be had", place->function);
	if (page->problem)
		return 0;
	return split(page);
}

int live_collect_disassembly(struct live *live, struct live_page *page)
{
	int r = 0;

	if (page->place >= live->functions.n)
		return 0;
	if (!page->text && !page->problem)
		r = fetch_disassembly(live, page);
	if (r < 0 || page->problem)
		return r;
	if (live_code_rows(live, page) < 0)
		return -ENOMEM;
	weigh_addresses(live, page);
	if (!page->opened && live->table.n)
		point_at(page, hottest_row(live));
	page->opened = true;
	return 0;
}
