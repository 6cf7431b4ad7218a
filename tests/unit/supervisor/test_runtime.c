/* SPDX-License-Identifier: MIT */
/* Frames of an interpreter in memory that the test makes: CPython 3.11, sound and damaged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "proto/record.h"
#include "supervisor/target/runtime_copy.h"

enum { RUNTIME = 0x10000, GROUP = 0x11000, THREAD = 0x12000, OTHER = 0x13000, CHUNK = 0x20000 };
enum { OLD_CHUNK = 0x30000, ALONE = 0x40000, CODE = 0x50000, TEXT = 0x60000, TID = 77 };
enum { PAGES = 0x70, MEMORY_BYTES = PAGES * 4096 };

/* Memory from 0x10000 on, of which pages can be made unreadable. */
struct memory {
	uint8_t byte[MEMORY_BYTES];
	bool missing[PAGES];
	unsigned reads;
};

static struct memory *memory_new(void)
{
	struct memory *memory = calloc(1, sizeof(*memory));

	assert_non_null(memory);
	return memory;
}

static bool is_there(const struct memory *m, uint64_t at, size_t n)
{
	if (at < RUNTIME || at - RUNTIME > MEMORY_BYTES || n > MEMORY_BYTES - (at - RUNTIME))
		return false;
	for (uint64_t page = (at - RUNTIME) / 4096; n && page <= (at + n - 1 - RUNTIME) / 4096;
		page++)
		if (m->missing[page])
			return false;
	return true;
}

/* The tests' clock stands still, except for @read_ns in each read. */
static uint64_t now_ns = 1, read_ns;

uint64_t __wrap_clock_now(void);

uint64_t __wrap_clock_now(void)
{
	return now_ns;
}

static ssize_t read_memory(
	void *context, const struct iovec *to, const struct iovec *from, size_t n)
{
	struct memory *m = context;
	ssize_t got = 0;

	m->reads++;
	now_ns += read_ns;
	for (size_t i = 0; i < n; i++) {
		uint64_t at = (uintptr_t)from[i].iov_base;

		assert_int_equal(to[i].iov_len, from[i].iov_len);
		if (!is_there(m, at, from[i].iov_len))
			return got ? got : -EFAULT;
		memcpy(to[i].iov_base, m->byte + (at - RUNTIME), from[i].iov_len);
		got += (ssize_t)from[i].iov_len;
	}
	return got;
}

static void poke(struct memory *m, uint64_t at, uint64_t word)
{
	memcpy(m->byte + (at - RUNTIME), &word, sizeof(word));
}

static const struct runtime_table table = {
	.pid = 7,
	.id = 0x30b,
	.threads_head = RUNTIME + 40,
	.group_next = 0,
	.group_threads = 16,
	.thread_bytes = 312,
	.thread_next = 8,
	.thread_tid = 160,
	.thread_self = 152,
	.thread_frame = 56,
	.frame_behind = RUNTIME_NONE,
	.thread_word = {56, RUNTIME_NONE},
	.thread_chunk = 296,
	.thread_top = 304,
	.chunk_previous = 0,
	.chunk_used = 16,
	.chunk_data = 24,
	.watch = {RUNTIME + 368, RUNTIME + 376},
	.frame_bytes = 72,
	.frame_word = {48, 32, 56, 64},
	.object_bytes = 144,
	.key = {112, 128, 136, 72, 16},
	.text = {{112, 16, 72, 4}, {128, 16, 72, 4}, {136, 16, 32, 1}},
};

static void put_frame(struct memory *m, uint64_t at, uint64_t previous, uint64_t code)
{
	poke(m, at + 48, previous);
	poke(m, at + 32, code);
	poke(m, at + 56, code + 184 + 2 * (at & 15));
}

/* Three frames are in the thread's newest chunk, one is outside, two are in the older chunk. */
static struct memory *memory_of_thread(void)
{
	struct memory *m = memory_new();

