/* SPDX-License-Identifier: MIT */
#ifndef PROFILE_RUNTIME_ADVICE_H
#define PROFILE_RUNTIME_ADVICE_H

/*
 * Returns a clause for messages: how to get names for code that a language runtime generates.
 * @process is the name of the process, which tells its runtime. NULL: the name is of no known
 * runtime.
 */
const char *runtime_advice(const char *process);

#endif
