/* SPDX-License-Identifier: MIT */
/*
 * Allocations that fail. Linked with --wrap (no_memory_dep), so that all that is linked into the
 * test allocates through this.
 */
#ifndef TESTS_NO_MEMORY_H
#define TESTS_NO_MEMORY_H

/* The allocation with this number from now on fails, and sets this to 0; 0: none fails. */
extern unsigned long until_failure;

#endif
