/* SPDX-License-Identifier: MIT */
/* Runtimes that generate code, by the name of the process. */
#ifndef PROFILE_RUNTIMES_H
#define PROFILE_RUNTIMES_H

/* How to have the runtime name the code that it generates, a clause; NULL: it is not known. */
const char *runtimes_way_out(const char *process);

#endif
