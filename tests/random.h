/* SPDX-License-Identifier: MIT */
/* Random numbers that are the same in each run: a linear congruential generator of 64 bits. */
#ifndef TESTS_RANDOM_H
#define TESTS_RANDOM_H

#include <stdint.h>

/* The low bits are the least random. */
static inline uint64_t random_bits(uint64_t *seed)
{
	*seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return *seed;
}

/* Below 2^31. */
static inline uint32_t random_number(uint64_t *seed)
{
	return (uint32_t)(random_bits(seed) >> 33);
}

#endif
