/* SPDX-License-Identifier: MIT */
#include "supervisor/calls/histogram.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/os/mem.h"
#include "supervisor/target/target.h"

#define COUNTS_MOST (UINT64_C(1) << 26) /* counters of all regions: 512 MiB */
#define SCALE_MOST  UINT32_C(0x1fffffff)
#define SELF_BYTES  8 /* bytes of an element of histogram.count, also if a region says "uint" */

__extension__ typedef unsigned __int128 u128;

static bool is_bin(const struct histogram_region *r)
{
	return !r->object && r->start == 0 && r->scale == 2;
}

static int parse_number(const char **at, char end, uint64_t *ret_number)
{
	char *after;

	if (**at < '0' || **at > '9')
		return -EINVAL;
	errno = 0;
	*ret_number = strtoull(*at, &after, 0);
	if (errno || (*after != end && !(end == '\0' && *after == ':')))
		return -EINVAL;
	*at = *after ? after + 1 : after;
	return 0;
}

/* Parses the width of a counter. If @text is "", *@ret_element stays as it is. */
static int parse_width(const char *text, unsigned *ret_element)
{
	static const struct {
		const char *name;
		unsigned element;
	} widths[] = {{"ushort", 2}, {"uint", 4}, {"uint64", 8}};

	if (!text[0])
		return 0;
	for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
		if (strcmp(text, widths[i].name) == 0) {
			*ret_element = widths[i].element;
			return 0;
		}
	}
	return -EINVAL;
}

/* Parses "libm.so.6:0x1f000-0x24000:0x10000:uint"; the object's name may contain colons. */
static int parse(const char *text, unsigned element, struct histogram_region *ret_region,
	size_t *ret_object_bytes)
{
	struct histogram_region r = {.element = element};
	const char *at = strchr(text, ':');
	uint64_t scale;

	while (at) {
		const char *rest = at + 1;

		if (parse_number(&rest, '-', &r.start) == 0 &&
			parse_number(&rest, ':', &r.end) == 0)
			break;
		at = strchr(at + 1, ':');
	}
	if (!at || at == text)
		return -EINVAL;
	*ret_object_bytes = (size_t)(at - text);
	at = strchr(strchr(at, '-') + 1, ':') + 1;
	if (parse_number(&at, '\0', &scale) < 0 || parse_width(at, &r.element) < 0)
		return -EINVAL;
	if (scale > SCALE_MOST)
		return -EINVAL;
	r.scale = (uint32_t)scale;
	*ret_region = r;
	return 0;
}

int histogram_add(struct histogram *h, const char *text)
{
	struct histogram_region r;
	size_t object_bytes;
	u128 counters;
	int error;

	if (parse(text, h->element ? h->element : 2, &r, &object_bytes) < 0)
		return -EINVAL;
	if (object_bytes != 3 || memcmp(text, "abs", 3) != 0) {
		r.object = strndup(text, object_bytes);
		if (!r.object)
			return -ENOMEM;
	}
	counters = is_bin(&r) ? 1 : 0;
	if (r.end > r.start && r.scale >= 2 && !counters)
		counters = (u128)(r.end - r.start - 1) * r.scale / (65536 * (u128)r.element) + 1;
	if (!counters)
		error = -EINVAL;
	else if (counters > COUNTS_MOST - h->counts || h->regions >= CALL_MAX_REGIONS)
		error = -E2BIG;
	else
		error = mem_grow((void **)&h->region, &h->region_room, h->regions + 1, sizeof(r));
	if (error < 0) {
		free(r.object);
		return error;
	}
	r.first = h->counts;
	r.counters = (uint64_t)counters;
	h->counts += r.counters;
	h->region[h->regions++] = r;
	return 0;
}

int histogram_begin(struct histogram *h)
{
	for (size_t i = 0; i + 1 < h->regions; i++)
		if (is_bin(&h->region[i]))
			return -EINVAL;
	h->count = mem_new(h->counts ? h->counts : 1, sizeof(*h->count));
	return h->count ? 0 : -ENOMEM;
}

void histogram_release(struct histogram *h)
{
	for (size_t i = 0; i < h->regions; i++)
		free(h->region[i].object);
	free(h->region);
	free(h->count);
	*h = (struct histogram){.region = NULL};
}

/* Is @object a mapping's whole path, or the end of it after a slash? */
static bool is_object(const char *path, size_t bytes, const char *object)
{
	size_t n = strlen(object);

	return bytes >= n && memcmp(path + bytes - n, object, n) == 0 &&
		(bytes == n || path[bytes - n - 1] == '/');
}

/*
 * Finds a module in a maps text, whose lines are like "55d0a000-55d0b000 r-xp 00002000 08:01 1234
 * /usr/bin/xz". *@ret_base: address of file offset 0, mapped or not; *@ret_end: end of the module.
 */
