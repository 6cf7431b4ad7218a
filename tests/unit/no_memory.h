/* SPDX-License-Identifier: MIT */
/* Makes allocations fail, in a program linked with --wrap (no_memory_dep of meson.build). */
#ifndef TESTS_NO_MEMORY_H
#define TESTS_NO_MEMORY_H

/* The number of the allocation that fails, from now on: 1 is the next. 0: none, or it failed. */
extern unsigned long until_failure;

#endif
