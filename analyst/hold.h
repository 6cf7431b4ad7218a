/* SPDX-License-Identifier: MIT */
/*
 * Records that wait, in their order, because the stack of one of them needs memory of the target
 * that has been requested (peek.h). Only a runtime that unwinds its own code (Java) requests
 * memory; without such a runtime nothing ever waits.
 */
#ifndef ANALYST_HOLD_H
#define ANALYST_HOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct analyst;
struct record;

struct hold {
	uint8_t *data; /* records, one after the other, from data_begin to data_end; owned */
	size_t data_room, data_begin, data_end;
	struct held {
		uint32_t bytes;
		bool ready; /* the record needs no memory: it waits only for those before it */
	} * list;           /* one for each record, from begin to end; owned */
	size_t room, begin, end;
	/* time of the record that came when the waiting ones were last tried */
	uint64_t tried_ns;
};

void hold_release(struct hold *hold);

/*
 * Adds a record to the profile, or lets it wait. 1: RECORD_END was added, and all records before
 * it; 0; -ENOMEM. @data: the bytes of the record @rec; copied if it waits.
 */
int hold_record(
	struct analyst *analyst, const uint8_t *data, size_t bytes, const struct record *rec);
/* Adds all waiting records, as no more will come. 1: RECORD_END was among them; 0; -ENOMEM. */
int hold_flush(struct analyst *analyst);

#endif
