/* SPDX-License-Identifier: MIT */
/* Quantities on command lines. Each function parses the whole text and returns 0 or -EINVAL. */
#ifndef BASE_UNITS_H
#define BASE_UNITS_H

#include <stddef.h>
#include <stdint.h>

/* Parses a time from 1 to 1e18 ns: "10s", "500ms", "1.5m", "1h", "250us", "40ns", "2" (seconds). */
int units_time_ns(const char *text, uint64_t *ret_ns);

/* Parses a rate from 0.01 to 100,000 Hz ("250", "1000hz", "4k"), and gives its period in ns. */
int units_rate_period_ns(const char *text, uint64_t *ret_period_ns);

/* Parses a percentage from 0.001 to 100 ("2", "0.5%"), and gives it in millionths. */
int units_percent_ppm(const char *text, uint32_t *ret_ppm);

/* Parses a size from 1 to 1e18 bytes ("64K", "1M", "4096"); K, M and G are powers of 1024. */
int units_size_bytes(const char *text, uint64_t *ret_bytes);

/* Parses positive numbers: "123" or "1,2,3". The caller frees *@ret_list. Or returns -ENOMEM. */
int units_pids(const char *text, int **ret_list, size_t *ret_n);

#endif
