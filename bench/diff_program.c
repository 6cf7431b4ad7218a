/* SPDX-License-Identifier: MIT */
/*
 * diff_program ROUNDS: runs ten functions of different kinds in turn, for 20 to 200 us each. Built
 * with -DSLOWER=N, every Nth call of hash() is made twice: for 10, it takes 10 % more.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef SLOWER
#define SLOWER 0
#endif

enum { NODES = 1 << 16, CELLS = 48, KEYS = 600 };

struct node {
	uint32_t next, weight;
};

static struct node node[NODES];
static uint32_t key[KEYS];
static double left[CELLS][CELLS], right[CELLS][CELLS], product[CELLS];
static unsigned char text[65536];
static uint32_t counts[4096];
static uint64_t random_state = 88172645463325252U;

static uint32_t draw(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (uint32_t)(random_state >> 32);
}

#define ALONE __attribute__((noinline, noclone))

static ALONE uint64_t hash(uint64_t sum)
{
	for (int i = 0; i < 60000; i++)
		sum = (sum ^ (sum >> 29)) * UINT64_C(0xbf58476d1ce4e5b9) + (uint64_t)i;
	return sum;
}

static ALONE uint64_t chase(uint64_t sum)
{
	uint32_t at = (uint32_t)sum % NODES;

	for (int i = 0; i < 6000; i++) {
		sum += node[at].weight;
		at = node[at].next;
	}
	return sum;
}

static ALONE uint64_t multiply(uint64_t sum)
{
	for (int i = 0; i < 16; i++) {
		for (int j = 0; j < CELLS; j++) {
			double cell = 0;

			for (int k = 0; k < CELLS; k++)
				cell += left[i][k] * right[k][j];
			product[j] += cell;
		}
	}
	return sum + (uint64_t)product[sum % CELLS];
}

static ALONE uint64_t sort(uint64_t sum)
{
	for (int i = 0; i < KEYS; i++)
		key[i] = (uint32_t)(sum * (uint64_t)(i + 7) >> 5) & 0xffff;
	for (int i = 1; i < KEYS; i++) {
		uint32_t one = key[i];
		int j = i;

		for (; j > 0 && key[j - 1] > one; j--)
			key[j] = key[j - 1];
		key[j] = one;
	}
	return sum + key[KEYS / 2];
}

static ALONE uint64_t count_words(uint64_t sum)
{
	for (size_t i = 1; i < 30000; i++)
		sum += text[i] == ' ' && text[i - 1] != ' ';
	return sum;
}

static ALONE uint64_t histogram(uint64_t sum)
{
	for (size_t i = 0; i + 1 < 30000; i++)
		counts[(text[i] << 4 ^ text[i + 1]) & 4095]++;
	return sum + counts[sum & 4095];
}

static ALONE uint64_t divide(uint64_t sum)
{
	uint64_t rest = sum | 1;

	for (uint64_t i = 3; i < 6000; i++)
		rest += (sum + i) / (i | 1);
	return sum + rest;
}

static ALONE uint64_t branches(uint64_t sum)
{
	for (int i = 0; i < 12000; i++) {
		if (sum & 1)
			sum = sum * 3 + 1;
		else
			sum = (sum >> 1) ^ (sum << 60);
	}
	return sum;
}

static ALONE uint64_t polynomial(uint64_t sum)
{
	double x = (double)(sum & 1023) / 1024, y = 1;

	for (int i = 0; i < 9000; i++)
		y = y * x * 0.999 + 0.25;
	return sum + (uint64_t)(y * 1000);
}

static ALONE uint64_t checksum(uint64_t sum)
{
	uint32_t a = 1, b = 0;

	for (size_t i = 0; i < 40000; i++) {
		a += text[i];
		b += a;
	}
	return sum + a + b;
}

int main(int argc, char **argv)
{
	static uint64_t (*const work[])(uint64_t) = {chase, multiply, sort, count_words, histogram,
		divide, branches, polynomial, checksum};
	long rounds = argc > 1 ? strtol(argv[1], NULL, 10) : 1000;
	uint64_t sum = 1;

	for (uint32_t i = 0; i < NODES; i++)
		node[i] = (struct node){draw() % NODES, draw() & 255};
	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = (unsigned char)(draw() % 6 ? 'a' + draw() % 26 : ' ');
	for (int i = 0; i < CELLS * CELLS; i++) {
		left[i / CELLS][i % CELLS] = draw() % 100;
		right[i / CELLS][i % CELLS] = draw() % 100;
	}
	for (long i = 0; i < rounds; i++) {
		sum = hash(sum);
		if (SLOWER && i % (SLOWER ? SLOWER : 1) == 0)
			sum = hash(sum);
		for (size_t j = 0; j < sizeof(work) / sizeof(*work); j++)
			sum = work[j](sum);
	}
	printf("%llx\n", (unsigned long long)sum);
	return 0;
}
