/* SPDX-License-Identifier: MIT */
#include "analyst/jit/jit_map.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "symbolizer/unwind/unwind.h"

#define NAME_MOST 4096 /* longer names are cut */
/* The most overlapping pieces of a run (jit_map.h) that are searched for the newest one. */
#define OVERLAPS_MOST 4096

/* Appends a string to map->text, cut to NAME_MOST bytes. -ENOMEM. */
static int put_text(struct jit_map *map, const char *text, size_t bytes, size_t *ret_at)
{
	if (bytes > NAME_MOST)
		bytes = NAME_MOST;
	if (array_grow(&map->text, &map->text_room, map->text_bytes + bytes + 1) < 0)
		return -ENOMEM;
	memcpy(map->text + map->text_bytes, text, bytes);
	*ret_at = map->text_bytes;
	map->text_bytes += bytes;
	map->text[map->text_bytes++] = '\0';
	return 0;
}

int jit_map_put(struct jit_map *map, uint64_t start, uint64_t size, const char *name, size_t bytes)
{
	struct jit_code code = {.start = start, .end = start + size, .line = map->pending};

	if (!size || !bytes || size > UINT64_MAX - start)
		return 0;
	if (array_grow(&map->code, &map->room, map->n + 1) < 0 ||
		put_text(map, name, bytes, &code.name) < 0)
		return -ENOMEM;
	if (start == map->pending_start)
		code.lines = map->lines - map->pending;
	map->pending = map->lines;
	code.unwind = map->pending_unwind;
	code.unwind_bytes = map->unwind_bytes - map->pending_unwind;
	map->pending_unwind = map->unwind_bytes;
	code.order = (uint32_t)map->n;
	map->code[map->n++] = code;
	return 0;
}

int jit_map_begin_lines(struct jit_map *map, uint64_t start)
{
	map->lines = map->pending; /* drops lines whose code never came */
	map->pending_start = start;
	return put_text(map, "", 0, &map->last_file);
}

int jit_map_put_line(
	struct jit_map *map, uint64_t offset, uint32_t line, const char *file, size_t bytes)
{
	if (array_grow(&map->line, &map->lines_room, map->lines + 1) < 0)
		return -ENOMEM;
	/* A file's name is stored once for successive lines. */
	if (file &&
		(strlen(map->text + map->last_file) != bytes ||
			memcmp(map->text + map->last_file, file, bytes) != 0) &&
		put_text(map, file, bytes, &map->last_file) < 0)
		return -ENOMEM;
	map->line[map->lines++] = (struct jit_line){offset, map->last_file, line};
	return 0;
}

