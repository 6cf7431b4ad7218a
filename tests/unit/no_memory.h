/* SPDX-License-Identifier: MIT */
/*
 * Makes allocations fail. Linked with --wrap (no_memory_dep), so that all code of the test
 * allocates through no_memory.c.
 */
#ifndef TESTS_NO_MEMORY_H
#define TESTS_NO_MEMORY_H

/*
 * The allocation that fails, counted from now on: 1 is the next one. 0: none fails. When it has
 * failed, the variable is 0.
 */
extern unsigned long until_failure;

#endif
