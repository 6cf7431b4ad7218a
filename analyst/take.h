/* SPDX-License-Identifier: MIT */
/* Adds a record to the analyst and its profile. */
#ifndef ANALYST_TAKE_H
#define ANALYST_TAKE_H

#include <stdint.h>

struct analyst;
struct record;
struct record_memory;
struct record_sample;

/* 0, 1 at RECORD_END, or -ENOMEM. Calls the options' callbacks if a record requests that. */
int take_record(struct analyst *analyst, const struct record *rec);

/*
 * Has the sample, which was taken at @time_ns, all the memory of its process that its stack needs?
 * 0: yes; -EAGAIN: no, and it is to be requested (runtimes_send()); -ENOMEM.
 */
int take_probe(struct analyst *analyst, uint64_t time_ns, const struct record_sample *sample);
/* Memory of a process has come. -ENOMEM. */
int take_memory(struct analyst *analyst, uint64_t time_ns, const struct record_memory *memory);

#endif
