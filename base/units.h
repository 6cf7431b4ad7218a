/* SPDX-License-Identifier: MIT */
/* Quantities on command lines. Each parses the whole text, or returns -EINVAL. */
#ifndef BASE_UNITS_H
#define BASE_UNITS_H

#include <stddef.h>
#include <stdint.h>

/*
 * "10s", "500ms", "2m", "1h", "250us", "40ns"; a bare number is in seconds. Fractions are allowed.
 */
int units_time_ns(const char *text, uint64_t *ret_ns);

/* "250", "1000hz", "4k": ticks per second, converted to the period in ns. */
int units_rate_period_ns(const char *text, uint64_t *ret_period_ns);

/* "2", "0.5%": converted to millionths, at most 100 %. */
int units_percent_ppm(const char *text, uint32_t *ret_ppm);

/* "64K", "1M", "4096": bytes, in powers of 1024. */
int units_size_bytes(const char *text, uint64_t *ret_bytes);

/* "123" or "1,2,3": positive numbers. *ret_list is freed by the caller. -ENOMEM. */
int units_pids(const char *text, int **ret_list, size_t *ret_n);

#endif
