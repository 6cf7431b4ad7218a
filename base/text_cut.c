/* SPDX-License-Identifier: MIT */
/* Cuts names, paths and sentences to a number of columns. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* Returns the bytes of the first @columns columns of @text. */
static size_t head_bytes(const char *text, size_t columns)
{
	const char *p = text, *before = text;
	size_t taken = 0;

	while (*p) {
		before = p;
		taken += text_character_columns(text_next(&p));
		if (taken > columns)
			return (size_t)(before - text);
	}
	return (size_t)(p - text);
}

/* Replaces the @cut bytes at @at by an ellipsis. */
static int replace(char **text, size_t at, size_t cut, bool ascii)
{
	char *shorter;

	if (asprintf(&shorter, "%.*s%s%s", (int)at, *text, text_ellipsis(ascii), *text + at + cut) <
		0)
		return -ENOMEM;
	free(*text);
	*text = shorter;
	return 0;
}

/* Cuts the middle of a text: keeps @head columns, and as much of the end as fits. */
static int cut_middle(char **text, size_t columns, size_t head, bool ascii)
{
	size_t dots = text_columns(text_ellipsis(ascii));
	size_t all = text_columns(*text), at, tail;
	const char *end;

	if (all <= columns)
		return 0;
	if (columns <= dots) {
		(*text)[head_bytes(*text, columns)] = '\0';
		return 0;
	}
	tail = columns - dots - head;
	at = head_bytes(*text, head);
	end = *text + head_bytes(*text, all - tail);
	while (text_columns(end) > tail)
		(void)text_next(&end);
	return replace(text, at, (size_t)(end - *text) - at, ascii);
}

/* Is the bracket at @at part of a name: operator<, operator<<, operator()? */
static bool is_operator(const char *text, size_t at)
{
	static const char word[] = "operator";

	if (text[at] == '<' && at && text[at - 1] == '<')
		at--;
	return at >= sizeof(word) - 1 &&
		!strncmp(text + at - (sizeof(word) - 1), word, sizeof(word) - 1);
}

/* The brackets of one kind, () or <>, in a name. */
struct brackets {
	uint32_t *closing; /* for a byte that opens a bracket: where it is closed; otherwise 0 */
	uint32_t *columns; /* for each byte: columns of the text before it */
	uint32_t *stack;   /* first: open brackets; then: pairs to empty, leftmost last */
	size_t n;          /* number of entries in @stack */
};

static void release_brackets(struct brackets *b)
{
	free(b->closing);
	free(b->columns);
	free(b->stack);
}

static int find_brackets(struct brackets *b, const char *text, char open, char close)
{
	size_t bytes = strlen(text);
	uint32_t columns = 0;

	*b = (struct brackets){.closing = calloc(bytes + 1, sizeof(*b->closing)),
		.columns = calloc(bytes + 1, sizeof(*b->columns)),
		.stack = calloc(bytes + 1, sizeof(*b->stack))};
	if (!b->closing || !b->columns || !b->stack)
		return -ENOMEM;
	for (const char *at = text, *next = text; *at; at = next) {
		size_t i = (size_t)(at - text);
		uint32_t before = columns;

		columns += text_character_columns(text_next(&next));
		for (size_t j = i; j < (size_t)(next - text); j++)
			b->columns[j] = before;
		if (*at == open)
			b->stack[b->n++] = (uint32_t)i;
		else if (*at == close && b->n && !(i && at[-1] == '-'))
			b->closing[b->stack[--b->n]] = (uint32_t)i;
	}
	b->columns[bytes] = columns;
	b->n = 0;
	return 0;
}

/*
 * Chooses pairs to empty, from the name's end on, until the name has at most @most columns. A pair
 * stays if an ellipsis is not shorter. Linear time: each pair is pushed and popped at most once.
 */
static void empty_pairs(struct brackets *b, const char *text, size_t most, bool ascii)
{
	size_t dots_bytes = strlen(text_ellipsis(ascii)), dots = text_columns(text_ellipsis(ascii));
	size_t bytes = strlen(text), columns = b->columns[bytes];

	for (size_t i = bytes; i-- > 1 && columns > most;) {
		size_t end = b->closing[i];
		bool has_emptied = b->n && b->stack[b->n - 1] < end;

		if (!end || is_operator(text, i) || (end - i - 1 <= dots_bytes && !has_emptied))
			continue;
		columns -= b->columns[end] - b->columns[i + 1];
		for (; b->n && b->stack[b->n - 1] < end; b->n--) {
			size_t inner = b->stack[b->n - 1];

			columns += b->columns[b->closing[inner]] - b->columns[inner + 1] - dots;
		}
		columns += dots;
		b->stack[b->n++] = (uint32_t)i;
	}
}

static int write_emptied(const struct brackets *b, char **text, bool ascii)
{
	const char *dots = text_ellipsis(ascii);
	char *shorter = malloc(strlen(*text) + b->n * strlen(dots) + 1), *to = shorter;
	size_t from = 0;

	if (!shorter)
		return -ENOMEM;
	for (size_t i = b->n; i-- > 0;) {
		size_t open = b->stack[i];

		to = mempcpy(to, *text + from, open + 1 - from);
		to = stpcpy(to, dots);
		from = b->closing[open];
	}
	(void)stpcpy(to, *text + from);
	free(*text);
	*text = shorter;
	return 0;
}

