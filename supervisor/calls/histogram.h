/* SPDX-License-Identifier: MIT */
/*
 * Regions for programs that call nothing: the same mapping as sprofil's, with the counters in the
 * supervisor, summed over all processes.
 *
 * A region is named as "OBJ:START-END:SCALE[:ushort|uint|uint64]", for example
 * "libm.so.6:0x1f000-0x24000:0x10000:uint". OBJ is a module's file name or path and START and END
 * are addresses as in its ELF file; with OBJ "abs" they are those of the process. "abs:0-0:2" is an
 * overflow bin, which must be the last one.
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
	char *object; /* NULL: absolute */
	uint64_t start, end;
	uint32_t scale;
	unsigned element; /* bytes of a counter: what it can hold, and what the scale refers to */
	uint64_t first;   /* number of its first counter in histogram.count */
	uint64_t counters;
	bool seen; /* some process had the object */
};

struct histogram {
	struct histogram_region *region;
	size_t regions, region_room;
	unsigned element; /* bytes of a counter of regions that do not tell; 0: 2 */
	uint64_t *count;
	uint64_t counts;
	uint64_t rest_ns; /* weights that do not make up a tick yet */
};

/* Adds a region. -EINVAL: the text is no region; -E2BIG: too many regions or counters. */
int histogram_add(struct histogram *histogram, const char *text);
/* After the last one. -EINVAL: an overflow bin is not the last. */
int histogram_begin(struct histogram *histogram);
void histogram_release(struct histogram *histogram);

/*
 * The regions as they lie in a process whose /proc/PID/maps is @maps. Those of modules that it has
 * not mapped are empty.
 */
int histogram_resolve(
	struct histogram *histogram, const char *maps, struct region_table **ret_table);

/* Has a region's module been in any process? */
bool histogram_was_seen(const struct histogram *histogram, size_t index);

/* The maps of @process have been read; they are @maps. Nothing without a histogram (NULL). */
void histogram_see_maps(struct histogram *histogram, struct process *process, const char *maps);

/* @child has been forked from @parent: the regions lie there as they do in it. */
void histogram_fork(const struct process *parent, struct process *child);
/* The process is gone. */
void histogram_clear(struct process *process);

/*
 * An instant of the profile, which weighs @weight_ns, found a thread of @process at @pc; a tick is
 * @period_ns. Nothing without a histogram (NULL). May run in the stop window.
 */
void histogram_tick(struct histogram *histogram, const struct process *process, uint64_t period_ns,
	uint64_t pc, uint64_t weight_ns);

/*
 * One line for each counter that is not 0: "object start end count", tab-separated, after a line
 * with these names. The bin's object is "[overflow]". -EIO.
 */
int histogram_print(const struct histogram *histogram, FILE *file);

#endif
