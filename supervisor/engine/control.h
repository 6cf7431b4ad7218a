/* SPDX-License-Identifier: MIT */
/* Control of the engine from outside: signals, and requests of the analyst. */
#ifndef SUPERVISOR_CONTROL_H
#define SUPERVISOR_CONTROL_H

struct engine;

/* Reads the pending signals from engine->signal_fd, and handles them. */
void control_signals(struct engine *engine);
/* Handles the analyst's pending requests, a bounded number of them. */
void control_requests(struct engine *engine);

#endif