/* Empties first round, then angle brackets, until the name has at most @columns columns. */
static int empty_brackets(char **text, size_t columns, bool ascii)
{
	static const char kinds[][2] = {{'(', ')'}, {'<', '>'}};
	int r = 0;

	for (size_t i = 0; i < 2 && r == 0 && text_columns(*text) > columns; i++) {
		struct brackets b;

		r = find_brackets(&b, *text, kinds[i][0], kinds[i][1]);
		if (r == 0) {
			empty_pairs(&b, *text, columns, ascii);
			r = write_emptied(&b, text, ascii);
		}
		release_brackets(&b);
	}
	return r;
}

/* Bytes beyond which a name first loses its middle: screens cut names again at each update. */
enum { MOST_NAME_BYTES = 16384 };

static int bound_name(char **text, bool ascii)
{
	size_t bytes = strlen(*text), from = MOST_NAME_BYTES / 2, to = bytes - MOST_NAME_BYTES / 2;

	if (bytes <= MOST_NAME_BYTES)
		return 0;
	while (((*text)[from] & 0xc0) == 0x80 && from < to)
		from++;
	while (((*text)[to] & 0xc0) == 0x80 && (*text)[to])
		to++;
	return replace(text, from, to - from, ascii);
}

int text_empty_brackets(char **text, bool ascii)
{
	int r = bound_name(text, ascii);

	return r < 0 ? r : empty_brackets(text, 0, ascii);
}

/* Returns where the component behind @at begins ("b::c" in "a<x::y>::b::c"); 0: none. */
static size_t next_component(const char *text, size_t at)
{
	int depth = 0;

	for (; text[at]; at++) {
		char c = text[at];

		if (strchr("<([{", c) && !(c == '<' && is_operator(text, at)))
			depth++;
		else if (strchr(">)]}", c) && depth && !(c == '>' && text[at - 1] == '-'))
			depth--;
		else if (!depth && c == ':' && text[at + 1] == ':')
			return at + 2;
	}
	return 0;
}

/* Drops leading components as necessary: "…::last::two". The last one stays, even if too long. */
static int keep_last_components(char **text, size_t columns, bool ascii)
{
	size_t dots = text_columns(text_ellipsis(ascii)) + 2, left = text_columns(*text), last = 0;
	const char *p = *text;

	for (size_t at = next_component(*text, 0); at; at = next_component(*text, at)) {
		while (p < *text + at)
			left -= text_character_columns(text_next(&p));
		last = at;
		if (left + dots <= columns)
			return replace(text, 0, at - 2, ascii);
	}
	memmove(*text, *text + last, strlen(*text + last) + 1);
	return 0;
}

/* Returns where the last component in [@from, @to) begins: "Map<I>" in "core::iter::Map<I>". */
static size_t last_component(const char *text, size_t from, size_t to)
{
	for (size_t at = next_component(text, from); at && at < to; at = next_component(text, at))
		from = at;
	return from;
}

/*
 * Shortens a name of Rust: "<core::iter::Map<I> as core::iter::Iterator>::next" becomes "<Map<I> as
 * Iterator>::next" or, if that is too long, "<Map<I>>::next".
 */
static int shorten_qualifier(char **text, size_t columns)
{
	const char *all = *text, *as = NULL;
	size_t end = next_component(all, 0), first, last, trait, depth = 0;
	char *with_trait = NULL, *without;

	if (all[0] != '<' || end < 4 || all[end - 3] != '>')
		return 0;
	for (const char *p = all + 1; p < all + end - 3; p++) {
		depth += *p == '<';
		depth -= *p == '>' && depth;
		if (!depth && !strncmp(p, " as ", 4))
			as = p;
	}
	last = as ? (size_t)(as - all) : end - 3;
	first = last_component(all, 1, last);
	trait = as ? last_component(all, last + strlen(" as "), end - 3) : 0;
	if (as &&
		asprintf(&with_trait, "<%.*s as %.*s>::%s", (int)(last - first), all + first,
			(int)(end - 3 - trait), all + trait, all + end) < 0)
		return -ENOMEM;
	if (asprintf(&without, "<%.*s>::%s", (int)(last - first), all + first, all + end) < 0) {
		free(with_trait);
		return -ENOMEM;
	}
	if (with_trait && text_columns(with_trait) <= columns) {
		free(without);
		without = with_trait;
	} else {
		free(with_trait);
	}
	free(*text);
	*text = without;
	return 0;
}

/* Turns "[syscall] futex" into "[…] futex": the call's name says more than "syscall". */
static int shorten_syscall(char **text, bool ascii)
{
	static const char begin[] = "[syscall] ";
	char *shorter;

	if (strncmp(*text, begin, sizeof(begin) - 1) != 0)
		return 0;
	if (asprintf(&shorter, "[%s] %s", text_ellipsis(ascii), *text + sizeof(begin) - 1) < 0)
		return -ENOMEM;
	free(*text);
	*text = shorter;
	return 0;
}

int text_cut_name(char **text, size_t columns, bool ascii)
{
	int r = bound_name(text, ascii);

	if (r == 0 && text_columns(*text) > columns)
		r = shorten_syscall(text, ascii);

	if (r == 0)
		r = empty_brackets(text, columns, ascii);
	if (r == 0 && text_columns(*text) > columns)
		r = shorten_qualifier(text, columns);
	if (r == 0 && text_columns(*text) > columns)
		r = keep_last_components(text, columns, ascii);
	return r < 0 ? r : cut_middle(text, columns, columns / 3, ascii);
}

int text_cut_path(char **text, size_t columns, bool ascii)
{
	return cut_middle(text, columns, 0, ascii);
}

int text_cut_sentence(char **text, size_t columns, bool ascii)
{
	size_t dots = text_columns(text_ellipsis(ascii));

	return cut_middle(text, columns, columns > dots ? columns - dots : 0, ascii);
}