	poke(m, RUNTIME + 40, GROUP);
	poke(m, GROUP + 16, OTHER);
	poke(m, OTHER + 8, THREAD);
	poke(m, OTHER + 160, TID + 1);
	poke(m, OTHER + 152, 0x7001);
	poke(m, THREAD + 160, TID);
	poke(m, THREAD + 152, 0x7000);
	poke(m, THREAD + 56, CHUNK + 224);
	poke(m, THREAD + 296, CHUNK);
	poke(m, THREAD + 304, CHUNK + 324);
	poke(m, CHUNK, OLD_CHUNK);
	poke(m, OLD_CHUNK + 16, 40); /* in words */
	poke(m, RUNTIME + 368, THREAD);
	poke(m, RUNTIME + 376, 1);
	put_frame(m, CHUNK + 224, CHUNK + 124, CODE);
	put_frame(m, CHUNK + 124, CHUNK + 24, CODE + 256);
	put_frame(m, CHUNK + 24, ALONE, CODE);
	put_frame(m, ALONE, OLD_CHUNK + 124, CODE + 512);
	put_frame(m, OLD_CHUNK + 124, OLD_CHUNK + 24, CODE);
	put_frame(m, OLD_CHUNK + 24, 0, CODE);
	return m;
}

static const uint64_t frames[] = {
	CHUNK + 224, CHUNK + 124, CHUNK + 24, ALONE, OLD_CHUNK + 124, OLD_CHUNK + 24};

static void assert_frames(const struct runtime_copy *copy, size_t n)
{
	assert_int_equal(copy->frames, n);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(copy->frame[i * RECORD_FRAME_WORDS], frames[i]);
}

static void test_runtime__frames_are_found_and_found_again_by_one_read(void **state)
{
	struct memory *m = memory_of_thread();
	const struct runtime_source source = {read_memory, m, NULL};
	struct runtime_thread thread = {0};
	struct runtime_copy copy = {0};

	(void)state;
	assert_int_equal(runtime_copy_init(&copy), 0);
	runtime_copy_take(&copy, &table, &thread, &source, TID, 1);
	assert_int_equal(copy.flags, 0);
	assert_int_equal(copy.thread, THREAD);
	assert_int_equal(copy.watch[0], THREAD);
	assert_int_equal(copy.watch[1], 1);
	assert_int_equal(copy.thread_word[0], CHUNK + 224);
	assert_frames(&copy, 6);
	assert_int_equal(copy.frame[2], CODE);
	assert_int_equal(copy.frame[RECORD_FRAME_WORDS + 2], CODE + 256);
	runtime_thread_learn(&thread, &table, &copy);
	assert_int_equal(thread.chunks, 2);
	assert_int_equal(thread.singles, 1);
	m->reads = 0;
	runtime_copy_take(&copy, &table, &thread, &source, TID, 1);
	assert_int_equal(m->reads, 1);
	assert_int_equal(copy.flags, 0);
	assert_frames(&copy, 6);
	runtime_thread_release(&thread);
	runtime_copy_release(&copy);
	free(m);
}

static void test_runtime__the_stack_has_changed_since(void **state)
{
	struct memory *m = memory_of_thread();
	const struct runtime_source source = {read_memory, m, NULL};
	struct runtime_thread thread = {0};
	struct runtime_copy copy = {0};

	(void)state;
	assert_int_equal(runtime_copy_init(&copy), 0);
	runtime_copy_take(&copy, &table, &thread, &source, TID, 1);
	runtime_thread_learn(&thread, &table, &copy);
	/* The newest chunk and the single frame are gone. */
	poke(m, THREAD + 56, OLD_CHUNK + 124);
	poke(m, THREAD + 296, OLD_CHUNK);
	poke(m, THREAD + 304, OLD_CHUNK + 24 + 320);
	m->missing[(CHUNK - RUNTIME) / 4096] = true;
	runtime_copy_take(&copy, &table, &thread, &source, TID, 1);
	assert_int_equal(copy.flags, 0);
	assert_int_equal(copy.frames, 2);
	assert_int_equal(copy.frame[0], OLD_CHUNK + 124);
	runtime_thread_learn(&thread, &table, &copy);
	/* The chunk grows again, by more than was expected. */
	m->missing[(CHUNK - RUNTIME) / 4096] = false;
	poke(m, THREAD + 56, CHUNK + 224);
	poke(m, THREAD + 296, CHUNK);
	poke(m, THREAD + 304, CHUNK + 4000);
	runtime_copy_take(&copy, &table, &thread, &source, TID, 1);
	assert_int_equal(copy.flags, 0);
	assert_frames(&copy, 6);
	runtime_thread_release(&thread);
	runtime_copy_release(&copy);
	free(m);
}

/*
 * The older chunk has grown to 8 MiB, too much for the first read. That takes the newest chunk and
 * a frame outside of the chunks; the older chunk is read then.
 */
