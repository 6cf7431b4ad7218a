/* SPDX-License-Identifier: MIT */
/* A thread's accounts of CPU time (cpu_account.h) and of waiting time (blocked_scan.h). */
#ifndef SUPERVISOR_COUNTING_H
#define SUPERVISOR_COUNTING_H

#include <stdbool.h>

struct engine;
struct tracee;

/* Begins a thread's accounts now. @newborn: it has used no CPU time yet. */
void counting_begin(struct engine *engine, struct tracee *tracee, bool newborn);
/* Closes the accounts at the kernel's current figures. */
void counting_close(struct engine *engine, struct tracee *tracee);
/* Begins or ends counting for all threads. */
void counting_set(struct engine *engine, bool counting);
/*
 * Stops or starts sampling, as the live view or a server wants. It starts only after the end of
 * --delay, and not while one file ends and the next one begins (--rotate).
 */
void counting_freeze(struct engine *engine, bool frozen);
/*
 * Ends counting: closes all accounts, and reports the CPU time and waiting time for which the
 * analyst has no sample.
 */
void counting_settle(struct engine *engine);

#endif
