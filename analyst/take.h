/* SPDX-License-Identifier: MIT */
/* Adds a record to the analyst and its profile. */
#ifndef ANALYST_TAKE_H
#define ANALYST_TAKE_H

#include <stdint.h>

struct analyst;
struct record;
struct record_memory;
struct record_sample;

/* Adds a record. 0; 1: it was RECORD_END; -ENOMEM. Calls the options' callbacks if it says so. */
int take_record(struct analyst *analyst, const struct record *rec);

/*
 * Is all the memory there that is needed to unwind a sample of @time_ns? 0: yes; -EAGAIN: no, the
 * caller is to request it (runtimes_send()); -ENOMEM.
 */
int take_probe(struct analyst *analyst, uint64_t time_ns, const struct record_sample *sample);
/* Keeps memory of a process that was requested. -ENOMEM. */
int take_memory(struct analyst *analyst, uint64_t time_ns, const struct record_memory *memory);

#endif
