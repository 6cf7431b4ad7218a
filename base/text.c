/* SPDX-License-Identifier: MIT */
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* For example "é" is C3 A9: U+00E9. */
int32_t text_next(const char **text)
{
	static const int32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	const uint8_t *p = (const uint8_t *)*text;
	unsigned bytes = p[0] < 0x80 ? 1 : p[0] < 0xc0 ? 0 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
	int32_t c = p[0];

	++*text;
	if (bytes == 1)
		return c;
	if (!bytes || p[0] > 0xf4)
		return -1;
	c &= 0x7f >> bytes;
	for (unsigned i = 1; i < bytes; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return -1;
		c = c << 6 | (p[i] & 0x3f);
	}
	if (c < least[bytes] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		return -1;
	*text += bytes - 1;
	return c;
}

/* wcwidth() depends on the locale. Combining marks take no column, East Asian wide ones two. */
unsigned text_character_columns(int32_t c)
{
	static const int32_t none[][2] = {{0x300, 0x36f}, {0x483, 0x489}, {0x591, 0x5bd},
		{0x610, 0x61a}, {0x64b, 0x65f}, {0x200b, 0x200f}, {0x2028, 0x202e},
		{0x2060, 0x206f}, {0x20d0, 0x20f0}, {0xfe00, 0xfe0f}, {0xfeff, 0xfeff}};
	static const int32_t wide[][2] = {{0x1100, 0x115f}, {0x2e80, 0x303e}, {0x3041, 0xa4cf},
		{0xac00, 0xd7a3}, {0xf900, 0xfaff}, {0xfe30, 0xfe6f}, {0xff00, 0xff60},
		{0xffe0, 0xffe6}, {0x1f300, 0x1f64f}, {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd}};

	for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++) {
		if (c >= none[i][0] && c <= none[i][1])
			return 0;
	}
	for (size_t i = 0; i < sizeof(wide) / sizeof(*wide); i++) {
		if (c >= wide[i][0] && c <= wide[i][1])
			return 2;
	}
	return 1;
}

size_t text_columns(const char *text)
{
	size_t columns = 0;

	while (*text)
		columns += text_character_columns(text_next(&text));
	return columns;
}

bool text_is_printable(int32_t c)
{
	if (c < 0x20 || (c >= 0x7f && c < 0xa0))
		return false;
	return !((c >= 0x200b && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) ||
		(c >= 0x2060 && c <= 0x206f) || c == 0xfeff);
}

char *text_clean(const char *text, bool ascii)
{
	char *clean = malloc(strlen(text) + 1), *to = clean;

	while (clean && *text) {
		const char *from = text;
		int32_t c = text_next(&text);

		if (text_is_printable(c) && (c < 0x80 || !ascii)) {
			memcpy(to, from, (size_t)(text - from));
			to += text - from;
		} else {
			*to++ = '?';
		}
	}
	if (clean)
		*to = '\0';
	return clean;
}

void text_put(const char *text, FILE *out)
{
	while (*text) {
		const char *from = text;

		if (text_is_printable(text_next(&text)))
			(void)fwrite(from, 1, (size_t)(text - from), out);
		else
			(void)fputc('?', out);
	}
}

const char *text_ellipsis(bool ascii)
{
	return ascii ? "..." : "\xe2\x80\xa6";
}

/* The bytes of the first @columns columns of @text. */
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

