/* SPDX-License-Identifier: MIT */
/* Reads the counters of sprofil_all(3), by function. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client/all.h"
#include "client/client.h"
#include "client/include/sprofil/all.h"

#define SELF "/proc/self/exe"

struct rows {
	struct sprofil_function *row;
	size_t n, room;
};

static int add(struct rows *rows, const struct sprofil_function *row)
{
	if (rows->n == rows->room) {
		size_t room = rows->room * 2 + 64;
		struct sprofil_function *more = reallocarray(rows->row, room, sizeof(*more));

		if (!more)
			return -ENOMEM;
		rows->row = more;
		rows->room = room;
	}
	rows->row[rows->n++] = *row;
	return 0;
}

/* Returns the program's path, read once. "": unknown. */
static const char *own_path(void)
{
	static char path[4096];

	if (!path[0]) {
		ssize_t n = readlink(SELF, path, sizeof(path) - 1);

		path[n > 0 ? n : 0] = '\0';
	}
	return path;
}

/* Returns the index of the last symbol that begins at or before @svma; @n: none. */
static size_t symbol_at(const struct all_segment *s, uint64_t svma)
{
	size_t low = 0, high = s->symbols;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (s->symbol[middle].address <= svma)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? low - 1 : s->symbols;
}

/*
 * Returns the function to which the counter at @svma belongs; NULL: none. If a function begins
 * within the counter's ALL_STEP bytes, it gets the counter: the bytes before it are mostly padding.
 */
static const struct all_symbol *function_at(const struct all_segment *s, uint64_t svma)
{
	size_t i = symbol_at(s, svma + ALL_STEP - 1);
	const struct all_symbol *symbol = &s->symbol[i];

	if (i == s->symbols)
		return NULL;
	/* A symbol of size 0 (of hand-written assembly) reaches to the next symbol. */
	return !symbol->bytes || svma < symbol->address + symbol->bytes ? symbol : NULL;
}

static int name_segment(struct all_segment *s)
{
	int r = s->named || !s->end
		? 0
		: all_symbols(s->path[0] ? s->path : SELF, &s->symbol, &s->names, &s->symbols);

	s->named = r == 0;
	return r;
}

/* Skips whole pages of zeroes, beginning at index @i: most pages were never touched. */
static size_t skip_zeroes(const struct all_segment *s, size_t i, size_t n)
{
	static const uint32_t zero[1024];
	const size_t each = sizeof(zero) / sizeof(*zero);

	while (i % each == 0 && n - i >= each && !memcmp(s->counter + i, zero, sizeof(zero)))
		i += each;
	return i;
}

/* Adds the rows of a segment. Adjacent counters of one function become one row. */
static int read_segment(struct all_segment *s, struct rows *rows)
{
	const volatile uint32_t *counter = s->counter;
	size_t n = s->end ? (s->end - s->start) / ALL_STEP : 1;
	const struct all_symbol *last = NULL;
	bool unnamed = false; /* the last row is of addresses without a name */
	int r = 0;

	for (size_t i = skip_zeroes(s, 0, n); i < n && r == 0; i = skip_zeroes(s, i + 1, n)) {
		uint64_t address = s->start + i * ALL_STEP;
		struct sprofil_function row = {.function = "",
			.object = s->path[0] || !s->end ? s->path : own_path(),
			.ticks = counter[i],
			.address = address};
		const struct all_symbol *symbol;

		if (!row.ticks)
			continue;
		r = name_segment(s);
		if (r < 0)
			break;
		symbol = s->symbols ? function_at(s, address - s->bias) : NULL;
		if (symbol ? symbol == last : unnamed) {
			rows->row[rows->n - 1].ticks += row.ticks;
			continue;
		}
		if (symbol) {
			row.function = symbol->name;
			row.address = symbol->address + s->bias;
		}
		last = symbol;
		unnamed = !symbol;
		r = add(rows, &row);
	}
	return r;
}

static int by_ticks(const void *a, const void *b)
{
	const struct sprofil_function *x = a, *y = b;

	if (x->ticks != y->ticks)
		return x->ticks > y->ticks ? -1 : 1;
	return x->address < y->address ? -1 : x->address > y->address;
}

static int read_all(struct rows *rows)
{
	size_t n;
	struct all_segment *segment = all_lock(&n);
	int r = 0;

	for (size_t i = 0; i < n && r == 0; i++)
		r = read_segment(&segment[i], rows);
	all_unlock();
	if (r == 0 && rows->n)
		qsort(rows->row, rows->n, sizeof(*rows->row), by_ticks);
	return r;
}

CLIENT_PUBLIC long sprofil_all_read(struct sprofil_function *to, size_t room)
{
	struct rows rows = {0};
	int r = read_all(&rows);
	size_t n = rows.n < room ? rows.n : room;

	if (r == 0 && n)
		memcpy(to, rows.row, n * sizeof(*to));
	free(rows.row);
	return r < 0 ? client_result(r) : (long)rows.n;
}

static int write_all(int fd, const char *text, size_t bytes)
{
	while (bytes) {
		ssize_t n = write(fd, text, bytes);

		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0) {
			text += n;
			bytes -= (size_t)n;
		}
	}
	return 0;
}

static int print_row(int fd, const struct sprofil_function *row, uint64_t all)
{
	const char *slash = strrchr(row->object, '/');
	const char *object = slash ? slash + 1 : row->object;
	char place[32], text[1024];
	int n;

	(void)snprintf(place, sizeof(place), "0x%" PRIx64, row->address);
	n = snprintf(text, sizeof(text), "%5.1f%% %8" PRIu64 "  %.700s%s%.200s%s\n",
		100.0 * (double)row->ticks / (double)all, row->ticks,
		row->function[0]    ? row->function
			: object[0] ? place
				    : "elsewhere",
		object[0] ? "  (" : "", object, object[0] ? ")" : "");
	return write_all(fd, text, (size_t)n);
}

CLIENT_PUBLIC int sprofil_all_print(int fd, unsigned most)
{
	struct rows rows = {0};
	uint64_t all = 0;
	int r = read_all(&rows);

	for (size_t i = 0; i < rows.n; i++)
		all += rows.row[i].ticks;
	for (size_t i = 0; r == 0 && i < rows.n && i < most; i++)
		r = print_row(fd, &rows.row[i], all);
	free(rows.row);
	return client_result(r);
}
