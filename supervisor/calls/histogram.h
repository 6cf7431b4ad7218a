/* SPDX-License-Identifier: MIT */
/*
 * --region: regions for programs that call neither sprofil nor profil. Addresses have counters as
 * in sprofil(2); the counters are in the supervisor, and count for all processes together.
 *
 * A region is "OBJ:START-END:SCALE[:ushort|uint|uint64]", for example
 * "libm.so.6:0x1f000-0x24000:0x10000:uint". OBJ is a module's file name or path, and START and END
 * are addresses as in its ELF file; with OBJ "abs" they are runtime addresses. "abs:0-0:2" is an
 * overflow bin, which must be the last region.
 */
#ifndef SUPERVISOR_HISTOGRAM_H
#define SUPERVISOR_HISTOGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "supervisor/calls/region.h"

struct process;

struct histogram_region {
	/* a module's file name or path; NULL: @start and @end are runtime addresses */
	char *object;
	uint64_t start, end;
	uint32_t scale;
	/* bytes of a counter, which bound its value; region.h says how @scale depends on them */
	unsigned element;
	uint64_t first; /* index of its first counter in histogram.count */
	uint64_t counters;
	bool seen; /* some process had the object mapped */
};

struct histogram {
	struct histogram_region *region;
	size_t regions, region_room;
	unsigned element; /* bytes of a counter in regions that do not name its width; 0 means 2 */
	uint64_t *count;
	uint64_t counts;
	uint64_t rest_ns; /* weight that has not made a whole tick yet */
};

/*
 * Adds a region. -EINVAL: @text is not a region; -E2BIG: too many regions or counters; -ENOMEM. On
 * failure nothing has changed.
 */
int histogram_add(struct histogram *histogram, const char *text);
/*
 * Allocates the counters; to be called after the last histogram_add(). 0; -EINVAL: an overflow bin
 * is not the last region; -ENOMEM.
 */
int histogram_begin(struct histogram *histogram);
void histogram_release(struct histogram *histogram);

/*
 * Returns the regions at their addresses in a process whose /proc/PID/maps is @maps. Regions of
 * modules that are not mapped are empty.
 */
int histogram_resolve(
	struct histogram *histogram, const char *maps, struct region_table **ret_table);

/* Did any process have the region's module mapped? */
bool histogram_was_seen(const struct histogram *histogram, size_t index);

/*
 * Finds the regions of @process in @maps, its /proc/PID/maps as just read. If that fails, the
 * process keeps those that it had. Does nothing without a histogram (NULL).
 */
void histogram_see_maps(struct histogram *histogram, struct process *process, const char *maps);

/* Gives @child, which was forked from @parent, the region addresses of @parent. */
void histogram_fork(const struct process *parent, struct process *child);
/* Forgets the regions of a process that is gone. */
void histogram_clear(struct process *process);

/*
 * Counts an instant of the profile that weighs @weight_ns and has found a thread of @process at
 * @pc; a tick is @period_ns. Does nothing without a histogram (NULL). May run in the stop window.
 */
void histogram_tick(struct histogram *histogram, const struct process *process, uint64_t period_ns,
	uint64_t pc, uint64_t weight_ns);

/*
 * Prints one line for each counter that is not 0, "object start end count", tab-separated, after a
 * line with these names. The object of the overflow bin is "[overflow]". 0 or -EIO.
 */
int histogram_print(const struct histogram *histogram, FILE *file);

#endif
