/* SPDX-License-Identifier: MIT */
/* Runtimes that generate code, by the name of the process. */
#ifndef PROFILE_RUNTIME_ADVICE_H
#define PROFILE_RUNTIME_ADVICE_H

/* How to have the runtime name the code that it generates, a clause; NULL: unknown. */
const char *runtime_advice(const char *process);

#endif
