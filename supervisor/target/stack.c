/* SPDX-License-Identifier: MIT */
#include "supervisor/target/stack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "proto/chunk_layout.h"
#include "supervisor/os/mem.h"
#include "supervisor/os/proc_maps.h"
#include "supervisor/os/remote.h"
#include "supervisor/target/goroutine.h"

#define PAGE_BYTES 4096
/*
 * Bytes copied if the end of the mapping is unknown, or if the mapping is not known to be a stack
 * and the analyst has not requested a length yet.
 */
#define BLIND_BYTES 65536
/* A signal frame is looked for in this many bytes of an alternate stack, from sp on. */
#define SEARCH_BYTES 65536
/* The main thread's stack may have grown by this much since the maps were read. */
#define GROWTH_BYTES (UINT64_C(1) << 30)
/* After this time the kernel is asked again where a range begins and ends. */
#define CHECK_NS 100000000

void stack_ranges_release(struct stack_ranges *ranges)
{
	free(ranges->range);
	*ranges = (struct stack_ranges){0};
}

/* Excludes the program's arguments and environment, often as long as all frames together. */
static void cut(const struct stack_ranges *ranges, struct stack_range *range)
{
	if (range->start < ranges->bottom && ranges->bottom < range->end)
		range->end = ranges->bottom;
}

/* Parses a line's range and permissions. *@guard_end: end of the last inaccessible mapping. */
static bool parse_line(
	const char *line, const char *end, uint64_t *guard_end, struct stack_range *ret_range)
{
	static const char stack[] = "[stack]", none[] = " ---p";
	struct stack_range range = {0};
	char *at;

	range.start = strtoull(line, &at, 16);
	if (*at != '-')
		return false;
	range.end = strtoull(at + 1, &at, 16);
	if (range.start >= range.end || end - at < 6)
		return false;
	if (strncmp(at, none, sizeof(none) - 1) == 0)
		*guard_end = range.end;
	if (at[0] != ' ' || at[1] != 'r' || at[2] != 'w')
		return false;
	range.grows = end - at > (int)sizeof(stack) &&
		memcmp(end - (sizeof(stack) - 1), stack, sizeof(stack) - 1) == 0;
	range.is_stack = range.grows || range.start == *guard_end;
	*ret_range = range;
	return true;
}

int stack_ranges_set(struct stack_ranges *ranges, const char *maps)
{
	uint64_t guard_end = 0;

	ranges->n = 0;
	while (*maps) {
		const char *end = strchrnul(maps, '\n');
		struct stack_range range;

		if (parse_line(maps, end, &guard_end, &range)) {
			int r = mem_grow((void **)&ranges->range, &ranges->room, ranges->n + 1,
				sizeof(range));

			if (r < 0)
				return r;
			cut(ranges, &range);
			ranges->range[ranges->n++] = range;
		}
		maps = *end ? end + 1 : end;
	}
	return 0;
}

/* Returns the index of the first range that ends above @sp. */
static size_t place_of(const struct stack_ranges *ranges, uint64_t sp)
{
	return array_bisect(i, 0, ranges->n, ranges->range[i].end <= sp);
}

struct stack_range *stack_ranges_find(const struct stack_ranges *ranges, uint64_t sp)
{
	size_t at = place_of(ranges, sp);
	struct stack_range *range;

	if (at == ranges->n)
		return NULL;
	range = &ranges->range[at];
	if (sp < range->start && !(range->grows && range->start - sp < GROWTH_BYTES))
		return NULL;
	return range;
}

static void remove_at(struct stack_ranges *ranges, size_t at, size_t n)
{
	memmove(&ranges->range[at], &ranges->range[at + n],
		(ranges->n - at - n) * sizeof(*ranges->range));
	ranges->n -= n;
}

int stack_ranges_correct(struct stack_ranges *ranges, uint64_t sp,
	const struct mapped_range *present, bool guarded, uint64_t now_ns)
{
	size_t at = place_of(ranges, present ? present->start : sp), n = 0;
	struct stack_range range = {.check_ns = now_ns + CHECK_NS};
	int r;

	if (!present) {
		if (at < ranges->n && ranges->range[at].start <= sp)
			remove_at(ranges, at, 1);
		return 0;
	}
	range.start = present->start;
	range.end = present->end;
	range.is_stack = guarded;
	cut(ranges, &range);
	for (; at + n < ranges->n && ranges->range[at + n].start < present->end; n++)
		range.grows |= ranges->range[at + n].grows;
	range.is_stack |= range.grows;
	if (n) {
		ranges->range[at] = range;
		remove_at(ranges, at + 1, n - 1);
		return 0;
	}
	r = mem_grow((void **)&ranges->range, &ranges->room, ranges->n + 1, sizeof(range));
	if (r < 0)
		return r;
	memmove(&ranges->range[at + 1], &ranges->range[at], (ranges->n - at) * sizeof(range));
	ranges->range[at] = range;
	ranges->n++;
	return 0;
}

