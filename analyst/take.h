/* SPDX-License-Identifier: MIT */
#ifndef ANALYST_TAKE_H
#define ANALYST_TAKE_H

#include <stdint.h>

struct analyst;
struct record;
struct record_memory;
struct record_sample;

/* Adds a record, and calls the callback that it requests. 0; 1: it was RECORD_END; -ENOMEM. */
int take_record(struct analyst *analyst, const struct record *rec);

/* Is the memory to unwind a sample there? 0: yes; -EAGAIN: peek_send() requests it; -ENOMEM. */
int take_probe(struct analyst *analyst, uint64_t time_ns, const struct record_sample *sample);
/* Copies the answer to a request for memory. -ENOMEM. */
int take_memory(struct analyst *analyst, uint64_t time_ns, const struct record_memory *memory);

#endif
