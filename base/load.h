/* SPDX-License-Identifier: MIT */
/* Integers at any address, aligned or not, in this machine's byte order. */
#ifndef BASE_LOAD_H
#define BASE_LOAD_H

#include <stdint.h>
#include <string.h>

static inline uint16_t load_u16(const void *from)
{
	uint16_t value;

	memcpy(&value, from, sizeof(value));
	return value;
}

static inline uint32_t load_u32(const void *from)
{
	uint32_t value;

	memcpy(&value, from, sizeof(value));
	return value;
}

static inline uint64_t load_u64(const void *from)
{
	uint64_t value;

	memcpy(&value, from, sizeof(value));
	return value;
}

#endif
