/* SPDX-License-Identifier: MIT */
/*
 * Makes allocations fail. Linked with --wrap (no_memory_dep), so that all code of the test
 * allocates through no_memory.c.
 */
#ifndef TESTS_NO_MEMORY_H
#define TESTS_NO_MEMORY_H

/* The number, from now on, of the allocation that fails, which sets this to 0. 0: none fails. */
extern unsigned long until_failure;

#endif
