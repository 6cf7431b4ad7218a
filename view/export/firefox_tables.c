/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "view/export/firefox.h"

/*
 * What a column shows. FIRST, SECOND: a number of the pair that identifies the row. ALWAYS_…: a
 * constant. Below FIRST: the index of one of the row's further numbers.
 */
enum { FIRST = 8, SECOND, ALWAYS_NULL, ALWAYS_FALSE, ALWAYS_0, ALWAYS_1 };

static const char *const always[] = {
	[ALWAYS_NULL] = "null", [ALWAYS_FALSE] = "false", [ALWAYS_0] = "0", [ALWAYS_1] = "1"};

struct column {
	const char *name;
	unsigned shows;
};

enum { FRAME_ADDRESS, FRAME_CATEGORY, FRAME_FUNCTION, FRAME_SYMBOL, FRAME_LINE, FRAME_NUMBERS };
enum { FUNCTION_NAME, FUNCTION_RESOURCE, FUNCTION_NUMBERS };
enum { RESOURCE_NAME, RESOURCE_NUMBERS };
enum { SYMBOL_ADDRESS, SYMBOL_NAME, SYMBOL_NUMBERS };

static const struct layout {
	const char *name;
	size_t numbers; /* of a row, beside its pair */
	struct column column[10];
} layouts[FIREFOX_TABLES] = {
	[FIREFOX_STACKS] = {"stackTable", 0, {{"frame", SECOND}, {"prefix", FIRST}}},
	[FIREFOX_FRAMES] = {"frameTable", FRAME_NUMBERS,
		{{"address", FRAME_ADDRESS}, {"inlineDepth", SECOND}, {"category", FRAME_CATEGORY},
			{"subcategory", ALWAYS_0}, {"func", FRAME_FUNCTION},
			{"nativeSymbol", FRAME_SYMBOL}, {"innerWindowID", ALWAYS_0},
			{"line", FRAME_LINE}, {"column", ALWAYS_NULL}}},
	[FIREFOX_FUNCTIONS] = {"funcTable", FUNCTION_NUMBERS,
		{{"name", FUNCTION_NAME}, {"resource", FUNCTION_RESOURCE}, {"isJS", ALWAYS_FALSE},
			{"relevantForJS", ALWAYS_FALSE}, {"source", SECOND},
			{"lineNumber", ALWAYS_NULL}, {"columnNumber", ALWAYS_NULL}}},
	/* type 1: a library */
	[FIREFOX_RESOURCES] = {"resourceTable", RESOURCE_NUMBERS,
		{{"lib", FIRST}, {"name", RESOURCE_NAME}, {"host", ALWAYS_NULL},
			{"type", ALWAYS_1}}},
	[FIREFOX_SYMBOLS] = {"nativeSymbols", SYMBOL_NUMBERS,
		{{"libIndex", SECOND}, {"address", SYMBOL_ADDRESS}, {"name", SYMBOL_NAME},
			{"functionSize", ALWAYS_NULL}}},
};

/*
 * Returns the index of the row that @a and @b identify, or -ENOMEM. If the row is new, *@ret_new
 * points to its further numbers, to be filled in before the next call, which may move them. Else
 * *@ret_new is NULL.
 */
static int add_row(
	struct firefox *f, enum firefox_kind kind, uint64_t a, uint64_t b, int64_t **ret_new)
{
	struct firefox_table *table = &f->table[kind];
	size_t n = table->rows.n, numbers = layouts[kind].numbers;
	int index = pairs_add(&table->rows, a, b);

	*ret_new = NULL;
	if (index < 0 || table->rows.n == n)
		return index;
	if (array_grow(&table->number, &table->room, (n + 1) * numbers) < 0)
		return -ENOMEM;
	*ret_new = table->number + n * numbers;
	return index;
}

static int library_of(struct firefox *f, const struct frame *frame)
{
	uint32_t index = profile_location(f->frames->profile, frame->location).mapping;
	struct mapping mapping = profile_mapping(f->frames->profile, index);
	size_t n = f->library.n;
	int library = pairs_add(&f->library, (uintptr_t)mapping.file, (uintptr_t)mapping.build_id);

	if (library < 0 || f->library.n == n)
		return library;
	if (array_grow(&f->mapping, &f->mapping_room, n + 1) < 0)
		return -ENOMEM;
	f->mapping[n] = index;
	return library;
}

static int resource_of(struct firefox *f, const struct frame *frame)
{
	int library = library_of(f, frame), resource;
	const char *file;
	int64_t *row;

	if (library < 0)
		return library;
	resource = add_row(f, FIREFOX_RESOURCES, (uint64_t)library, 0, &row);
	if (resource < 0 || !row)
		return resource;
	file = profile_mapping(f->frames->profile, f->mapping[library]).file;
	row[RESOURCE_NAME] = pool_add_text(&f->strings, text_basename(file));
	return row[RESOURCE_NAME] < 0 ? -ENOMEM : resource;
}

static const char *name_of(const struct firefox *f, uint32_t place)
{
	return f->frames->places.place[place].function;
}

/*
 * Finds or adds the function of @frame. The frame with which a function is added determines its
 * resource.
 */
