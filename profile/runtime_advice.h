/* SPDX-License-Identifier: MIT */
/* Runtimes that generate code, by the name of the process. */
#ifndef PROFILE_RUNTIME_ADVICE_H
#define PROFILE_RUNTIME_ADVICE_H

/*
 * Returns a clause that says how the runtime of a process with this name can be made to name the
 * code that it generates; NULL: no known runtime.
 */
const char *runtime_advice(const char *process);

#endif
