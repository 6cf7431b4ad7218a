/* SPDX-License-Identifier: MIT */
/* Adds a record to the analyst and its profile. */
#ifndef ANALYST_TAKE_H
#define ANALYST_TAKE_H

#include <stdint.h>

struct analyst;
struct record;
struct record_memory;
struct record_sample;

/*
 * Adds a record, and calls the callback of struct analyst_options that it requests, if any. 0; 1:
 * it was RECORD_END; -ENOMEM.
 */
int take_record(struct analyst *analyst, const struct record *rec);

/*
 * Does the analyst have all memory that is needed to unwind a sample of @time_ns? 0: yes; -EAGAIN:
 * no, the caller is to send the request (runtimes_each() with peek_send()); -ENOMEM.
 */
int take_probe(struct analyst *analyst, uint64_t time_ns, const struct record_sample *sample);
/* Keeps a part of a process's memory: the answer to a request. -ENOMEM. */
int take_memory(struct analyst *analyst, uint64_t time_ns, const struct record_memory *memory);

#endif