int jit_map_put_unwind(struct jit_map *map, const uint8_t *data, size_t bytes)
{
	/* Drops unwind information whose code never came. */
	map->unwind_bytes = map->pending_unwind;
	if (array_grow(&map->unwind, &map->unwind_room, map->unwind_bytes + bytes) < 0)
		return -ENOMEM;
	memcpy(map->unwind + map->unwind_bytes, data, bytes);
	map->unwind_bytes += bytes;
	return 0;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static int add_line(struct jit_map *map, const char *line, size_t bytes)
{
	char number[40], *at, *behind;
	uint64_t start, size;
	size_t n = bytes < sizeof(number) - 1 ? bytes : sizeof(number) - 1, name;

	memcpy(number, line, n);
	number[n] = '\0';
	start = strtoull(number, &at, 16);
	if (at == number || !is_blank(*at))
		return 0;
	size = strtoull(at, &behind, 16);
	if (behind == at || !is_blank(*behind))
		return 0;
	name = (size_t)(behind - number);
	while (name < bytes && is_blank(line[name]))
		name++;
	while (bytes > name && is_blank(line[bytes - 1]))
		bytes--;
	return name < bytes ? jit_map_put(map, start, size, line + name, bytes - name) : 0;
}

long jit_map_add(struct jit_map *map, const char *text, size_t bytes)
{
	size_t taken = 0;

	while (taken < bytes) {
		const char *line = text + taken, *end = memchr(line, '\n', bytes - taken);

		if (!end)
			break;
		if (add_line(map, line, (size_t)(end - line)) < 0)
			return -ENOMEM;
		taken = (size_t)(end + 1 - text);
	}
	return (long)taken;
}

int jit_map_add_last(struct jit_map *map, const char *text, size_t bytes)
{
	return memchr(text, '\n', bytes) ? 0 : add_line(map, text, bytes);
}

static int by_start(const void *a, const void *b)
{
	const struct jit_code *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

/*
 * Makes a run of the new pieces. An older run that is less than twice as long is merged into it.
 * Thus a piece that is sorted again is then in a run at least 1.5 times as long as before. So n
 * pieces are sorted at most 1.7 log2(n) times each, however many look-ups come between.
 */
static void sort_new(struct jit_map *map)
{
	size_t first = map->sorted;
	uint64_t reach = 0;

	if (first == map->n)
		return;
	while (map->runs && first - map->run[map->runs - 1] < 2 * (map->n - first))
		first = map->run[--map->runs];
	qsort(map->code + first, map->n - first, sizeof(*map->code), by_start);
	for (size_t i = first; i < map->n; i++) {
		if (map->code[i].end > reach)
			reach = map->code[i].end;
		map->code[i].reach = reach;
	}
	map->run[map->runs++] = first;
	map->sorted = map->n;
}

/* The index one above the last piece of @run that begins at or below @pc. */
static size_t end_below(const struct jit_map *map, unsigned run, uint64_t pc)
{
	size_t end = run + 1 < map->runs ? map->run[run + 1] : map->sorted;

	return array_bisect(i, map->run[run], end, map->code[i].start <= pc);
}

static const struct jit_code *find_in_run(const struct jit_map *map, unsigned run, uint64_t pc)
{
	const struct jit_code *best = NULL;
	size_t first = map->run[run], low = end_below(map, run, pc);

	for (size_t n = 0; low > first && n < OVERLAPS_MOST && map->code[low - 1].reach > pc; n++) {
		const struct jit_code *code = &map->code[--low];

		if (pc < code->end && (!best || code->order > best->order))
			best = code;
	}
	return best;
}

/* Searches the newest run first: its pieces are newer than those of the runs before it. */
static const struct jit_code *find(struct jit_map *map, uint64_t pc)
{
	const struct jit_code *code = NULL;

	sort_new(map);
	for (unsigned run = map->runs; run-- > 0 && !code;)
		code = find_in_run(map, run, pc);
	return code;
}

/*
 * The piece with the greatest start at or below @pc, of several the newest; NULL: none. All pieces
 * must be sorted.
 */
static const struct jit_code *find_below(const struct jit_map *map, uint64_t pc)
{
	const struct jit_code *best = NULL;

	for (unsigned run = map->runs; run-- > 0;) {
		size_t end = end_below(map, run, pc);

		if (end > map->run[run] && (!best || map->code[end - 1].start > best->start))
			best = &map->code[end - 1];
	}
	return best;
}

int jit_map_move(struct jit_map *map, uint64_t from, uint64_t to, uint64_t size)
{
	const struct jit_code *code;
	struct jit_code moved;

	if (!size || size > UINT64_MAX - to)
		return 0;
	sort_new(map);
	code = find_below(map, from);
	if (!code || code->start != from)
		return 0;
	moved = *code;
	if (array_grow(&map->code, &map->room, map->n + 1) < 0)
		return -ENOMEM;
	moved.start = to;
	moved.end = to + size;
	moved.order = (uint32_t)map->n;
	map->code[map->n++] = moved;
	return 0;
}

/* The lines may be out of order: searches all for the last one at or before @pc. */
bool jit_map_look_up(struct jit_map *map, uint64_t pc, struct jit_source *ret_source)
{
	const struct jit_code *code = find(map, pc);
	const struct jit_line *best = NULL;

	if (!code)
		return false;
	for (size_t i = 0; i < code->lines; i++) {
		const struct jit_line *line = &map->line[code->line + i];

		if (line->offset <= pc - code->start && (!best || line->offset >= best->offset))
			best = line;
	}
	*ret_source = (struct jit_source){.name = map->text + code->name,
		.file = best ? map->text + best->file : "",
		.line = best ? best->line : 0};
	return true;
}

/* CPython's -X perf makes a trampoline for each function, named "py::…". */
static bool is_trampoline(const char *name)
{
	static const char python[] = "py::";

	return strncmp(name, python, sizeof(python) - 1) == 0;
}

bool jit_map_unwind(
	struct jit_map *map, uint64_t pc, uint64_t start, struct unwind_generated *ret_generated)
{
	const struct jit_code *code = find(map, pc), *below = code ? NULL : find_below(map, pc);

	if (below && below->start >= start && is_trampoline(map->text + below->name)) {
		*ret_generated =
			(struct unwind_generated){.start = pc, .end = pc + 1, .trampoline = true};
		return true;
	}
	if (!code)
		return false;
	*ret_generated = (struct unwind_generated){.start = code->start,
		.end = code->end,
		.eh_frame = code->unwind_bytes ? map->unwind + code->unwind : NULL,
		.bytes = code->unwind_bytes,
		.trampoline = is_trampoline(map->text + code->name)};
	return true;
}

void jit_map_release(struct jit_map *map)
{
	free(map->unwind);
	free(map->code);
	free(map->text);
	free(map->line);
	*map = (struct jit_map){0};
}

uint64_t jit_map_bytes(const struct jit_map *map)
{
	return map->n * sizeof(*map->code) + map->lines * sizeof(*map->line) + map->text_bytes +
		map->unwind_bytes;
}
