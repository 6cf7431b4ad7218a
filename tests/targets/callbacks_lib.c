/* SPDX-License-Identifier: MIT */
/* The library of callbacks.c. With OTHER, functions at similar addresses have other names. */
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#ifdef OTHER
#define weigh     other_weigh
#define by_weight other_by_weight
#define sort_all  other_sort_all
#define find_all  other_find_all
#endif

#define NOINLINE __attribute__((noinline))
enum { NUMBERS = 512 };

unsigned callbacks_run(double seconds);

static volatile uint64_t sink;
/* The pointer avoids the header's inline version: it leads to libc's function. */
static void *(*volatile search)(
	const void *, const void *, size_t, size_t, int (*)(const void *, const void *)) = bsearch;

NOINLINE static int weigh(int number)
{
	volatile uint8_t local[256];

	for (unsigned i = 0; i < 1000; i++) {
		local[i % sizeof(local)] = (uint8_t)(i + (unsigned)number);
		sink += local[(i * 7) % sizeof(local)];
	}
	return number;
}

NOINLINE static int by_weight(const void *a, const void *b)
{
	int x = weigh(*(const int *)a), y = *(const int *)b;

	return x < y ? -1 : x > y;
}

NOINLINE static void sort_all(int *numbers)
{
	for (unsigned i = 0; i < NUMBERS; i++)
		numbers[i] = (int)(i * 2654435761U >> 8);
	qsort(numbers, NUMBERS, sizeof(*numbers), by_weight);
	sink += (uint64_t)numbers[7];
}

NOINLINE static void find_all(const int *numbers)
{
	for (unsigned i = 0; i < NUMBERS; i++)
		sink += search(&numbers[i], numbers, NUMBERS, sizeof(*numbers), by_weight) != NULL;
}

unsigned callbacks_run(double seconds)
{
	int numbers[NUMBERS];
	struct timespec used;

	do {
		sort_all(numbers);
		find_all(numbers);
		(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
	} while ((double)used.tv_sec + (double)used.tv_nsec / 1e9 < seconds);
	return (unsigned)(sink & 1);
}
