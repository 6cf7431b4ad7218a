/* SPDX-License-Identifier: MIT */
/* Runtimes that generate code, by the name of the process. */
#ifndef PROFILE_RUNTIME_ADVICE_H
#define PROFILE_RUNTIME_ADVICE_H

/*
 * Returns a clause for messages: how to get names for the code that the runtime of a process with
 * this name generates. NULL: no known runtime.
 */
const char *runtime_advice(const char *process);

#endif
