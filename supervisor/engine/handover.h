/* SPDX-License-Identifier: MIT */
/* Sends samples to the analyst, with what the analyst needs to interpret them. */
#ifndef SUPERVISOR_HANDOVER_H
#define SUPERVISOR_HANDOVER_H

#include <stdint.h>

struct engine;
struct record_sample;
struct tracee;
struct waiting;

/* Sends the process, its maps and the thread's name, before a sample at @pc. The thread runs. */
void handover_announce(struct engine *engine, struct tracee *tracee, uint64_t pc, uint64_t now_ns);
/* Sends a sample of @weight_ns, or counts its loss. */
void handover_sample(struct engine *engine, struct tracee *tracee, struct record_sample *sample,
	uint64_t weight_ns, uint64_t now_ns);
/* Notes that the analyst has got the waiting time @paid of the thread. */
void handover_paid(struct engine *engine, struct tracee *tracee, const struct waiting *paid);

#endif
