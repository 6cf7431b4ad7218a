/* SPDX-License-Identifier: MIT */
#include "supervisor/target/runtime_copy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "supervisor/os/mem.h"
#include "supervisor/target/stack.h"

#define DATA_BYTES ((size_t)3 << 20)
/*
 * The newest chunk is read up to this many bytes behind the part used at the last stop, because
 * frames may have been added.
 */
#define SLACK_BYTES 1024
/* A chunk whose used part is larger than this is invalid. */
#define CHUNK_BYTES_MOST ((uint64_t)1 << 20)
/*
 * Frames outside of chunks are read in units of this size. It need not be the machine's page size.
 */
#define PAGE_BYTES UINT64_C(4096)
/* A frame outside of chunks is looked for in this many pages, those read last. */
#define PAGES_NEAR 8
/* To find the state of a new thread, a stop reads at most this many thread states, newest first. */
#define FIND_IN_STOP 24

static uint64_t word_at(const uint8_t *data, uint32_t offset)
{
	uint64_t word;

	memcpy(&word, data + offset, sizeof(word));
	return word;
}

int runtime_copy_init(struct runtime_copy *copy)
{
	const size_t frames = (size_t)RUNTIME_FRAMES_MOST * RECORD_FRAME_WORDS;

	if (copy->data)
		return 0;
	*copy = (struct runtime_copy){.data = mem_new(1, DATA_BYTES),
		.frame = mem_new(frames, sizeof(*copy->frame)),
		.to = mem_new(RUNTIME_VECTOR, sizeof(*copy->to)),
		.from = mem_new(RUNTIME_VECTOR, sizeof(*copy->from))};
	if (!copy->data || !copy->frame || !copy->to || !copy->from) {
		runtime_copy_release(copy);
		return -ENOMEM;
	}
	memset(copy->data, 1, DATA_BYTES);
	memset(copy->frame, 1, frames * sizeof(*copy->frame));
	memset(copy->to, 1, RUNTIME_VECTOR * sizeof(*copy->to));
	memset(copy->from, 1, RUNTIME_VECTOR * sizeof(*copy->from));
	return 0;
}

void runtime_copy_release(struct runtime_copy *copy)
{
	free(copy->data);
	free(copy->frame);
	free(copy->to);
	free(copy->from);
	*copy = (struct runtime_copy){0};
}

/* Reads one piece. False: not all of it was readable. */
static bool read_one(const struct runtime_source *source, uint64_t at, void *to, size_t bytes)
{
	struct iovec local = {to, bytes}, remote = {(void *)(uintptr_t)at, bytes};

	return source->read(source->context, &local, &remote, 1) == (ssize_t)bytes;
}

/* Reads one piece in a stop, where the number and the time of reads are bounded. */
static bool read_bounded(struct runtime_copy *copy, const struct runtime_source *source,
	uint64_t at, void *to, size_t bytes)
{
	if (copy->reads == RUNTIME_READS_MOST || clock_now() > copy->until_ns) {
		copy->flags |= RECORD_RUNTIME_TRUNCATED;
		return false;
	}
	copy->reads++;
	if (read_one(source, at, to, bytes))
		return true;
	copy->flags |= RECORD_RUNTIME_UNREAD;
	return false;
}

/*
 * Is @state the state of the thread with tid @tid and thread pointer @self (0: not known)? The
 * thread pointer is compared if it is known: it is the same in all pid namespaces and in a forked
 * child, but the tid is not.
 */
static bool is_of(const struct runtime_table *table, const uint8_t *state, int tid, uint64_t self)
{
	if (self && table->thread_self != RUNTIME_NONE)
		return word_at(state, table->thread_self) == self;
	return table->thread_tid != RUNTIME_NONE &&
		word_at(state, table->thread_tid) == (uint64_t)tid;
}

