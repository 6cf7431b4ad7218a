/* SPDX-License-Identifier: MIT */
/*
 * Maps a program counter to the element of a table that counts it, by the rules of sprofil(2) and
 * profil(2). A dialect has the rules of one system (enum call_dialect). The look-up neither
 * allocates nor fails, and may run in the stop window, while a thread waits to be resumed.
 *
 * A region of buffer size B, offset O and scale S with counters of E bytes has n = B / E counters.
 * Address O + d belongs to counter floor(d * S / (65536 * E)) if that is below n.
 */
#ifndef SUPERVISOR_REGION_H
#define SUPERVISOR_REGION_H

#include <stdbool.h>
#include <stdint.h>

#include "proto/call.h"

enum region_overflow {
	REGION_SATURATE,      /* a full counter keeps its value (HP-UX) */
	REGION_STOP_AT_32767, /* all profiling stops when a counter reaches 32767 (System V) */
};

enum region_bins {
	REGION_NO_BINS,
	REGION_BINS, /* a region of offset 0 and scale 2 is an overflow bin */
};

/* The rules on which the manuals of the systems (HP-UX, IRIX, AIX, System V, glibc) differ. */
struct region_policy {
	const char *name;
	uint32_t scale_mask; /* the bits of a scale that are used */
	/* true: scale 1 counts every address in the first counter; false: it turns a region off */
	bool scale_one_takes_all;
	/*
	 * Which of several regions counts an address? true: the first region in the table that ends
	 * above the address. false: the region with the greatest offset; if several have that
	 * offset, the first of them.
	 */
	bool in_order;
	enum region_bins bins;
	enum region_overflow overflow;
	/* true: an inaccessible counter turns off the whole table; false: only its region */
	bool fault_stops_all;
};

/* Returns the rules of @dialect, which must be less than CALL_DIALECTS. */
const struct region_policy *region_policy(enum call_dialect dialect);

#define REGION_NONE UINT32_MAX

struct region_span {
	uint64_t first, last; /* addresses, both inclusive */
	uint32_t region;
};

/* Immutable: the sessions of a process and of its forked children share it. */
struct region_table {
	enum call_dialect dialect;
	const struct region_policy *policy;
	uint32_t flags;
	unsigned element; /* bytes of a counter */
	uint64_t period_ns;
	unsigned references;
	uint32_t count;
	struct call_region *region;
	uint32_t spans; /* number of spans (disjoint, ascending): at most 2 * count */
	struct region_span *span;
	uint32_t bin; /* index of the overflow bin, or REGION_NONE */
};

struct region_hit {
	uint32_t region;  /* index in the table */
	uint64_t index;   /* index of the counter in that region */
	uint64_t address; /* address of that counter in the target */
};

/*
 * Creates a table of @count <= CALL_MAX_REGIONS regions, which are copied. @element is 2, 4 or 8.
 * The caller owns a reference. 0; -EINVAL: an argument is out of range, or an enabled region's
 * buffer wraps around the address space; -ENOMEM.
 */
int region_table_new(enum call_dialect dialect, uint32_t flags, unsigned element,
	const struct call_region *regions, uint32_t count, struct region_table **ret_table);

/* Copies @table without the regions whose bit in @dead is set; the others keep their indices. */
int region_table_without(
	const struct region_table *table, const uint8_t *dead, struct region_table **ret_table);

struct region_table *region_table_ref(struct region_table *table);
/* @table may be NULL. */
void region_table_unref(struct region_table *table);

/* Can any address be counted at all? */
bool region_table_is_active(const struct region_table *table);

/* Finds the counter of @pc; ignores regions whose bit in @dead (or NULL) is set. False: none. */
bool region_look_up(const struct region_table *table, const uint8_t *dead, uint64_t pc,
	struct region_hit *ret_hit);

#endif
