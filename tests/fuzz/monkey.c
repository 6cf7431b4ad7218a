/* SPDX-License-Identifier: MIT */
/*
 * monkey KEYS [SEED]: gives the live view (fuzz_live.c) KEYS random keys and resizes, a new view
 * after each thousand. Most of the keys have a meaning.
 */
#include <stdio.h>
#include <stdlib.h>

#include "tests/fuzz/fuzz.h"
#include "tests/random.h"

enum { SITTING = 1000 };

int main(int argc, char **argv)
{
	static const char keys[] =
		"hkjnN/\\L<>IlgHoaA+-*ECtdpfrziKws[]O\r\r\r\x1b\x1b\x1b\t q0135.ew_";
	unsigned long left = argc > 1 ? strtoul(argv[1], NULL, 10) : 5000;
	uint64_t state = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;

	for (unsigned long sittings = 1; left; sittings++) {
		uint8_t data[SITTING];
		size_t n = left < SITTING ? left : SITTING;

		for (size_t i = 0; i < n; i++) {
			uint32_t r = random_number(&state);

			data[i] = r % 8 < 5 ? (uint8_t)keys[(r >> 8) % (sizeof(keys) - 1)]
					    : (uint8_t)(r >> 8);
		}
		(void)LLVMFuzzerTestOneInput(data, n);
		left -= n;
		if (sittings % 20 == 0)
			printf("%lu keys are left\n", left);
	}
	return 0;
}