uint64_t runtime_find_thread(const struct runtime_table *table, const struct runtime_source *source,
	int tid, uint64_t self, unsigned most)
{
	uint8_t state[RUNTIME_THREAD_BYTES_MOST];
	uint64_t group = 0, thread;

	if (!read_one(source, table->threads_head, &group, sizeof(group)))
		return 0;
	while (group && most) {
		most--;
		if (!read_one(source, group + table->group_threads, &thread, sizeof(thread)))
			return 0;
		for (; thread && most; most--) {
			if (!read_one(source, thread, state, table->thread_bytes))
				return 0;
			if (is_of(table, state, tid, self))
				return thread;
			thread = word_at(state, table->thread_next);
		}
		if (!most || !read_one(source, group + table->group_next, &group, sizeof(group)))
			return 0;
	}
	return 0;
}

/* Adds memory that is probably needed to what the next read covers. False: no room. */
static bool add_guess(struct runtime_copy *copy, size_t *n, uint64_t at, size_t bytes)
{
	if (*n == RUNTIME_VECTOR || bytes > DATA_BYTES - copy->used)
		return false;
	copy->to[*n] = (struct iovec){copy->data + copy->used, bytes};
	copy->from[*n] = (struct iovec){(void *)(uintptr_t)at, bytes};
	copy->used += bytes;
	++*n;
	return true;
}

/* Adds the last stop's chunks to the next read, which has @n pieces so far. Returns the new @n. */
static size_t guess_chunks(struct runtime_copy *copy, const struct runtime_thread *thread, size_t n)
{
	for (size_t i = 0; i < thread->chunks && i < RUNTIME_CHUNKS_MOST; i++) {
		const struct runtime_range *range = &thread->chunk[i];

		if (!add_guess(copy, &n, range->start,
			    range->end - range->start + (i ? 0 : SLACK_BYTES)))
			break;
	}
	return n;
}

static size_t guess_singles(struct runtime_copy *copy, const struct runtime_table *table,
	const struct runtime_thread *thread, size_t from, size_t n)
{
	for (; from < thread->singles; from++)
		if (!add_guess(copy, &n, thread->single[from], table->frame_bytes))
			break;
	return n;
}

/* Reads the remaining frames of thread->single, which did not fit into the first read. */
static void load_more_singles(struct runtime_copy *copy, const struct runtime_table *table,
	const struct runtime_thread *thread, const struct runtime_source *source)
{
	const size_t each = table->frame_bytes;
	size_t done = copy->single.bytes / each;

	while (done < thread->singles && copy->reads < RUNTIME_READS_MOST) {
		size_t before = copy->used, n = guess_singles(copy, table, thread, done, 0);
		ssize_t got = n ? source->read(source->context, copy->to, copy->from, n) : 0;

		copy->reads++;
		if (got <= 0)
			break;
		copy->single.bytes += (size_t)got / each * each;
		done = copy->single.bytes / each;
		if ((size_t)got < n * each) {
			copy->used = before + (size_t)got / each * each;
			break;
		}
	}
}

/*
 * Reads with one system call the thread's state and the memory where its frames were at its last
 * stop: a system call takes 0.7 us, a further piece a tenth of that.
 */
