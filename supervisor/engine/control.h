/* SPDX-License-Identifier: MIT */
/* Control of the engine from outside: signals, and requests of the analyst. */
#ifndef SUPERVISOR_CONTROL_H
#define SUPERVISOR_CONTROL_H

struct engine;

/* Reads pending signals from the signal descriptor, or requests from the analyst's pipe. */
void control_signals(struct engine *engine);
void control_requests(struct engine *engine);

#endif