static bool find_object(const char *maps, const char *object, uint64_t *ret_base, uint64_t *ret_end)
{
	bool found = false;

	while (*maps) {
		const char *line_end = strchrnul(maps, '\n');
		unsigned long long start, end, offset;
		int path_at = 0;

		if (sscanf(maps, "%llx-%llx %*s %llx %*s %*s %n", &start, &end, &offset,
			    &path_at) == 3 &&
			path_at > 0 && maps + path_at < line_end &&
			is_object(maps + path_at, (size_t)(line_end - maps) - (size_t)path_at,
				object)) {
			if (!found)
				*ret_base = start - offset;
			*ret_end = end;
			found = true;
		}
		maps = *line_end ? line_end + 1 : line_end;
	}
	return found;
}

/*
 * Returns the load bias of a region's module: 0 for an executable that is not position-independent,
 * because it is mapped at the addresses in its file.
 */
static uint64_t bias_of(const struct histogram_region *r, uint64_t base, uint64_t end)
{
	return r->start >= base && r->start < end ? 0 : base;
}

int histogram_resolve(struct histogram *h, const char *maps, struct region_table **ret_table)
{
	struct call_region *regions = mem_new(h->regions ? h->regions : 1, sizeof(*regions));
	int r;

	if (!regions)
		return -ENOMEM;
	for (size_t i = 0; i < h->regions; i++) {
		struct histogram_region *from = &h->region[i];
		struct call_region *to = &regions[i];
		uint64_t base = 0, end = 0, bias = 0;

		if (from->object && !find_object(maps, from->object, &base, &end))
			continue; /* A region without bytes counts nothing. */
		from->seen = true;
		if (from->object)
			bias = bias_of(from, base, end);
		to->base = from->first * SELF_BYTES;
		to->bytes = from->counters * SELF_BYTES;
		to->offset = from->start + bias;
		/*
		 * An address keeps the index of its counter (region.h): if the counter becomes
		 * wider by a factor, the scale grows by the same factor.
		 */
		to->scale = is_bin(from) ? 2 : from->scale * (SELF_BYTES / from->element);
		to->limit = is_bin(from) ? 0 : from->end + bias;
	}
	r = region_table_new(CALL_NATIVE, 0, SELF_BYTES, regions, (uint32_t)h->regions, ret_table);
	free(regions);
	return r;
}

bool histogram_was_seen(const struct histogram *h, size_t index)
{
	return !h->region[index].object || h->region[index].seen;
}

void histogram_see_maps(struct histogram *h, struct process *process, const char *maps)
{
	struct region_table *table;

	if (!h || histogram_resolve(h, maps, &table) < 0)
		return;
	region_table_unref(process->histogram);
	process->histogram = table;
}

void histogram_fork(const struct process *parent, struct process *child)
{
	if (parent->histogram)
		child->histogram = region_table_ref(parent->histogram);
}

void histogram_clear(struct process *process)
{
	region_table_unref(process->histogram);
	process->histogram = NULL;
}

void histogram_tick(struct histogram *h, const struct process *process, uint64_t period_ns,
	uint64_t pc, uint64_t weight_ns)
{
	uint64_t ticks, *count;
	struct region_hit hit;

	if (!h || !process)
		return;
	h->rest_ns += weight_ns;
	ticks = h->rest_ns / period_ns;
	h->rest_ns -= ticks * period_ns;
	if (!ticks || !process->histogram || !region_look_up(process->histogram, NULL, pc, &hit))
		return;
	count = &h->count[hit.address / SELF_BYTES];
	*count = *count > UINT64_MAX - ticks ? UINT64_MAX : *count + ticks;
}

int histogram_print(const struct histogram *h, FILE *file)
{
	(void)fputs("object\tstart\tend\tcount\n", file);
	for (size_t i = 0; i < h->regions; i++) {
		const struct histogram_region *r = &h->region[i];
		const char *object = is_bin(r) ? "[overflow]" : r->object ? r->object : "abs";
		u128 unit = 65536 * (u128)r->element;
		uint64_t most = UINT64_MAX >> (64 - 8 * r->element);

		for (uint64_t k = 0; k < r->counters; k++) {
			uint64_t count = h->count[r->first + k];
			uint64_t from = r->start + (uint64_t)((k * unit + r->scale - 1) / r->scale);
			uint64_t to =
				r->start + (uint64_t)(((k + 1) * unit + r->scale - 1) / r->scale);

			if (!count)
				continue;
			if (is_bin(r))
				from = to = 0;
			(void)fprintf(file, "%s\t0x%" PRIx64 "\t0x%" PRIx64 "\t%" PRIu64 "\n",
				object, from, to > r->end ? r->end : to,
				count < most ? count : most);
		}
	}
	return fflush(file) == 0 && !ferror(file) ? 0 : -EIO;
}