static bool load(struct runtime_copy *copy, const struct runtime_table *table,
	const struct runtime_thread *thread, const struct runtime_source *source, int tid)
{
	size_t n = 0, chunks, singles, done = 0;
	uint8_t *state = copy->data;
	ssize_t got;

	copy->used = copy->pieces = copy->pages = copy->single.bytes = 0;
	(void)add_guess(copy, &n, thread->address, table->thread_bytes);
	for (int i = 0; i < RUNTIME_WATCH_WORDS; i++)
		if (table->watch[i])
			(void)add_guess(copy, &n, table->watch[i], sizeof(uint64_t));
	chunks = n;
	singles = guess_chunks(copy, thread, n);
	copy->single.data = copy->data + copy->used;
	n = guess_singles(copy, table, thread, 0, singles);
	copy->reads++;
	got = source->read(source->context, copy->to, copy->from, n);
	if (got < (ssize_t)table->thread_bytes || !is_of(table, state, tid, thread->self))
		return false;
	for (size_t i = 0, w = 0; i < n && done + copy->to[i].iov_len <= (size_t)got; i++) {
		const uint8_t *data = copy->to[i].iov_base;

		done += copy->to[i].iov_len;
		if (i && i < chunks)
			copy->watch[w++] = word_at(data, 0);
		else if (i >= chunks && i < singles)
			copy->piece[copy->pieces++] = (struct runtime_piece){
				(uintptr_t)copy->from[i].iov_base, data, copy->to[i].iov_len};
		else if (i)
			copy->single.bytes += copy->to[i].iov_len;
	}
	if (copy->single.bytes && copy->single.bytes < thread->singles * table->frame_bytes &&
		done == (size_t)got)
		load_more_singles(copy, table, thread, source);
	return true;
}

static const struct runtime_piece *piece_with(
	const struct runtime_piece *piece, size_t n, uint64_t at, size_t bytes)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t offset = at - piece[i].base;

		if (at >= piece[i].base && offset <= piece[i].bytes &&
			piece[i].bytes - offset >= bytes)
			return &piece[i];
	}
	return NULL;
}

/* Reads a chunk that is used in [@at, @end). NULL: unreadable, or too large. */
static const uint8_t *read_chunk(
	struct runtime_copy *copy, const struct runtime_source *source, uint64_t at, uint64_t end)
{
	uint8_t *to = copy->data + copy->used;

	if (end < at || end - at > CHUNK_BYTES_MOST || end - at > DATA_BYTES - copy->used) {
		copy->flags |= RECORD_RUNTIME_TRUNCATED;
		return NULL;
	}
	if (!read_bounded(copy, source, at, to, (size_t)(end - at)))
		return NULL;
	copy->used += (size_t)(end - at);
	return to;
}

/* Loads the thread's chunks, newest first, except those that the first read has covered. */
static void load_chunks(struct runtime_copy *copy, const struct runtime_table *table,
	const struct runtime_source *source)
{
	struct runtime_piece guess[RUNTIME_CHUNKS_MOST];
	size_t guesses = copy->pieces;
	uint64_t at, end;

	memcpy(guess, copy->piece, guesses * sizeof(*guess));
	copy->pieces = 0;
	if (table->thread_chunk == RUNTIME_NONE)
		return;
	at = word_at(copy->data, table->thread_chunk);
	end = word_at(copy->data, table->thread_top);
	while (at && copy->pieces < RUNTIME_CHUNKS_MOST) {
		const struct runtime_piece *known =
			piece_with(guess, guesses, at, table->chunk_data);
		uint8_t head[64];
		const uint8_t *data = NULL;

		if (known && known->base != at)
			known = NULL;
		if (copy->pieces) {
			uint64_t used;

			if (!known && !read_bounded(copy, source, at, head, table->chunk_data))
				return;
			used = word_at(known ? known->data : head, table->chunk_used);
			end = used <= CHUNK_BYTES_MOST / 8 ? at + table->chunk_data + 8 * used : 0;
		}
		if (end < at + table->chunk_data)
			return;
		if (known && known->bytes >= end - at)
			data = known->data;
		if (!data)
			data = read_chunk(copy, source, at, end);
		if (!data)
			return;
		copy->piece[copy->pieces++] = (struct runtime_piece){at, data, (size_t)(end - at)};
		at = word_at(data, table->chunk_previous);
	}
	if (at)
		copy->flags |= RECORD_RUNTIME_TRUNCATED;
}

static const uint8_t *in_stack(const struct stack_copy *stack, uint64_t at, size_t bytes)
{
	const struct stack_piece *piece[2];

	if (!stack)
		return NULL;
	piece[0] = &stack->inner;
	piece[1] = &stack->outer;
	for (int i = 0; i < 2; i++) {
		uint64_t offset = at - piece[i]->base;

		if (at >= piece[i]->base && offset <= piece[i]->bytes &&
			piece[i]->bytes - offset >= bytes)
			return piece[i]->data + offset;
	}
	return NULL;
}