int stack_copy_init(struct stack_copy *copy, size_t most)
{
	*copy = (struct stack_copy){0};
	if (!most)
		return 0;
	most = (most + PAGE_BYTES - 1) & ~(size_t)(PAGE_BYTES - 1);
	copy->buffer = mem_new(2, most);
	if (!copy->buffer)
		return -ENOMEM;
	memset(copy->buffer, 1, 2 * most);
	copy->most = most;
	return 0;
}

void stack_copy_release(struct stack_copy *copy)
{
	free(copy->buffer);
	*copy = (struct stack_copy){0};
}

/* Copies [@from, @end) to @to, up to the first unmapped page. */
static void copy_piece(const struct stack_copy *copy, const struct remote *memory, uint64_t from,
	uint64_t end, uint8_t *to, struct stack_piece *ret_piece)
{
	uint64_t bytes = end - from;
	ssize_t got;

	if (bytes > copy->most)
		bytes = copy->most;
	got = remote_read(memory, from, to, (size_t)bytes);
	*ret_piece = (struct stack_piece){to, from, got > 0 ? (size_t)got : 0};
}

static bool inside(const struct stack_home *home, uint64_t sp)
{
	return sp >= home->start && sp < home->end;
}

/*
 * Returns how many bytes to copy at most, from @sp on, if the mapping is not known to be a stack.
 */
static uint64_t needed(const struct stack_copy *copy, const struct stack_home *home, uint64_t sp)
{
	uint64_t need = home->need ? home->need : BLIND_BYTES;

	if (copy->whole)
		return copy->most;
	/*
	 * On another stack than the thread's own, the kernel's signal frame may be up to
	 * SEARCH_BYTES above @sp.
	 */
	return inside(home, sp) || need > SEARCH_BYTES ? need : SEARCH_BYTES;
}

/* Returns the address up to which to copy from @sp. *@ret_limit: the mapping's end; 0: unknown. */
static uint64_t end_of(const struct stack_copy *copy, const struct stack_ranges *ranges,
	const struct stack_home *home, uint64_t sp, uint64_t *ret_limit)
{
	const struct stack_range *range = stack_ranges_find(ranges, sp);
	uint64_t need = needed(copy, home, sp);

	*ret_limit = range ? range->end : 0;
	if (!range)
		return (sp & ~(uint64_t)(PAGE_BYTES - 1)) + BLIND_BYTES;
	return range->is_stack || range->end - sp < need ? range->end : sp + need;
}

static uint64_t word_at(const struct stack_piece *piece, size_t at)
{
	uint64_t word;

	memcpy(&word, piece->data + at, sizeof(word));
	return word;
}

/* Contents of a signal frame on an alternate stack. sp 0: no signal frame was found. */
struct interrupted {
	uint64_t sp;         /* stack pointer of the thread when the handler interrupted it */
	uint64_t start, end; /* range of the alternate stack */
};

/* Can @word be ss_flags? Only SS_ONSTACK (1) and SS_AUTODISARM (bit 31) can be set. */
static bool are_flags(uint64_t word)
{
	return ((uint32_t)word & ~(UINT32_C(1) << 31)) <= 1;
}

/*
 * Searches the piece for the kernel's signal frame, which lies on the alternate stack where the
 * handler runs. The frame contains uc_stack {ss_sp, ss_flags, ss_size}, which is the range of the
 * alternate stack, and the interrupted stack pointer, which is outside of this range. Candidates
 * whose interrupted stack pointer is in one of @ranges are preferred. Another one is taken only if
 * there is none, as the interrupted stack may be newer than @ranges. Without the check of ss_flags,
 * words of Java's heap look like a signal frame, and a stop copies up to 1 MB of the heap.
 */
static struct interrupted find_interrupted(
	const struct stack_piece *piece, const struct stack_ranges *ranges, uint64_t sp)
{
	size_t bytes = piece->bytes < SEARCH_BYTES ? piece->bytes : SEARCH_BYTES;
	size_t reach = arch_native.signal_sp_offset + 8;
	struct interrupted unknown = {0};

	for (size_t at = (size_t)(-piece->base & 7); bytes >= reach && at <= bytes - reach;
		at += 8) {
		uint64_t start = word_at(piece, at), size, end, saved;

		if (start > sp || sp - start > (UINT64_C(1) << 30))
			continue;
		size = word_at(piece, at + 16);
		end = start + size;
		if (size < 1024 || size > (UINT64_C(1) << 30) || end <= piece->base + at)
			continue;
		saved = word_at(piece, at + arch_native.signal_sp_offset);
		if ((saved >= start && saved < end) || !are_flags(word_at(piece, at + 8)))
			continue;
		if (stack_ranges_find(ranges, saved))
			return (struct interrupted){saved, start, end};
		if (!unknown.sp && saved && !(saved & 7))
			unknown = (struct interrupted){saved, start, end};
	}
	return unknown;
}

