/* SPDX-License-Identifier: MIT */
#include "base/text.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Decodes, for example, the bytes C3 A9 of "é" as U+00E9. */
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

size_t text_encode(int32_t c, char to[TEXT_UTF8_BYTES])
{
	static const uint8_t first[] = {0, 0, 0xc0, 0xe0, 0xf0};
	size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;

	to[n] = '\0';
	for (size_t i = n - 1; i > 0; i--) {
		to[i] = (char)(0x80 | (c & 0x3f));
		c >>= 6;
	}
	to[0] = (char)(first[n] | c);
	return n;
}

/* Not wcwidth(): it depends on the locale. @none: combining marks; @wide: East Asian characters. */
unsigned text_character_columns(int32_t c)
{
	static const int32_t none[][2] = {{0x300, 0x36f}, {0x483, 0x489}, {0x591, 0x5bd},
		{0x610, 0x61a}, {0x64b, 0x65f}, {0x200b, 0x200f}, {0x2028, 0x202e},
		{0x2060, 0x206f}, {0x20d0, 0x20f0}, {0xfe00, 0xfe0f}, {0xfeff, 0xfeff}};
	static const int32_t wide[][2] = {{0x1100, 0x115f}, {0x2e80, 0x303e}, {0x3041, 0xa4cf},
		{0xac00, 0xd7a3}, {0xf900, 0xfaff}, {0xfe30, 0xfe6f}, {0xff00, 0xff60},
		{0xffe0, 0xffe6}, {0x1f300, 0x1f64f}, {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd}};

	if (c < none[0][0])
		return 1;
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

int text_refuse(char **ret_problem, int error, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vasprintf(ret_problem, format, args);
	va_end(args);
	if (n >= 0)
		return error;
	*ret_problem = NULL;
	return -ENOMEM;
}

void text_put(const char *text, FILE *out)
{
	while (*text) {
		const char *from = text, *end = text;

		while (*text && text_is_printable(text_next(&text)))
			end = text;
		(void)fwrite(from, 1, (size_t)(end - from), out);
		if (end < text)
			(void)fputc('?', out);
	}
}

const char *text_ellipsis(bool ascii)
{
	return ascii ? "..." : "\xe2\x80\xa6";
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