/* Returns the address of the innermost frame, 0: none. */
static uint64_t innermost(struct runtime_copy *copy, const struct runtime_table *table,
	const struct runtime_source *source)
{
	uint64_t at = word_at(copy->data, table->thread_frame), frame;
	const uint8_t *data;

	if (table->frame_behind == RUNTIME_NONE || !at)
		return at;
	data = in_stack(source->stack, at + table->frame_behind, sizeof(frame));
	if (data)
		return word_at(data, 0);
	return read_bounded(copy, source, at + table->frame_behind, &frame, sizeof(frame)) ? frame
											   : 0;
}

/*
 * Returns the bytes of a frame outside of chunks. Reads the whole page: frames of the same size,
 * such as those of a recursion, often lie side by side. NULL: the page is unreadable, or a limit of
 * reads, pages, bytes or time is reached.
 */
static const uint8_t *frame_of_page(
	struct runtime_copy *copy, const struct runtime_source *source, uint64_t at, size_t bytes)
{
	const uint64_t base = at & ~(PAGE_BYTES - 1);
	const size_t n = (size_t)((at + bytes + PAGE_BYTES - 1 - base) & ~(PAGE_BYTES - 1));
	size_t near = copy->pages < PAGES_NEAR ? copy->pages : PAGES_NEAR;
	const struct runtime_piece *page =
		piece_with(copy->page + copy->pages - near, near, at, bytes);
	uint8_t *to = copy->data + copy->used;

	if (page)
		return page->data + (at - page->base);
	if (n > DATA_BYTES - copy->used || copy->pages == RUNTIME_PAGES_MOST) {
		copy->flags |= RECORD_RUNTIME_TRUNCATED;
		return NULL;
	}
	if (!read_bounded(copy, source, base, to, n))
		return NULL;
	copy->used += n;
	copy->page[copy->pages++] = (struct runtime_piece){base, to, n};
	return to + (at - base);
}

/*
 * Where the walk found its last frames: index in copy->piece, and index in thread->single. The
 * search for the next frame begins there.
 */
struct hint {
	size_t piece, single;
};

/*
 * Returns a frame's bytes, which are in memory already read, in the copied stack, or are read now.
 * NULL: unreadable.
 */
static const uint8_t *frame_at(struct runtime_copy *copy, const struct runtime_table *table,
	const struct runtime_source *source, const struct runtime_thread *thread, uint64_t at,
	struct hint *hint)
{
	const size_t each = table->frame_bytes;
	const struct runtime_piece *piece =
		piece_with(copy->piece + hint->piece, copy->pieces - hint->piece, at, each);
	const uint8_t *data;

	if (!piece)
		piece = piece_with(copy->piece, hint->piece, at, each);
	if (piece) {
		hint->piece = (size_t)(piece - copy->piece);
		return piece->data + (at - piece->base);
	}
	/*
	 * Calls and returns add and remove frames at the inner end of the chain only. So
	 * thread->single, from the last stop, has frames that still exist in the same order.
	 */
	for (size_t i = hint->single; i < copy->single.bytes / each; i++) {
		if (thread->single[i] == at) {
			hint->single = i + 1;
			return copy->single.data + i * each;
		}
	}
	data = in_stack(source->stack, at, each);
	return data ? data : frame_of_page(copy, source, at, each);
}

