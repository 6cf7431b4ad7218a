/* SPDX-License-Identifier: MIT */
/* The demo of run.sh: a second of work in three functions, most of it in the sieve. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { LIMIT = 1 << 18, ROUNDS = 1200 };

static uint8_t composite[LIMIT];

__attribute__((noinline)) static unsigned sieve(void)
{
	unsigned primes = 0;

	memset(composite, 0, sizeof(composite));
	for (unsigned i = 2; i < LIMIT; i++) {
		if (composite[i])
			continue;
		primes++;
		for (unsigned j = 2 * i; j < LIMIT; j += i)
			composite[j] = 1;
	}
	return primes;
}

__attribute__((noinline)) static uint64_t checksum(const uint8_t *p, size_t n)
{
	uint64_t sum = 14695981039346656037U;

	while (n--)
		sum = (sum ^ *p++) * 1099511628211U;
	return sum;
}

__attribute__((noinline)) static unsigned longest_collatz(unsigned below)
{
	unsigned best = 0, longest = 0;

	for (unsigned i = 1; i < below; i++) {
		unsigned steps = 0;

		for (uint64_t n = i; n != 1; steps++)
			n = n & 1 ? 3 * n + 1 : n / 2;
		if (steps > longest) {
			longest = steps;
			best = i;
		}
	}
	return best;
}

int main(void)
{
	uint64_t sum = 0;
	unsigned primes = 0, start = 0;

	for (unsigned i = 0; i < ROUNDS; i++) {
		primes = sieve();
		sum += checksum(composite, sizeof(composite));
		start = longest_collatz(3000);
	}
	printf("%u primes, longest Collatz run from %u, checksum %016llx\n", primes, start,
		(unsigned long long)sum);
	return 0;
}
