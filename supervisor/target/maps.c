/* SPDX-License-Identifier: MIT */
#include "supervisor/target/maps.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "supervisor/os/mem.h"
#include "supervisor/os/proc_maps.h"
#include "supervisor/os/proc_status.h"
#include "supervisor/target/procfiles.h"

/*
 * The first readings of an image's maps need no minimum interval, because a starting program maps
 * one library after another. From this number of readings on, an interval is needed.
 */
#define READS_AT_ONCE 16
/*
 * The sizes in /proc/PID/statm and status are checked for change. If the executable size has not
 * changed for a time T, the next check is T / PAGES_PART later, but at most PAGES_MOST_NS.
 */
#define PAGES_PART    16
#define PAGES_MOST_NS UINT64_C(50000000)
/*
 * For this long after a change of the executable size, this size is read even if the number of
 * pages is unchanged. The loader reserves all pages of a library before it maps code there, so
 * mapping the code leaves the number of pages as it is.
 */
#define PAGES_SETTLE_NS 20000000

void maps_release(struct maps_reader *reader)
{
	free(reader->text);
	reader->text = NULL;
	reader->room = 0;
}

void maps_forget(struct process *process)
{
	process->maps_read = false;
	/* At an exec the analyst forgets all maps sent before, even those sent just before it. */
	process->maps_announced = false;
	process->maps_reads = 0;
	/* The new image may be as large as the old one: sizes would then show no change. */
	process->pages = process->pages_next = process->executable = process->executable_next = 0;
	process->pages_again_ns = 0;
	/* /proc is read through the leader, which the thread that called exec has become. */
	procfiles_set_reader(process, 0);
	process->ranges = process->stacks.n = 0;
	pages_forget(&process->memory);
	process->stacks.bottom = 0;
}

static bool same_range(const struct mapped_range *a, const struct mapped_range *b)
{
	return a->start == b->start && a->end == b->end && a->inode == b->inode &&
		a->offset == b->offset;
}

static const struct mapped_range *range_of(const struct process *process, uint64_t pc)
{
	size_t low = array_bisect(i, 0, process->ranges, pc >= process->range[i].end);

	return low < process->ranges && pc >= process->range[low].start ? &process->range[low]
									: NULL;
}

/*
 * Do the maps last sent to the analyst still describe @pc? Another library may have been mapped at
 * its address (test: maps_change_between_samples). The kernel is asked with PROCMAP_QUERY. A kernel
 * without it gives no answer, so maps count as good until process->maps_again_ns.
 */
static bool are_good(struct maps_reader *reader, struct process *process, uint64_t pc, uint64_t now)
{
	const struct mapped_range *known = range_of(process, pc);
	struct mapped_range present;
	int fd, r;

	if (!process->maps_read || !process->maps_announced || !known)
		return false;
	fd = procfiles_of(reader->files, process, PROCESS_MAPS);
	r = fd < 0 ? fd : proc_maps_query(fd, pc, &present);
	if (r == 0)
		return same_range(known, &present);
	return r == -ENOTTY ? now < process->maps_again_ns : true;
}

static uint64_t pages_wait(uint64_t unchanged_ns)
{
	uint64_t wait = unchanged_ns / PAGES_PART;

	if (unchanged_ns < PAGES_SETTLE_NS)
		return 0;
	return wait < PAGES_MOST_NS ? wait : PAGES_MOST_NS;
}

/*
 * Has the process mapped code since the maps were read? This is asked even if the maps describe the
 * pc, because a caller may be in a library in which no pc was seen so far. Growth of the heap does
 * not count: reading the maps of a Node.js process with a hundred workers takes 10 ms.
 */
