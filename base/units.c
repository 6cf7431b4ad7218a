/* SPDX-License-Identifier: MIT */
#include "base/units.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct unit {
	const char *name;
	double factor;
};

/* Parses a finite number >= 0 with one of the @n units behind it; multiplies it by the factor. */
static int parse(const char *text, const struct unit *units, size_t n, double *ret_value)
{
	char *end;
	double value;

	if (!strchr("0123456789.", text[0]) || !text[0])
		return -EINVAL;
	value = strtod(text, &end);
	if (end == text || !isfinite(value) || value < 0)
		return -EINVAL;
	for (size_t i = 0; i < n; i++) {
		if (strcasecmp(end, units[i].name) == 0) {
			*ret_value = value * units[i].factor;
			return 0;
		}
	}
	return -EINVAL;
}

int units_time_ns(const char *text, uint64_t *ret_ns)
{
	static const struct unit units[] = {{"", 1e9}, {"s", 1e9}, {"ms", 1e6}, {"us", 1e3},
		{"ns", 1}, {"m", 60e9}, {"min", 60e9}, {"h", 3600e9}, {"d", 86400e9}};
	double ns;

	if (parse(text, units, sizeof(units) / sizeof(*units), &ns) < 0 || ns < 1 || ns > 1e18)
		return -EINVAL;
	*ret_ns = (uint64_t)(ns + 0.5);
	return 0;
}

int units_rate_period_ns(const char *text, uint64_t *ret_period_ns)
{
	static const struct unit units[] = {{"", 1}, {"hz", 1}, {"k", 1e3}, {"khz", 1e3}};
	double hz;

	if (parse(text, units, sizeof(units) / sizeof(*units), &hz) < 0 || hz < 0.01 || hz > 100000)
		return -EINVAL;
	*ret_period_ns = (uint64_t)(1e9 / hz + 0.5);
	return 0;
}

int units_percent_ppm(const char *text, uint32_t *ret_ppm)
{
	static const struct unit units[] = {{"", 1}, {"%", 1}};
	double percent;

	if (parse(text, units, sizeof(units) / sizeof(*units), &percent) < 0 || percent > 100 ||
		percent < 0.001)
		return -EINVAL;
	*ret_ppm = (uint32_t)(percent * 10000 + 0.5);
	return 0;
}

int units_size_bytes(const char *text, uint64_t *ret_bytes)
{
	static const struct unit units[] = {{"", 1}, {"b", 1}, {"k", 1024}, {"kb", 1024},
		{"kib", 1024}, {"m", 1048576}, {"mb", 1048576}, {"mib", 1048576}, {"g", 1073741824},
		{"gb", 1073741824}, {"gib", 1073741824}};
	double bytes;

	if (parse(text, units, sizeof(units) / sizeof(*units), &bytes) < 0 || bytes < 1 ||
		bytes > 1e18)
		return -EINVAL;
	*ret_bytes = (uint64_t)bytes;
	return 0;
}

int units_pids(const char *text, int **ret_list, size_t *ret_n)
{
	size_t n = 1, i = 0;
	int *list;

	for (const char *p = text; *p; p++)
		n += *p == ',';
	list = calloc(n, sizeof(*list));
	if (!list)
		return -ENOMEM;
	for (const char *p = text;; p++) {
		char *end;
		long pid = strtol(p, &end, 10);

		if (end == p || pid <= 0 || pid > INT_MAX || (*end && *end != ',')) {
			free(list);
			return -EINVAL;
		}
		list[i++] = (int)pid;
		p = end;
		if (!*p)
			break;
	}
	*ret_list = list;
	*ret_n = i;
	return 0;
}
