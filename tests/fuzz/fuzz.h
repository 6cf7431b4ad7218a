/* SPDX-License-Identifier: MIT */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* Runs one input. Returns 0; a fault is a crash or a sanitizer's report. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/*
 * Each entry says with fuzz_accept() that an input was accepted, and read to the end of a part of
 * the tested code, and gives these parts their numbers, which are below fuzz_parts. The replay of
 * the corpus fails if no input reaches the end of a part: a corpus that the code refuses, say
 * because a format has changed, tests nothing.
 */
extern const unsigned fuzz_parts;
__attribute__((weak)) uint32_t fuzz_accepted; /* a bit for each part */

static inline void fuzz_accept(unsigned part)
{
	fuzz_accepted |= UINT32_C(1) << part;
}

/*
 * An entry may make seeds of its own, with the codec that it tests, so that they follow changes of
 * the format. Writes seed @n to @ret_data, which has FUZZ_SEED_BYTES bytes, and returns its size.
 * 0: there is no seed @n.
 */
enum { FUZZ_SEED_BYTES = 65536 };
__attribute__((weak)) size_t fuzz_seed(unsigned n, uint8_t *ret_data);

#endif