static void test_runtime__chunks_that_do_not_fit_are_read_later(void **state)
{
	struct memory *m = memory_of_thread();
	const struct runtime_source source = {read_memory, m, NULL};
	struct runtime_range chunk[] = {
		{CHUNK, CHUNK + 324}, {OLD_CHUNK, OLD_CHUNK + (UINT64_C(8) << 20)}};
	uint64_t single = ALONE;
	struct runtime_thread thread = {
		.address = THREAD, .chunk = chunk, .chunks = 2, .single = &single, .singles = 1};
	struct runtime_copy copy = {0};

	(void)state;
	assert_int_equal(runtime_copy_init(&copy), 0);
	runtime_copy_take(&copy, &table, &thread, &source, TID, 1);
	assert_int_equal(copy.flags, 0);
	assert_int_equal(copy.single.bytes, table.frame_bytes);
	assert_frames(&copy, 6);
	/* Three reads: all that the last sample taught, the older chunk's header, its frames. */
	assert_int_equal(m->reads, 3);
	runtime_copy_release(&copy);
	free(m);
}

static void test_runtime__a_thread_is_known_by_its_pointer_or_its_tid(void **state)
{
	struct memory *m = memory_of_thread();
	const struct runtime_source source = {read_memory, m, NULL};

	(void)state;
	assert_int_equal(runtime_find_thread(&table, &source, TID, 0, 100), THREAD);
	assert_int_equal(runtime_find_thread(&table, &source, 1, 0x7001, 100), OTHER);
	assert_int_equal(runtime_find_thread(&table, &source, TID, 0x7002, 100), 0);
	/* A bound of two reads: the group, and one thread. */
	assert_int_equal(runtime_find_thread(&table, &source, TID, 0, 2), 0);
	poke(m, THREAD + 8, OTHER); /* the list of threads is a circle */
	m->reads = 0;
	assert_int_equal(runtime_find_thread(&table, &source, 5, 0, 100), 0);
	assert_true(m->reads <= 102);
	free(m);
}

static void test_runtime__a_thread_that_is_gone_is_searched_for(void **state)
{
	struct memory *m = memory_of_thread();
	const struct runtime_source source = {read_memory, m, NULL};
	struct runtime_thread thread = {0};
	struct runtime_copy copy = {0};

	(void)state;
	assert_int_equal(runtime_copy_init(&copy), 0);
	thread.address = OTHER;
	runtime_copy_take(&copy, &table, &thread, &source, TID, 1);
	assert_int_equal(copy.thread, THREAD);
	assert_frames(&copy, 6);
	runtime_copy_take(&copy, &table, &thread, &source, 5, 1);
	assert_int_equal(copy.flags, RECORD_RUNTIME_UNKNOWN);
	assert_int_equal(copy.frames, 0);
	assert_int_equal(thread.address, 0);
	runtime_thread_learn(&thread, &table, &copy);
	assert_int_equal(thread.chunks, 0);
	runtime_thread_release(&thread);
	runtime_copy_release(&copy);
	free(m);
}

/* Reads are bounded, and damage is reported, whatever the memory contains. */
static void test_runtime__damaged_memory_is_bounded(void **state)
{
	static const struct {
		uint64_t at, word;
		uint16_t flags;
	} damage[] = {
		{OLD_CHUNK + 24 + 48, CHUNK + 124, RECORD_RUNTIME_UNREAD}, /* a loop of frames */
		{CHUNK + 224 + 48, CHUNK + 224, RECORD_RUNTIME_UNREAD},
		{CHUNK + 124 + 48, 0xdead0000, RECORD_RUNTIME_UNREAD},
		{CHUNK + 124 + 48, UINT64_MAX, RECORD_RUNTIME_UNREAD},
		{THREAD + 56, UINT64_MAX - 16, RECORD_RUNTIME_UNREAD},
		{CHUNK, CHUNK, RECORD_RUNTIME_TRUNCATED}, /* a loop of chunks */
		{THREAD + 304, UINT64_MAX, RECORD_RUNTIME_TRUNCATED},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(damage) / sizeof(*damage); i++) {
		struct memory *m = memory_of_thread();
		const struct runtime_source source = {read_memory, m, NULL};
		struct runtime_thread thread = {0};
		struct runtime_copy copy = {0};

		assert_int_equal(runtime_copy_init(&copy), 0);
		poke(m, damage[i].at, damage[i].word);
		for (int again = 0; again < 2; again++) {
			runtime_copy_take(&copy, &table, &thread, &source, TID, 1);
			assert_int_equal(copy.flags & damage[i].flags, damage[i].flags);
			assert_true(copy.reads <= RUNTIME_READS_MOST);
			assert_true(copy.frames <= 16);
			runtime_thread_learn(&thread, &table, &copy);
		}
		runtime_thread_release(&thread);
		runtime_copy_release(&copy);
		free(m);
	}
}

