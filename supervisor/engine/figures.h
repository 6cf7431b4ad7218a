/* SPDX-License-Identifier: MIT */
/* The audit's figures up to now, put together from all that count some. */
#ifndef SUPERVISOR_FIGURES_H
#define SUPERVISOR_FIGURES_H

#include <stdbool.h>
#include <stdint.h>

struct engine;

#define FIGURES_BYTES 2048

/* As lines for the analyst (audit.h). False: they do not fit; the text is empty then. */
bool figures_print(const struct engine *engine, uint64_t now_ns, char ret_text[FIGURES_BYTES]);

#endif