static bool has_grown(struct maps_reader *reader, struct process *process, uint64_t now)
{
	uint64_t pages, executable;
	int fd;

	if (!reader->stacks || now < process->pages_again_ns)
		return false;
	fd = procfiles_of(reader->files, process, PROCESS_STATM);
	if (fd < 0 || procfs_read_pages(fd, &pages) < 0)
		return false;
	/*
	 * The number of pages is 0 if the thread through which /proc is read has ended. If another
	 * thread is found, the maps are read through that.
	 */
	if (!pages && procfiles_find_reader(reader->files, process))
		return true;
	if (pages != process->pages || now - process->pages_since_ns < PAGES_SETTLE_NS) {
		if (proc_status_read_executable(procfiles_reader(process), &executable) < 0)
			executable = 0;
		process->pages_next = pages;
		process->executable_next = executable;
		if (!executable || executable != process->executable) {
			process->pages_since_ns = now;
			return true;
		}
		process->pages = pages;
	}
	process->pages_again_ns = now + pages_wait(now - process->pages_since_ns);
	return false;
}

/* FNV-1a of the executable mappings. */
static uint64_t hash_of(const struct process *process)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < process->ranges; i++) {
		const struct mapped_range *r = &process->range[i];
		const uint64_t words[] = {r->start, r->end, r->offset, r->inode};

		for (size_t w = 0; w < 4; w++)
			hash = (hash ^ words[w]) * UINT64_C(0x100000001b3);
	}
	return hash;
}

void maps_read(struct maps_reader *reader, struct process *process, uint64_t now)
{
	int n = proc_maps_read(procfiles_reader(process), &reader->text, &reader->room);
	struct mapped_range range;
	uint64_t after, hash;
	const char *at;

	if (n <= 0 && procfiles_find_reader(reader->files, process))
		n = proc_maps_read(procfiles_reader(process), &reader->text, &reader->room);
	at = reader->text;
	if (n <= 0)
		return; /* The process is ending, and the previous maps are kept. */
	process->ranges = 0;
	while (proc_maps_next_executable(&at, &range)) {
		if (mem_grow((void **)&process->range, &process->range_room, process->ranges + 1,
			    sizeof(range)) < 0)
			break;
		process->range[process->ranges++] = range;
	}
	if (reader->stacks) {
		if (!process->stacks.bottom)
			process->stacks.bottom =
				procfs_read_stack_bottom(procfiles_reader(process));
		(void)stack_ranges_set(&process->stacks, reader->text);
	}
	process->maps_read = true;
	reader->events->read(reader->context, process, reader->text);
	process->maps_reads++;
	process->pages = process->pages_next;
	process->executable = process->executable_next;
	hash = hash_of(process);
	/* The analyst needs the maps only if executable mappings changed. */
	if (!process->maps_announced || hash != process->maps_hash)
		process->maps_announced = reader->events->announce(
			reader->context, process, reader->text, (size_t)n, now);
	process->maps_hash = hash;
	/* Limits the cost of reading the maps to about 2 % of the time. */
	after = clock_now();
	process->maps_again_ns = after + 50 * (after - now);
	if (process->maps_again_ns < after + 10000000)
		process->maps_again_ns = after + 10000000;
}

void maps_cover(struct maps_reader *reader, struct process *process, uint64_t pc, uint64_t now)
{
	/* Later readings need an interval: a JIT compiler maps code for its whole life. */
	bool may = !process->maps_read || !process->maps_announced ||
		now >= process->maps_again_ns || process->maps_reads < READS_AT_ONCE;

	if (may && (!are_good(reader, process, pc, now) || has_grown(reader, process, now)))
		maps_read(reader, process, now);
}

void maps_cover_stack(
	struct maps_reader *reader, struct process *process, uint64_t sp, uint64_t now)
{
	const struct stack_range *known = stack_ranges_find(&process->stacks, sp);
	struct mapped_range present;
	int fd, r;

	if (!reader->stacks || (known && now < known->check_ns))
		return;
	fd = procfiles_of(reader->files, process, PROCESS_MAPS);
	r = fd < 0 ? fd : proc_maps_query_writable(fd, sp, &present);
	if (r == 0 || r == -ENOENT)
		(void)stack_ranges_correct(&process->stacks, sp, r ? NULL : &present,
			r == 0 && proc_maps_is_guarded(fd, present.start), now);
	else if (!known && now >= process->maps_again_ns)
		maps_read(reader, process, now);
}