static void test_runtime__more_frames_than_one_read_takes(void **state)
{
	enum { DEEP = 3000 };
	struct memory *m = memory_of_thread();
	const struct runtime_source source = {read_memory, m, NULL};
	struct runtime_table heap = table;
	struct runtime_thread thread = {0};
	struct runtime_copy copy = {0};
	uint64_t guess[DEEP];

	(void)state;
	heap.thread_chunk = RUNTIME_NONE;
	for (uint64_t i = 0; i < DEEP; i++) {
		guess[i] = OLD_CHUNK + i * 80;
		put_frame(m, guess[i], i + 1 < DEEP ? guess[i] + 80 : 0, CODE);
	}
	poke(m, THREAD + 56, guess[0]);
	assert_int_equal(runtime_copy_init(&copy), 0);
	thread.address = THREAD;
	thread.single = guess;
	thread.singles = DEEP;
	runtime_copy_take(&copy, &heap, &thread, &source, TID, 1);
	assert_int_equal(copy.flags, 0);
	assert_int_equal(copy.frames, DEEP);
	assert_true(m->reads <= 5);
	/*
	 * As long as nothing is known of a thread's frames, they are read page by page. After
	 * runtime_thread_learn() a few large reads suffice.
	 */
	thread = (struct runtime_thread){.address = THREAD};
	m->reads = 0;
	runtime_copy_take(&copy, &heap, &thread, &source, TID, 1);
	assert_int_equal(copy.frames, DEEP);
	assert_int_equal(copy.flags, 0);
	assert_true(m->reads <= DEEP * 80 / 4096 + 5);
	runtime_thread_learn(&thread, &heap, &copy);
	m->reads = 0;
	runtime_copy_take(&copy, &heap, &thread, &source, TID, 1);
	assert_int_equal(copy.frames, DEEP);
	assert_true(m->reads <= 5);
	runtime_thread_release(&thread);
	/* If reads take long, the copy ends early. */
	thread = (struct runtime_thread){.address = THREAD};
	m->reads = 0;
	read_ns = RUNTIME_STOP_NS / 10;
	runtime_copy_take(&copy, &heap, &thread, &source, TID, 1);
	read_ns = 0;
	assert_int_equal(copy.flags, RECORD_RUNTIME_TRUNCATED);
	assert_in_range(copy.frames, 1, DEEP - 1);
	assert_in_range(m->reads, 10, 12);
	runtime_thread_release(&thread);
	runtime_copy_release(&copy);
	free(m);
}

static void test_runtime__objects_are_told_apart_by_their_keys(void **state)
{
	struct runtime_process *process = runtime_process_set(NULL, &table);
	struct runtime_object *object;
	uint8_t data[144] = {0};
	uint64_t hash = runtime_object_hash(&table, data);

	(void)state;
	assert_non_null(process);
	data[0] = 1; /* a reference count: not hashed */
	assert_int_equal(runtime_object_hash(&table, data), hash);
	data[136] = 1;
	assert_int_not_equal(runtime_object_hash(&table, data), hash);
	for (uint64_t i = 1; i < 100000; i++) {
		object = runtime_object_find(process, i * 64);
		assert_non_null(object);
		object->hash = i;
	}
	assert_int_equal(runtime_object_find(process, 99999 * 64)->hash, 99999);
	process = runtime_process_set(process, &table);
	assert_int_equal(runtime_object_find(process, 99999 * 64)->hash, 0);
	runtime_process_free(process);
}

