/* SPDX-License-Identifier: MIT */
/*
 * --region: regions for programs that call neither sprofil nor profil. The counters follow
 * sprofil(2), but are in the supervisor, one set for all processes.
 *
 * A region is "OBJ:START-END:SCALE[:ushort|uint|uint64]", for example
 * "libm.so.6:0x1f000-0x24000:0x10000:uint". OBJ is a module's file name or path; START and END are
 * addresses as in its ELF file. If OBJ is "abs", START and END are runtime addresses. SCALE maps
 * addresses to counters (region.h). "abs:0-0:2" is an overflow bin: it counts the ticks outside of
 * all regions, and must be the last region.
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
	char *object; /* OBJ; NULL: "abs" */
	uint64_t start, end;
	uint32_t scale;
	unsigned element; /* bytes of a counter as requested: they limit the value printed */
	uint64_t first;   /* index of the first counter in histogram.count */
	uint64_t counters;
	bool seen; /* some process had the object mapped */
};

struct histogram {
	struct histogram_region *region;
	size_t regions, region_room;
	unsigned element; /* bytes of a counter in regions that name no width; 0 means 2 */
	uint64_t *count;
	uint64_t counts;
	uint64_t rest_ns; /* weights of hits not counted as ticks yet, in ns; less than a tick */
};

/*
 * Adds the region that @text describes. 0; or, without a change, -EINVAL: @text is wrong; -E2BIG:
 * there are too many regions or counters; -ENOMEM.
 */
int histogram_add(struct histogram *histogram, const char *text);
/* Call after the last histogram_add(). 0; -EINVAL: a region follows an overflow bin; -ENOMEM. */
int histogram_begin(struct histogram *histogram);
void histogram_release(struct histogram *histogram);

/*
 * Makes a table of the regions at their addresses in a process whose /proc/PID/maps is @maps.
 * Regions of modules that are not mapped are empty. 0; -EINVAL: region_table_new() refuses the
 * regions; -ENOMEM.
 */
int histogram_resolve(
	struct histogram *histogram, const char *maps, struct region_table **ret_table);

/* Did any process have the region's module mapped? True for "abs". */
bool histogram_was_seen(const struct histogram *histogram, size_t index);

/*
 * Finds the regions of @process in @maps, its /proc/PID/maps as just read. On failure it keeps the
 * regions that it had. Does nothing if @histogram is NULL.
 */
void histogram_see_maps(struct histogram *histogram, struct process *process, const char *maps);

void histogram_fork(const struct process *parent, struct process *child);
void histogram_clear(struct process *process);

/*
 * Counts a hit of the --region stream: a thread of @process was at @pc, and the hit weighs
 * @weight_ns. A tick is @period_ns. Does nothing if @histogram is NULL. May run in the stop window.
 */
void histogram_tick(struct histogram *histogram, const struct process *process, uint64_t period_ns,
	uint64_t pc, uint64_t weight_ns);

/*
 * Prints a heading, and a line for each counter that is not 0: "object start end count", separated
 * by tabs. The object of the overflow bin is "[overflow]". 0 or -EIO.
 */
int histogram_print(const struct histogram *histogram, FILE *file);

#endif