static int function_of(struct firefox *f, const struct frame *frame)
{
	const char *file = frames_file(f->frames, frame);
	int source = -1, function;
	int64_t *row;

	if (file[0]) {
		int id = pool_add_text(&f->strings, file);

		source = id < 0 ? id : pairs_add(&f->source, (uint64_t)id, 0);
		if (source < 0)
			return source;
	}
	function = add_row(f, FIREFOX_FUNCTIONS, frame->place, (uint64_t)source, &row);
	if (function < 0 || !row)
		return function;
	row[FUNCTION_NAME] = pool_add_text(&f->strings, name_of(f, frame->place));
	row[FUNCTION_RESOURCE] = resource_of(f, frame);
	return row[FUNCTION_NAME] < 0 || row[FUNCTION_RESOURCE] < 0 ? -ENOMEM : function;
}

/*
 * Returns the index of the symbol of the frame's outermost function (inlined functions have none),
 * or -ENOMEM. The symbol's address is the lowest address of the function in any frame, so it is set
 * only when the table is written.
 */
static int symbol_of(struct firefox *f, const struct frame *frame)
{
	size_t n;
	const uint32_t *of = places_of(&f->frames->places, frame->location, &n);
	uint32_t place = of[n - 1];
	uint64_t address = profile_location(f->frames->profile, frame->location).address;
	int library = library_of(f, frame), symbol;
	int64_t *row;

	if (library < 0)
		return library;
	if (!f->address[place] || f->address[place] > address)
		f->address[place] = address;
	symbol = add_row(f, FIREFOX_SYMBOLS, place, (uint64_t)library, &row);
	if (symbol < 0 || !row)
		return symbol;
	row[SYMBOL_NAME] = pool_add_text(&f->strings, name_of(f, place));
	return row[SYMBOL_NAME] < 0 ? -ENOMEM : symbol;
}

static int category_of(const struct firefox *f, const struct frame *frame)
{
	const struct profile *profile = f->frames->profile;
	const char *object = f->frames->places.place[frame->place].object;

	if (!strcmp(object, "[kernel]"))
		return FIREFOX_SYSTEM_CALL;
	if (!strcmp(object, "[python]"))
		return FIREFOX_PYTHON;
	if (!strcmp(object, "[java]"))
		return FIREFOX_JAVA;
	if (!object[0] || object[0] == '[')
		return FIREFOX_OTHER;
	return object == profile_mapping(profile, profile_main(profile)).file ? FIREFOX_PROGRAM
									      : FIREFOX_LIBRARY;
}

static int frame_of(struct firefox *f, const struct frame *frame)
{
	int64_t *row;
	int index = add_row(f, FIREFOX_FRAMES, frame->location, frame->inlined, &row);

	if (index < 0 || !row)
		return index;
	row[FRAME_ADDRESS] = (int64_t)profile_location(f->frames->profile, frame->location).address;
	row[FRAME_CATEGORY] = category_of(f, frame);
	row[FRAME_FUNCTION] = function_of(f, frame);
	row[FRAME_SYMBOL] = symbol_of(f, frame);
	row[FRAME_LINE] = frame->line ? (int64_t)frame->line : -1;
	return row[FRAME_FUNCTION] < 0 || row[FRAME_SYMBOL] < 0 ? -ENOMEM : index;
}

int firefox_add_stack(struct firefox *f, int *ret_stack)
{
	int stack = -1;
	int64_t *row;

	for (size_t i = f->frames->n; i-- > 0;) {
		int frame = frame_of(f, &f->frames->frame[i]);

		if (frame < 0)
			return frame;
		stack = add_row(f, FIREFOX_STACKS, (uint64_t)stack, (uint64_t)frame, &row);
		if (stack < 0)
			return stack;
	}
	*ret_stack = stack;
	return 0;
}

static void put_cell(const struct firefox *f, enum firefox_kind kind, size_t row, unsigned shows)
{
	const struct firefox_table *table = &f->table[kind];
	int64_t number;

	if (shows >= ALWAYS_NULL) {
		fputs(always[shows], f->out);
		return;
	}
	if (shows == FIRST)
		number = (int64_t)table->rows.pair[row].a;
	else if (shows == SECOND)
		number = (int64_t)table->rows.pair[row].b;
	else
		number = table->number[row * layouts[kind].numbers + shows];
	if (number < 0)
		fputs("null", f->out);
	else
		fprintf(f->out, "%" PRId64, number);
}

static void put_table(const struct firefox *f, enum firefox_kind kind)
{
	const struct column *column = layouts[kind].column;
	size_t rows = f->table[kind].rows.n;

	fprintf(f->out, "\"%s\":{", layouts[kind].name);
	for (; column->name; column++) {
		fprintf(f->out, "\"%s\":[", column->name);
		for (size_t i = 0; i < rows; i++) {
			fputs(i ? "," : "", f->out);
			put_cell(f, kind, i, column->shows);
		}
		fputs("],\n", f->out);
	}
	fprintf(f->out, "\"length\":%zu},\n", rows);
}

void firefox_put_tables(struct firefox *f)
{
	const struct firefox_table *symbols = &f->table[FIREFOX_SYMBOLS];

	for (size_t i = 0; i < symbols->rows.n; i++)
		symbols->number[i * SYMBOL_NUMBERS + SYMBOL_ADDRESS] =
			(int64_t)f->address[symbols->rows.pair[i].a];
	for (int kind = 0; kind < FIREFOX_TABLES; kind++)
		put_table(f, (enum firefox_kind)kind);
}

void firefox_forget_thread(struct firefox *f)
{
	for (int kind = 0; kind < FIREFOX_TABLES; kind++) {
		pairs_release(&f->table[kind].rows);
		free(f->table[kind].number);
		f->table[kind] = (struct firefox_table){0};
	}
}