static void walk(struct runtime_copy *copy, const struct runtime_table *table,
	const struct runtime_source *source, const struct runtime_thread *thread)
{
	uint64_t at = innermost(copy, table, source) & ~table->tag, mark = 0;
	struct hint hint = {0};
	size_t next_mark = 1;

	while (at) {
		uint64_t *frame = copy->frame + copy->frames * RECORD_FRAME_WORDS;
		const uint8_t *data;

		/*
		 * A damaged chain may have a loop. The mark is set to frames 1, 2, 4, 8 and so on
		 * of the walk, so it is at last on a frame of the loop; the walk ends when it comes
		 * to the mark again.
		 */
		if (at == mark || copy->frames == RUNTIME_FRAMES_MOST) {
			copy->flags |=
				at == mark ? RECORD_RUNTIME_UNREAD : RECORD_RUNTIME_TRUNCATED;
			return;
		}
		data = frame_at(copy, table, source, thread, at, &hint);
		if (!data)
			return;
		frame[0] = at;
		for (int i = 0; i < RUNTIME_FRAME_WORDS; i++)
			frame[1 + i] = table->frame_word[i] == RUNTIME_NONE
				? 0
				: word_at(data, table->frame_word[i]);
		if (++copy->frames == next_mark) {
			mark = at;
			next_mark *= 2;
		}
		at = frame[1] & ~table->tag;
	}
}

void runtime_copy_take(struct runtime_copy *copy, const struct runtime_table *table,
	struct runtime_thread *thread, const struct runtime_source *source, int tid,
	uint64_t now_ns)
{
	copy->taken = true;
	copy->flags = 0;
	copy->frames = 0;
	copy->reads = 0;
	memset(copy->watch, 0, sizeof(copy->watch));
	if (!thread->address || !load(copy, table, thread, source, tid)) {
		thread->address = now_ns >= thread->again_ns
			? runtime_find_thread(table, source, tid, thread->self, FIND_IN_STOP)
			: 0;
		thread->chunks = thread->singles = 0;
		if (!thread->address || !load(copy, table, thread, source, tid)) {
			thread->address = 0;
			copy->flags = RECORD_RUNTIME_UNKNOWN;
			copy->pieces = copy->single.bytes = 0;
			return;
		}
	}
	/*
	 * The time limit begins after the read of the frames known from the last stop. So each stop
	 * has time for frames not known yet; the next stop then knows these.
	 */
	copy->until_ns = clock_now() + RUNTIME_STOP_NS;
	copy->thread = thread->address;
	for (int i = 0; i < RUNTIME_THREAD_WORDS; i++)
		copy->thread_word[i] = table->thread_word[i] == RUNTIME_NONE
			? 0
			: word_at(copy->data, table->thread_word[i]);
	load_chunks(copy, table, source);
	walk(copy, table, source, thread);
}

static void learn(struct runtime_thread *thread, const struct runtime_table *table,
	const struct runtime_copy *copy)
{
	size_t n = 0;

	if (mem_grow((void **)&thread->chunk, &thread->chunk_room, copy->pieces + 1,
		    sizeof(*thread->chunk)) < 0)
		return;
	for (size_t i = 0; i < copy->pieces; i++)
		thread->chunk[thread->chunks++] = (struct runtime_range){
			copy->piece[i].base, copy->piece[i].base + copy->piece[i].bytes};
	for (size_t i = 0; i < copy->frames && n < RUNTIME_SINGLES_MOST; i++) {
		uint64_t at = copy->frame[i * RECORD_FRAME_WORDS];

		if (piece_with(copy->piece, copy->pieces, at, table->frame_bytes))
			continue;
		if (mem_grow((void **)&thread->single, &thread->single_room, n + 1,
			    sizeof(*thread->single)) < 0)
			return;
		thread->single[n++] = at;
		thread->singles = n;
	}
}

void runtime_thread_learn(struct runtime_thread *thread, const struct runtime_table *table,
	const struct runtime_copy *copy)
{
	thread->chunks = thread->singles = 0;
	if (!(copy->flags & RECORD_RUNTIME_UNKNOWN))
		learn(thread, table, copy);
}

void runtime_thread_release(struct runtime_thread *thread)
{
	free(thread->chunk);
	free(thread->single);
	*thread = (struct runtime_thread){0};
}
