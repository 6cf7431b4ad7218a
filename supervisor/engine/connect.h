/* SPDX-License-Identifier: MIT */
/*
 * Sets the callbacks of the engine's parts: with them the folders below the engine (target, calls,
 * …) call it, and some of its files call each other.
 */
#ifndef SUPERVISOR_CONNECT_H
#define SUPERVISOR_CONNECT_H

struct engine;

/*
 * Call before any other use of the engine's parts. Also reads the limit of open files, and finds
 * out which files and calls the kernel offers. Leaves no file open.
 */
void connect_parts(struct engine *engine);

#endif
