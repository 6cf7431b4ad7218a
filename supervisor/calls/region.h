/* SPDX-License-Identifier: MIT */
/*
 * From a program counter to the counter that it belongs to: the arithmetic and the region selection
 * of sprofil(2) and profil(2), for each dialect. Pure; the look-up neither allocates nor fails and
 * may run in the stop window.
 *
 * A region of buffer size B, offset O and scale S with counters of E bytes has n = B / E counters.
 * Address O + d belongs to counter floor(d * S / (65536 * E)), if that is below n.
 */
#ifndef SUPERVISOR_REGION_H
#define SUPERVISOR_REGION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/call.h"

enum region_overflow {
	REGION_SATURATE,      /* a full counter stays as it is (HP-UX) */
	REGION_STOP_AT_32767, /* all profiling stops when a counter reaches 32767 (System V) */
};

enum region_bins {
	REGION_NO_BINS,
	REGION_BINS, /* offset 0 and scale 2: takes whatever matches nothing else */
};

/* What the manuals disagree about. */
struct region_policy {
	const char *name;
	uint32_t scale_mask;
	bool scale_one_takes_all; /* scale 1 counts every address in the first counter; else: off */
	bool in_order; /* the first region that ends above the address; else: the greatest
			  offset, and the first of equals */
	enum region_bins bins;
	enum region_overflow overflow;
	bool fault_stops_all; /* a counter out of reach turns off everything; else: its region */
};

/* Never NULL for @dialect < CALL_DIALECTS. */
const struct region_policy *region_policy(enum call_dialect dialect);

#define REGION_NONE UINT32_MAX

struct region_span {
	uint64_t first, last; /* addresses, both included */
	uint32_t region;
};

/* Immutable once made: the sessions of a process and of its forked children share it. */
struct region_table {
	enum call_dialect dialect;
	const struct region_policy *policy;
	uint32_t flags;
	unsigned element; /* bytes of a counter */
	uint64_t period_ns;
	unsigned references;
	uint32_t count;
	struct call_region *region;
	uint32_t spans; /* disjoint, ascending; at most 2 * count */
	struct region_span *span;
	uint32_t bin; /* the overflow bin, or REGION_NONE */
};

struct region_hit {
	uint32_t region;  /* number in the table */
	uint64_t index;   /* counter of that region */
	uint64_t address; /* of that counter in the target */
};

/*
 * Makes a table of @count <= CALL_MAX_REGIONS regions, which are copied; one reference is the
 * caller's. @element is 2, 4 or 8. Returns 0, -EINVAL (also for the buffer of an enabled region
 * that wraps around the address space) or -ENOMEM.
 */
int region_table_new(enum call_dialect dialect, uint32_t flags, unsigned element,
	const struct call_region *regions, uint32_t count, struct region_table **ret_table);

/* A table like @table without the regions of @dead; the numbers of the others stay. */
int region_table_without(
	const struct region_table *table, const uint8_t *dead, struct region_table **ret_table);

struct region_table *region_table_ref(struct region_table *table);
/* Frees the table with the last reference. NULL is allowed. */
void region_table_unref(struct region_table *table);

/* Whether any address at all can be counted. */
bool region_table_is_active(const struct region_table *table);

/*
 * The counter that @pc belongs to. @dead, if not NULL, has a bit for each region, set when it has
 * been turned off; such a region is treated as if it were not in the table. False: nowhere.
 */
bool region_look_up(const struct region_table *table, const uint8_t *dead, uint64_t pc,
	struct region_hit *ret_hit);

#endif
