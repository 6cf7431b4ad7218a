/* SPDX-License-Identifier: MIT */
/* The loop of the tracing thread: waits for what is due next, and does it. */
#ifndef SUPERVISOR_ENGINE_LOOP_H
#define SUPERVISOR_ENGINE_LOOP_H

struct engine;

/* Samples until the run is over: its time, a request, or the last tracee's end. */
void engine_loop(struct engine *engine);

#endif
