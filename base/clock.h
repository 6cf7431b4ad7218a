/* SPDX-License-Identifier: MIT */
/* Readings of the kernel's clocks, in ns. May run in the stop window. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

#define CLOCK_SECOND_NS UINT64_C(1000000000)

/* Reads a clock. 0: the clock does not exist any more, like that of a reaped process. */
uint64_t clock_read(clockid_t clock);

/* Reads CLOCK_MONOTONIC. */
uint64_t clock_now(void);

#endif
