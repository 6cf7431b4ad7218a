/* SPDX-License-Identifier: MIT */
/* Quantities on command lines. Each function parses the whole text: 0, or -EINVAL. */
#ifndef BASE_UNITS_H
#define BASE_UNITS_H

#include <stddef.h>
#include <stdint.h>

/* Parses "10s", "500ms", "1.5m", "1h", "250us", "40ns", "2" (seconds): from 1 ns to 1e18 ns. */
int units_time_ns(const char *text, uint64_t *ret_ns);

/* Parses "250", "1000hz", "4k": a rate from 0.01 to 100,000 Hz, converted to its period in ns. */
int units_rate_period_ns(const char *text, uint64_t *ret_period_ns);

/* Parses "2", "0.5%": from 0.001 to 100 %, converted to millionths. */
int units_percent_ppm(const char *text, uint32_t *ret_ppm);

/* Parses "64K", "1M", "4096": bytes; K, M and G are powers of 1024. From 1 to 1e18. */
int units_size_bytes(const char *text, uint64_t *ret_bytes);

/* Parses "123" or "1,2,3": positive numbers. The caller frees *@ret_list. Also -ENOMEM. */
int units_pids(const char *text, int **ret_list, size_t *ret_n);

#endif
