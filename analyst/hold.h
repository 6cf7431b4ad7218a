/* SPDX-License-Identifier: MIT */
/*
 * Records that wait, in their order, because a stack among them needs memory of the target that has
 * been requested (peek.h). Without such a runtime in the target nothing ever waits.
 */
#ifndef ANALYST_HOLD_H
#define ANALYST_HOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct analyst;
struct record;

struct hold {
	uint8_t *data; /* records, back to back, from data_begin on */
	size_t data_room, data_begin, data_end;
	struct held {
		uint32_t bytes;
		bool ready; /* it needs nothing */
	} * list;           /* of these, from begin on */
	size_t room, begin, end;
	uint64_t tried_ns; /* time of the record at which they were tried last */
};

void hold_release(struct hold *hold);

/*
 * Takes a record, or lets it wait. 1: RECORD_END was taken, and all before it; 0; -ENOMEM.
 * @data: the record @rec as it came.
 */
int hold_record(
	struct analyst *analyst, const uint8_t *data, size_t bytes, const struct record *rec);
/* Nothing more will come: takes all. -ENOMEM. */
int hold_flush(struct analyst *analyst);

#endif
