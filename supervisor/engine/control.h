/* SPDX-License-Identifier: MIT */
/* What the engine is told from outside: signals, and requests of the analyst. */
#ifndef SUPERVISOR_CONTROL_H
#define SUPERVISOR_CONTROL_H

struct engine;

/* Reads what has come by the signal descriptor; by the analyst's request pipe. */
void control_signals(struct engine *engine);
void control_requests(struct engine *engine);

/* The profile so far is to be written. */
void control_snapshot(struct engine *engine);

#endif
