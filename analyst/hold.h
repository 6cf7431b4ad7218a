/* SPDX-License-Identifier: MIT */
/*
 * Records that wait. A sample of a Java program may need memory of the target (peek.h) before it
 * can be taken. Until the memory comes, the sample and all later records wait, as records are taken
 * in order.
 */
#ifndef ANALYST_HOLD_H
#define ANALYST_HOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct analyst;
struct record;

struct hold {
	uint8_t *data; /* waiting records, from data_begin to data_end; owned */
	size_t data_room, data_begin, data_end;
	struct held {
		uint32_t bytes;
		/* the record's memory is there: the record waits only for those before it */
		bool ready;
	} * list; /* by record, from begin to end; owned */
	size_t room, begin, end;
	/* when the waiting records were last tried, on the records' clock */
	uint64_t tried_ns;
};

void hold_release(struct hold *hold);

/*
 * Takes a record (take.h), or keeps a copy of @data to take it later. 1: RECORD_END was taken; 0:
 * it was not; -ENOMEM.
 */
int hold_record(
	struct analyst *analyst, const uint8_t *data, size_t bytes, const struct record *rec);
/* Takes all waiting records, as no more will come. 1: RECORD_END was among them; 0; -ENOMEM. */
int hold_flush(struct analyst *analyst);

#endif