/* The brackets of one kind in a name, as one pass finds them. */
struct brackets {
	uint32_t *closing; /* by byte: where the bracket that opens there is closed; 0: nowhere */
	uint32_t *columns; /* by byte: columns of the text before it */
	uint32_t *stack;   /* open brackets; later emptied ones, the leftmost last */
	size_t n;          /* number of open brackets */
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
 * Chooses the pairs to empty, until the name has at most @most columns: pairs whose content is
 * longer than an ellipsis, from the last one on, so inner pairs before those around them. Each pair
 * is put on the stack and removed once at most, so this takes linear time.
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

/* Empties brackets until the name has at most @columns columns: round ones, then angle brackets. */
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

/* A longer name loses its middle first, so the work for a name drawn at each update is bounded. */
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

/*
 * Where the next component of a name begins behind the one at @at: "b::c" in "a<x::y>::b::c". 0:
 * that was the last one.
 */
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

/*
 * Drops as many components in front as necessary: "…::last::two". If the last one is too long by
 * itself, only that is left.
 */
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

/*
 * Where the last component of the name in [@from, @to) begins: "FilterMap<I>" in
 * "core::iter::FilterMap<I>".
 */
static size_t last_component(const char *text, size_t from, size_t to)
{
	for (size_t at = next_component(text, from); at && at < to; at = next_component(text, at))
		from = at;
	return from;
}

/*
 * Shortens a name of Rust, "<core::iter::Map<I> as core::iter::Iterator>::next": removes the paths
 * of the type and the trait, "<Map<I> as Iterator>::next", then the trait, "<Map<I>>::next".
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

/* "[syscall] futex" becomes "[…] futex": which call it is says more than that it is one. */
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

int text_replace(char **text, const char *with)
{
	char *copy = strdup(with);

	if (!copy)
		return -ENOMEM;
	free(*text);
	*text = copy;
	return 0;
}

int text_read_file(int folder_fd, const char *path, char *to, size_t room)
{
	int fd = openat(folder_fd, path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, to, room - 1);
	int r = n < 0 ? -errno : (int)n;

	if (fd >= 0)
		(void)close(fd);
	to[r < 0 ? 0 : r] = '\0';
	return r;
}

const char *text_basename(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

void text_format_ns(uint64_t ns, char to[TEXT_UNIT_BYTES])
{
	uint64_t s = ns / 1000000000;

	if (ns < 1000)
		(void)snprintf(to, TEXT_UNIT_BYTES, "%" PRIu64 " ns", ns);
	else if (ns < 10000)
		(void)snprintf(to, TEXT_UNIT_BYTES, "%.1f us", (double)ns / 1e3);
	else if (ns < 1000000)
		(void)snprintf(to, TEXT_UNIT_BYTES, "%.0f us", (double)ns / 1e3);
	else if (ns < 1000000000)
		(void)snprintf(to, TEXT_UNIT_BYTES, "%.2f ms", (double)ns / 1e6);
	else if (s < 100)
		(void)snprintf(to, TEXT_UNIT_BYTES, "%.2f s", (double)ns / 1e9);
	else if (s < 3600)
		(void)snprintf(
			to, TEXT_UNIT_BYTES, "%" PRIu64 " min %02" PRIu64 " s", s / 60, s % 60);
	else
		(void)snprintf(to, TEXT_UNIT_BYTES, "%" PRIu64 " h %02" PRIu64 " min", s / 3600,
			s / 60 % 60);
}

void text_format_hz(double hz, char to[TEXT_UNIT_BYTES])
{
	bool whole = hz >= 100 || (uint64_t)(hz * 10 + 0.5) % 10 == 0;

	if (hz < 1)
		(void)snprintf(to, TEXT_UNIT_BYTES, "%.2g Hz", hz);
	else
		(void)snprintf(to, TEXT_UNIT_BYTES, "%.*f Hz", whole ? 0 : 1, hz);
}

struct text_scale text_scale_for(const char *unit, int64_t most)
{
	static const struct {
		int64_t from;
		struct text_scale scale;
	} scales[] = {
		{100000000000, {"s", "nanoseconds", 1e9, 1}},
		{1000000000, {"s", "nanoseconds", 1e9, 2}},
		{1000000, {"ms", "nanoseconds", 1e6, 2}},
		{0, {"us", "nanoseconds", 1e3, 1}},
		{(int64_t)1 << 30, {"GiB", "bytes", 1 << 30, 2}},
		{1 << 20, {"MiB", "bytes", 1 << 20, 2}},
		{1 << 10, {"KiB", "bytes", 1 << 10, 2}},
		{0, {"B", "bytes", 1, 0}},
	};

	if (most < 0)
		most = most == INT64_MIN ? INT64_MAX : -most;
	for (size_t i = 0; i < sizeof(scales) / sizeof(*scales); i++) {
		if (!strcmp(scales[i].scale.of, unit) && most >= scales[i].from)
			return scales[i].scale;
	}
	return (struct text_scale){"", "", 1, 0};
}

void text_format_scaled(int64_t value, struct text_scale scale, char to[TEXT_UNIT_BYTES])
{
	static const double halves[] = {0.5, 0.05, 0.005};
	double shown = (double)value / scale.divisor, least = 2 * halves[scale.digits];
	bool is_small = value && fabs(shown) < halves[scale.digits];

	if (is_small)
		shown = value < 0 ? -least : least;
	(void)snprintf(to, TEXT_UNIT_BYTES, "%s%.*f%s%s",
		!is_small           ? ""
			: value < 0 ? ">"
				    : "<",
		scale.digits, shown, scale.unit[0] ? " " : "", scale.unit);
}
