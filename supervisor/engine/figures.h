/* SPDX-License-Identifier: MIT */
/* The audit's figures up to now, collected from the parts that count them. */
#ifndef SUPERVISOR_FIGURES_H
#define SUPERVISOR_FIGURES_H

#include <stdbool.h>
#include <stdint.h>

struct engine;

#define FIGURES_BYTES 3072

/*
 * Prints to @ret_text the lines that the analyst gets (self_audit.h). False: they do not fit, and
 * @ret_text is empty.
 */
bool figures_print(const struct engine *engine, uint64_t now_ns, char ret_text[FIGURES_BYTES]);

/*
 * Requests that the profile so far be written. First sends the analyst the CPU time of all threads,
 * which it otherwise gets once a second.
 */
void figures_snapshot(struct engine *engine);

#endif