/*
 * Can the thread be on an alternate stack? Yes if @sp is outside the thread's own stack. An
 * alternate stack may also lie inside the thread's own stack: yes if @sp is where the last
 * alternate stack was, or if @sp has risen by more than a page since the last stop.
 */
static bool may_be_on_other(const struct stack_home *home, uint64_t sp, uint64_t last_sp)
{
	if (sp < home->start || sp >= home->end)
		return true;
	if (sp >= home->other_start && sp < home->other_end)
		return true;
	return sp > last_sp && sp - last_sp > PAGE_BYTES;
}

/* Records that the range that contains @sp is the thread's own stack. */
static void set_home(struct stack_home *home, const struct stack_ranges *ranges, uint64_t sp)
{
	const struct stack_range *range = stack_ranges_find(ranges, sp);

	if (range) {
		home->start = range->start - (range->grows ? GROWTH_BYTES : 0);
		home->end = range->end;
	}
}

/*
 * Copies the goroutine's stack, which its thread has left for another stack. It was left at a call,
 * so there is no red zone below left_sp.
 */
static void take_left(
	struct stack_copy *copy, const struct remote *memory, const struct goroutine *goroutine)
{
	copy->left_pc = goroutine->left_pc;
	copy->left_sp = goroutine->left_sp;
	copy_piece(copy, memory, goroutine->left_sp, goroutine->left_end, copy->buffer + copy->most,
		&copy->outer);
	copy->truncated |= copy->outer.base + copy->outer.bytes < goroutine->left_end;
}

/*
 * Copies the frames that a virtual thread has in the heap. They are in several objects, so the copy
 * has no address of its own in the target; CHUNKS_BASE is used as its address.
 */
static void take_chunks(struct stack_copy *copy, const struct remote *memory,
	const struct chunks_place *place, uint64_t sp)
{
	uint8_t *to = copy->buffer + copy->most;
	uint64_t fp;
	size_t bytes = chunks_copy(place, memory, &copy->inner, sp, to, copy->most, &fp);

	if (!bytes)
		return;
	copy->outer = (struct stack_piece){to, CHUNKS_BASE, bytes};
	copy->left_pc = fp;
	copy->left_sp = CHUNKS_BASE;
}

void stack_copy_take(struct stack_copy *copy, const struct remote *memory,
	const struct arch_snapshot *snapshot, const struct stack_ranges *ranges,
	struct stack_home *home)
{
	uint64_t sp = snapshot->sp, below = arch_native.red_zone_bytes, end, limit, outer;
	struct goroutine goroutine = {0};
	uint64_t last_sp = home->sp;
	struct interrupted interrupted;

	copy->outer.bytes = copy->inner.bytes = 0;
	copy->left_pc = copy->left_sp = 0;
	home->sp = sp;
	end = end_of(copy, ranges, home, sp, &copy->limit);
	if (ranges->g_below)
		goroutine_find(memory, snapshot, ranges->g_below, &goroutine);
	if (goroutine.end > sp)
		copy->limit = end = goroutine.end;
	copy->truncated = false;
	if (sp < below || end <= sp)
		return;
	copy_piece(copy, memory, sp - below, end, copy->buffer, &copy->inner);
	/*
	 * If @sp is at the very beginning of its mapping, the red zone below it is unreadable, and
	 * the copy begins at @sp.
	 */
	if (!copy->inner.bytes)
		copy_piece(copy, memory, sp, end, copy->buffer, &copy->inner);
	copy->truncated = copy->limit && copy->inner.base + copy->inner.bytes < copy->limit;
	if (goroutine.left_sp) {
		take_left(copy, memory, &goroutine);
		return;
	}
	if (ranges->chunks.barrier)
		take_chunks(copy, memory, &ranges->chunks, sp);
	if (snapshot->machine != arch_native.machine || !may_be_on_other(home, sp, last_sp))
		return;
	if (copy->left_sp) {
		set_home(home, ranges, sp);
		return;
	}
	interrupted = find_interrupted(&copy->inner, ranges, sp);
	outer = interrupted.sp;
	if (!outer) {
		set_home(home, ranges, sp);
		return;
	}
	home->other_start = interrupted.start;
	home->other_end = interrupted.end;
	end = end_of(copy, ranges, home, outer, &limit);
	if (outer < below || end <= outer || (outer >= sp && outer < copy->limit))
		return;
	copy_piece(copy, memory, outer - below, end, copy->buffer + copy->most, &copy->outer);
	copy->truncated |= limit && copy->outer.base + copy->outer.bytes < limit;
}
