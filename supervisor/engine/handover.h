/* SPDX-License-Identifier: MIT */
/* Samples on their way to the analyst, and what it needs to make something of them. */
#ifndef SUPERVISOR_HANDOVER_H
#define SUPERVISOR_HANDOVER_H

#include <stdint.h>

struct engine;
struct record_sample;
struct tracee;
struct waiting;

/* Tells of the process, its maps and the thread's name, before a sample at @pc. The thread runs. */
void handover_announce(struct engine *engine, struct tracee *tracee, uint64_t pc, uint64_t now_ns);
/* A sample of @weight_ns; or its loss is counted. */
void handover_sample(struct engine *engine, struct tracee *tracee, struct record_sample *sample,
	uint64_t weight_ns, uint64_t now_ns);
/* The analyst has what the thread waited. */
void handover_paid(struct engine *engine, struct tracee *tracee, const struct waiting *paid);

#endif
