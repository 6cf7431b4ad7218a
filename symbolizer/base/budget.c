/* SPDX-License-Identifier: MIT */
#include "symbolizer/base/budget.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "opener/opener.h"

#define MIB (UINT64_C(1) << 20)

/*
 * The limit of a file in bytes: FILE_LEAST plus FILE_FACTOR times the file's size, but at most a
 * quarter of the machine's memory (256 MiB to 2 GiB).
 */
#define FILE_LEAST  (64 * MIB)
#define FILE_FACTOR 32
/*
 * A section of more than INFLATION_FREE bytes after decompression may have at most INFLATION_FACTOR
 * times its compressed size. Debug sections grow 3 to 10 times, sections of zeros 1000 times.
 */
#define INFLATION_FREE   (16 * MIB)
#define INFLATION_FACTOR 64
/* One in LOOK_EACH calls of budget_watch() checks the memory that libdwarf uses. */
#define LOOK_EACH 4

static uint64_t clamped(uint64_t value, uint64_t least, uint64_t most)
{
	return value < least ? least : value > most ? most : value;
}

static uint64_t memory_of_machine(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);

	return pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : 4096 * MIB;
}

void budget_init_all(struct budget *budget, struct opener *opener)
{
	uint64_t memory = memory_of_machine();

	*budget = (struct budget){.limit = clamped(memory / 2, 512 * MIB, 8192 * MIB),
		.inflated_most = clamped(memory / 2, 512 * MIB, 8192 * MIB),
		.opener = opener};
}

void budget_init(struct budget *budget, struct budget *all)
{
	*budget = (struct budget){.all = all, .limit = FILE_LEAST, .inflated_most = INFLATION_FREE};
}

void budget_admit(struct budget *budget, uint64_t bytes)
{
	uint64_t memory = memory_of_machine();
	uint64_t most = clamped(memory / 4, 256 * MIB, 2048 * MIB);

	if (bytes > most)
		bytes = most;
	budget->limit = clamped(budget->limit + bytes * FILE_FACTOR, 0, most);
	budget->inflated_most =
		clamped(budget->inflated_most + bytes * INFLATION_FACTOR, 0, 2 * most);
}

static bool refuse(struct budget *budget)
{
	budget->over = true;
	return false;
}

bool budget_fits(struct budget *budget, uint64_t bytes)
{
	const struct budget *all = budget ? budget->all : NULL;

	if (!budget)
		return true;
	if (budget->over || bytes > budget->limit - budget->used ||
		(all && bytes > all->limit - all->used))
		return refuse(budget);
	return true;
}

bool budget_take(struct budget *budget, uint64_t bytes)
{
	if (!budget_fits(budget, bytes))
		return false;
	for (struct budget *b = budget; b; b = b->all)
		b->used += bytes;
	return true;
}

bool budget_inflate(struct budget *budget, uint64_t from, uint64_t to)
{
	if (!budget)
		return true;
	if (budget->over || to > budget->inflated_most - budget->inflated ||
		(to > INFLATION_FREE && to / INFLATION_FACTOR > from))
		return refuse(budget);
	if (budget->all && to > budget->all->inflated_most - budget->all->inflated)
		return refuse(budget);
	for (struct budget *b = budget; b; b = b->all)
		b->inflated += to;
	return true;
}

/*
 * The descriptor of this process's "statm". A forked child opens its own, as an inherited
 * descriptor tells of the parent's memory.
 */
static int statm_of(struct budget *all)
{
	struct opening what = {.kind = OPENING_STATM};
	struct opened opened;

	if (all->statm_fd > 0 && all->statm_pid == getpid())
		return all->statm_fd;
	if (all->statm_fd > 0)
		(void)close(all->statm_fd);
	(void)opener_ask(all->opener, &what, &opened);
	all->statm_fd = opened.fd;
	all->statm_pid = getpid();
	return all->statm_fd;
}

/* Bytes of private memory; 0: unknown. statm has numbers of pages: all, resident, shared, … */
static uint64_t private_memory(struct budget *budget)
{
	struct budget *all = budget->all ? budget->all : budget;
	char text[128], *at = text;
	uint64_t resident, shared;
	int fd = statm_of(all);
	ssize_t n = fd < 0 ? -1 : pread(fd, text, sizeof(text) - 1, 0);

	if (n <= 0)
		return 0;
	text[n] = '\0';
	(void)strtoull(at, &at, 10);
	resident = strtoull(at, &at, 10);
	shared = strtoull(at, &at, 10);
	return resident > shared ? (resident - shared) * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}

void budget_release(struct budget *budget)
{
	if (budget->statm_fd > 0)
		(void)close(budget->statm_fd);
	budget->statm_fd = 0;
}

void budget_watch_begin(struct budget *budget)
{
	if (budget)
		budget->began = private_memory(budget);
}

static uint64_t growth(struct budget *budget)
{
	uint64_t now = budget->began ? private_memory(budget) : 0;

	return budget->grown + (now > budget->began ? now - budget->began : 0);
}

bool budget_watch(struct budget *budget)
{
	if (!budget || ++budget->looks % LOOK_EACH)
		return !budget || !budget->over;
	return !budget->over && growth(budget) <= budget->limit ? true : refuse(budget);
}

void budget_watch_end(struct budget *budget)
{
	if (!budget || !budget->began)
		return;
	budget->grown = growth(budget);
	budget->began = 0;
}
