/* SPDX-License-Identifier: MIT */
/*
 * The figures up to now about the work of the supervisor (self_audit.h), collected from the parts
 * that count them.
 */
#ifndef SUPERVISOR_FIGURES_H
#define SUPERVISOR_FIGURES_H

#include <stdbool.h>
#include <stdint.h>

struct engine;

#define FIGURES_BYTES 3072

/* Prints the lines for the analyst (self_audit.h). False: they do not fit, and are cut off. */
bool figures_print(const struct engine *engine, uint64_t now_ns, char ret_text[FIGURES_BYTES]);

/*
 * Reports the CPU time of all threads, which is otherwise reported once a second. Then tells the
 * analyst to write the profile so far.
 */
void figures_snapshot(struct engine *engine);

#endif