static void test_runtime__texts_are_bounded(void **state)
{
	struct memory *m = memory_new();
	const struct runtime_source source = {read_memory, m, NULL};
	uint8_t object[144] = {0}, *to = malloc(RUNTIME_TEXT_BYTES_MOST);
	uint64_t at = TEXT;

	(void)state;
	assert_non_null(to);
	memcpy(object + 136, &at, 8);
	poke(m, TEXT + 16, 100);
	assert_int_equal(runtime_text_read(&table.text[2], object, &source, to), 132);
	poke(m, TEXT + 16, 5000);
	assert_int_equal(runtime_text_read(&table.text[2], object, &source, to), 5032);
	poke(m, TEXT + 16, UINT64_MAX);
	assert_int_equal(
		runtime_text_read(&table.text[2], object, &source, to), RUNTIME_TEXT_BYTES_MOST);
	/* A text at the end of a mapping is read, though memory behind it is missing. */
	m->missing[(TEXT - RUNTIME) / 4096 + 1] = true;
	at = TEXT + 4096 - 60;
	memcpy(object + 136, &at, 8);
	poke(m, at + 16, 20);
	assert_int_equal(runtime_text_read(&table.text[2], object, &source, to), 52);
	at = 1;
	memcpy(object + 136, &at, 8);
	assert_int_equal(runtime_text_read(&table.text[2], object, &source, to), 0);
	free(to);
	free(m);
}

static int send(const struct runtime_table *in, struct runtime_table *ret_table)
{
	struct runtime_incoming incoming = {0};
	uint8_t b[RUNTIME_REQUEST_BYTES];
	struct request request;
	int r = 0;

	runtime_table_put(b, in);
	for (int i = 0; i < RUNTIME_REQUESTS; i++) {
		assert_int_equal(r, 0);
		assert_int_equal(request_get(b + i * REQUEST_BYTES, &request), 0);
		r = runtime_table_take(&incoming, &request, ret_table);
	}
	return r;
}

static void test_runtime__tables_come_through_requests(void **state)
{
	struct runtime_incoming incoming = {0};
	struct runtime_table out;

	(void)state;
	memset(&out, 1, sizeof(out));
	assert_int_equal(send(&table, &out), 1);
	assert_memory_equal(&out, &table, sizeof(out));
	assert_int_equal(runtime_table_take(&incoming,
				 &(struct request){.type = REQUEST_RUNTIME, .index = 1}, &out),
		-EPROTO);
}

static void test_runtime__tables_out_of_bounds_are_refused(void **state)
{
	struct runtime_table bad, out;

	(void)state;
#define REFUSED(field, value)                                \
	do {                                                 \
		bad = table;                                 \
		bad.field = (value);                         \
		assert_int_equal(send(&bad, &out), -EPROTO); \
	} while (0)
	REFUSED(thread_bytes, RUNTIME_THREAD_BYTES_MOST + 1);
	REFUSED(thread_next, 305);
	REFUSED(thread_frame, RUNTIME_NONE);
	REFUSED(frame_bytes, RUNTIME_FRAME_BYTES_MOST + 1);
	REFUSED(frame_word[0], 65);
	REFUSED(frame_word[3], 65);
	REFUSED(object_bytes, RUNTIME_OBJECT_BYTES_MOST + 1);
	REFUSED(key[2], 140);
	REFUSED(text[1].pointer, 140);
	REFUSED(text[1].length, 66);
	REFUSED(text[1].unit, 0);
	REFUSED(chunk_data, 65);
	REFUSED(chunk_used, 17);
	REFUSED(thread_top, RUNTIME_NONE);
	REFUSED(group_threads, RUNTIME_OFFSET_MOST);
	REFUSED(frame_behind, RUNTIME_OFFSET_MOST);
	REFUSED(tag, 8);
#undef REFUSED
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_runtime__frames_are_found_and_found_again_by_one_read),
		cmocka_unit_test(test_runtime__the_stack_has_changed_since),
		cmocka_unit_test(test_runtime__chunks_that_do_not_fit_are_read_later),
		cmocka_unit_test(test_runtime__a_thread_is_known_by_its_pointer_or_its_tid),
		cmocka_unit_test(test_runtime__a_thread_that_is_gone_is_searched_for),
		cmocka_unit_test(test_runtime__damaged_memory_is_bounded),
		cmocka_unit_test(test_runtime__more_frames_than_one_read_takes),
		cmocka_unit_test(test_runtime__objects_are_told_apart_by_their_keys),
		cmocka_unit_test(test_runtime__texts_are_bounded),
		cmocka_unit_test(test_runtime__tables_come_through_requests),
		cmocka_unit_test(test_runtime__tables_out_of_bounds_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
