/* SPDX-License-Identifier: MIT */
/*
 * Who takes what, and tells whom: what the rooms below the engine, and its files among each other,
 * tell upward by a callback.
 */
#ifndef SUPERVISOR_CONNECT_H
#define SUPERVISOR_CONNECT_H

struct engine;

/* Before anything else is done with the parts. Reads the limits of the system; opens nothing. */
void connect_parts(struct engine *engine);

#endif
