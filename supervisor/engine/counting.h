/* SPDX-License-Identifier: MIT */
/* When a thread's accounts begin and end, of CPU time (account.h) and of waiting time (look.h). */
#ifndef SUPERVISOR_COUNTING_H
#define SUPERVISOR_COUNTING_H

#include <stdbool.h>

struct engine;
struct tracee;

/* Begins a thread's accounts now; a newborn has used nothing. */
void counting_begin(struct engine *engine, struct tracee *tracee, bool newborn);
/* Closes them at what the kernel says now. */
void counting_close(struct engine *engine, struct tracee *tracee);
/* Begins or ends the counting, for all. */
void counting_set(struct engine *engine, bool counting);
/* Closes the accounts of all that live, for good. */
void counting_settle(struct engine *engine);

#endif
