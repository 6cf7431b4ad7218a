/* SPDX-License-Identifier: MIT */
/*
 * Connects the parts of the engine: the callbacks by which the subfolders below it, and its files
 * among each other, report upward.
 */
#ifndef SUPERVISOR_CONNECT_H
#define SUPERVISOR_CONNECT_H

struct engine;

/* Call before any other use of the parts. Reads limits of the system; opens nothing. */
void connect_parts(struct engine *engine);

#endif
