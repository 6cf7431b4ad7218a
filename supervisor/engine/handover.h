/* SPDX-License-Identifier: MIT */
/* Sends samples to the analyst, with what the analyst needs to interpret them. */
#ifndef SUPERVISOR_HANDOVER_H
#define SUPERVISOR_HANDOVER_H

#include <stdint.h>

struct engine;
struct record_sample;
struct tracee;
struct waiting;

/*
 * Call before a sample at @pc is sent: sends the process, its maps and the thread's name, unless
 * the analyst has them. Do not call in a stop window.
 */
void handover_announce(struct engine *engine, struct tracee *tracee, uint64_t pc, uint64_t now_ns);
/* Sends a sample that weighs @weight_ns, or counts its loss. */
void handover_sample(struct engine *engine, struct tracee *tracee, struct record_sample *sample,
	uint64_t weight_ns, uint64_t now_ns);
/* Notes that the thread's waiting time @paid was reported. */
void handover_paid(struct engine *engine, struct tracee *tracee, const struct waiting *paid);

#endif
