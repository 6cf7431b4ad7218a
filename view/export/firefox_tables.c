/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/array.h"
#include "view/export/firefox.h"

/* Returns row @index of the table of frames. */
static struct frame frame_at(const struct firefox *f, size_t index)
{
	const struct pair *pair = &f->thread.frame.pair[index];
	size_t n;
	const uint32_t *of = places_of(&f->frames->places, (uint32_t)pair->a, &n);
	struct location location = profile_location(f->frames->profile, pair->a);
	const struct location_line *line =
		location.lines ? &location.line[location.lines - 1 - pair->b] : NULL;

	return (struct frame){
		.place = of[n - 1 - pair->b],
		.location = (uint32_t)pair->a,
		.function = line ? line->function : FRAMES_NO_FUNCTION,
		.line = line ? line->line : 0,
		.inlined = (uint32_t)pair->b,
	};
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

static int function_of(struct firefox *f, const struct frame *frame)
{
	const char *file = frames_file(f->frames, frame);
	int source = 0, id;

	if (file[0]) {
		id = pool_add_text(&f->strings, file);
		source = id < 0 ? id : pairs_add(&f->source, (uint64_t)id, 0);
		if (source < 0)
			return source;
		source++;
	}
	return pairs_add(&f->thread.function, frame->place, (uint64_t)source);
}

/* Returns the outermost function's symbol (inlined ones have none), or -ENOMEM. */
static int symbol_of(struct firefox *f, const struct frame *frame)
{
	size_t n;
	const uint32_t *of = places_of(&f->frames->places, frame->location, &n);
	uint32_t place = of[n - 1];
	uint64_t address = profile_location(f->frames->profile, frame->location).address;
	int library = library_of(f, frame);

	if (library < 0)
		return library;
	if (!f->address[place] || f->address[place] > address)
		f->address[place] = address;
	return pairs_add(&f->thread.symbol, place, (uint64_t)library);
}

int firefox_add_stack(struct firefox *f, int *ret_stack)
{
	struct firefox_thread *thread = &f->thread;
	int prefix = -1, index;

	for (size_t i = f->frames->n; i-- > 0;) {
		const struct frame *frame = &f->frames->frame[i];

		index = pairs_add(&thread->frame, frame->location, frame->inlined);
		if (index < 0)
			return index;
		prefix = pairs_add(&thread->stack, (uint64_t)(prefix + 1), (uint64_t)index);
		if (prefix < 0)
			return prefix;
	}
	*ret_stack = prefix;
	return 0;
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

typedef int64_t column_value(const struct firefox *f, size_t index);

/* A negative value is written as "null". */
static void put_column(const struct firefox *f, const char *name, size_t n, column_value *value)
{
	fprintf(f->out, "\"%s\":[", name);
	for (size_t i = 0; i < n; i++) {
		int64_t number = value(f, i);

		fputs(i ? "," : "", f->out);
		if (number < 0)
			fputs("null", f->out);
		else
			fprintf(f->out, "%" PRId64, number);
	}
	fputs("],\n", f->out);
}

static void put_constant(const struct firefox *f, const char *name, size_t n, const char *value)
{
	fprintf(f->out, "\"%s\":[", name);
	for (size_t i = 0; i < n; i++)
		fprintf(f->out, "%s%s", i ? "," : "", value);
	fputs("],\n", f->out);
}

static void put_length(const struct firefox *f, size_t n)
{
	fprintf(f->out, "\"length\":%zu},\n", n);
}

static int64_t stack_frame(const struct firefox *f, size_t index)
{
	return (int64_t)f->thread.stack.pair[index].b;
}

static int64_t stack_prefix(const struct firefox *f, size_t index)
{
	return (int64_t)f->thread.stack.pair[index].a - 1;
}

static int64_t frame_address(const struct firefox *f, size_t index)
{
	return (int64_t)profile_location(f->frames->profile, f->thread.frame.pair[index].a).address;
}

static int64_t frame_depth(const struct firefox *f, size_t index)
{
	return (int64_t)f->thread.frame.pair[index].b;
}

static int64_t frame_category(const struct firefox *f, size_t index)
{
	struct frame frame = frame_at(f, index);

	return category_of(f, &frame);
}

static int64_t frame_line(const struct firefox *f, size_t index)
{
	struct frame frame = frame_at(f, index);

	return frame.line ? (int64_t)frame.line : -1;
}

static int64_t function_source(const struct firefox *f, size_t index)
{
	return (int64_t)f->thread.function.pair[index].b - 1;
}

static int64_t resource_library(const struct firefox *f, size_t index)
{
	return (int64_t)f->thread.resource.pair[index].a;
}

static int64_t symbol_library(const struct firefox *f, size_t index)
{
	return (int64_t)f->thread.symbol.pair[index].b;
}

static int64_t symbol_address(const struct firefox *f, size_t index)
{
	return (int64_t)f->address[f->thread.symbol.pair[index].a];
}

/* Writes the column "name", whose strings are written as indexes. 0 or -ENOMEM. */
static int put_names(
	struct firefox *f, size_t n, const char *(*text)(const struct firefox *, size_t))
{
	fputs("\"name\":[", f->out);
	for (size_t i = 0; i < n; i++) {
		int id = pool_add_text(&f->strings, text(f, i));

		if (id < 0)
			return id;
		fprintf(f->out, "%s%d", i ? "," : "", id);
	}
	fputs("],\n", f->out);
	return 0;
}

static const char *function_name(const struct firefox *f, size_t index)
{
	return f->frames->places.place[f->thread.function.pair[index].a].function;
}

static const char *symbol_name(const struct firefox *f, size_t index)
{
	return f->frames->places.place[f->thread.symbol.pair[index].a].function;
}

static const char *resource_name(const struct firefox *f, size_t index)
{
	const char *file =
		profile_mapping(f->frames->profile, f->mapping[f->thread.resource.pair[index].a])
			.file;
	const char *slash = strrchr(file, '/');

	return slash ? slash + 1 : file;
}

/* Adds functions and symbols, so their tables are written later. 0 or -ENOMEM. */
static int put_frame_table(struct firefox *f)
{
	size_t n = f->thread.frame.n;

	fputs("\"frameTable\":{", f->out);
	put_column(f, "address", n, frame_address);
	put_column(f, "inlineDepth", n, frame_depth);
	put_column(f, "category", n, frame_category);
	put_constant(f, "subcategory", n, "0");
	for (int symbols = 0; symbols < 2; symbols++) {
		fputs(symbols ? "],\n\"nativeSymbol\":[" : "\"func\":[", f->out);
		for (size_t i = 0; i < n; i++) {
			struct frame frame = frame_at(f, i);
			int index = symbols ? symbol_of(f, &frame) : function_of(f, &frame);

			if (index < 0)
				return index;
			fprintf(f->out, "%s%d", i ? "," : "", index);
		}
	}
	fputs("],\n", f->out);
	put_constant(f, "innerWindowID", n, "0");
	put_column(f, "line", n, frame_line);
	put_constant(f, "column", n, "null");
	put_length(f, n);
	return 0;
}

/* The library of a function is that of any of its frames. 0 or -ENOMEM. */
static int put_function_resources(struct firefox *f)
{
	size_t n = f->thread.function.n;
	int *resource = calloc(n + 1, sizeof(*resource));
	int error = 0;

	if (!resource)
		return -ENOMEM;
	for (size_t i = 0; i < f->thread.frame.n && error >= 0; i++) {
		struct frame frame = frame_at(f, i);
		int function = function_of(f, &frame), library = library_of(f, &frame);

		error = function < 0 ? function : library;
		if (error >= 0)
			error = pairs_add(&f->thread.resource, (uint64_t)library, 0);
		if (error >= 0)
			resource[function] = error;
	}
	fputs("\"resource\":[", f->out);
	for (size_t i = 0; i < n; i++)
		fprintf(f->out, "%s%d", i ? "," : "", resource[i]);
	fputs("],\n", f->out);
	free(resource);
	return error < 0 ? error : 0;
}

int firefox_put_tables(struct firefox *f)
{
	struct firefox_thread *thread = &f->thread;
	int error;

	fputs("\"stackTable\":{", f->out);
	put_column(f, "frame", thread->stack.n, stack_frame);
	put_column(f, "prefix", thread->stack.n, stack_prefix);
	put_length(f, thread->stack.n);
	error = put_frame_table(f);
	if (error < 0)
		return error;

	fputs("\"funcTable\":{", f->out);
	error = put_names(f, thread->function.n, function_name);
	if (!error)
		error = put_function_resources(f);
	put_constant(f, "isJS", thread->function.n, "false");
	put_constant(f, "relevantForJS", thread->function.n, "false");
	put_column(f, "source", thread->function.n, function_source);
	put_constant(f, "lineNumber", thread->function.n, "null");
	put_constant(f, "columnNumber", thread->function.n, "null");
	put_length(f, thread->function.n);

	fputs("\"resourceTable\":{", f->out);
	put_column(f, "lib", thread->resource.n, resource_library);
	if (!error)
		error = put_names(f, thread->resource.n, resource_name);
	put_constant(f, "host", thread->resource.n, "null");
	put_constant(f, "type", thread->resource.n, "1"); /* type 1: a library */
	put_length(f, thread->resource.n);

	fputs("\"nativeSymbols\":{", f->out);
	put_column(f, "libIndex", thread->symbol.n, symbol_library);
	put_column(f, "address", thread->symbol.n, symbol_address);
	if (!error)
		error = put_names(f, thread->symbol.n, symbol_name);
	put_constant(f, "functionSize", thread->symbol.n, "null");
	put_length(f, thread->symbol.n);
	return error;
}

void firefox_forget_thread(struct firefox *f)
{
	pairs_release(&f->thread.stack);
	pairs_release(&f->thread.frame);
	pairs_release(&f->thread.function);
	pairs_release(&f->thread.resource);
	pairs_release(&f->thread.symbol);
}
