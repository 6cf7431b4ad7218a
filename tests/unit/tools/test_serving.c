/* SPDX-License-Identifier: MIT */
/* Messages of the server: requests, heads of pieces, profiles that wait for a store. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "proto/bytes.h"
#include "proto/piece.h"
#include "tools/serve/push_queue.h"
#include "tools/serve/push_url.h"
#include "tools/serve/serve_request.h"

static void test_serving__seconds(void **state)
{
	static const char *const bad[] = {"", "0", "601", "-1", "+1", " 1", "1 ", "1s", "1.5",
		"99999999999999999999", "0x10", "000000001"};
	unsigned seconds = 7;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_false(request_seconds(bad[i], &seconds));
	assert_int_equal(seconds, 7);
	assert_true(request_seconds(NULL, &seconds));
	assert_int_equal(seconds, 30);
	assert_true(request_seconds("1", &seconds));
	assert_int_equal(seconds, 1);
	assert_true(request_seconds("600", &seconds));
	assert_int_equal(seconds, 600);
}

static void test_serving__hosts(void **state)
{
	static const char *const good[] = {"localhost", "LocalHost:6060", "127.0.0.1",
		"127.0.0.1:1", "[::1]", "[::1]:6060", "10.0.0.1:80"};
	static const char *const bad[] = {"", ":6060", "evil.example", "evil.example:6060",
		"localhost.evil.example", "127.0.0.1.evil.example", "[::1", "[::1]x", "[evil]",
		"127.0.0.1@evil.example",
		"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"};

	(void)state;
	assert_true(request_host_is_loopback(NULL));
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
		assert_true(request_host_is_loopback(good[i]));
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_false(request_host_is_loopback(bad[i]));
}

static void test_serving__a_piece_round_trip_at_the_offsets_of_the_table(void **state)
{
	const struct piece in = {PIECE_WHOLE, 7, 0x1122334455667788, 0x1122334455667799};
	uint8_t b[PIECE_BYTES], bad[PIECE_BYTES];
	struct piece out;

	(void)state;
	piece_put(b, &in);
	assert_memory_equal(b, "SFPC", 4);
	assert_int_equal(b[4], PIECE_WHOLE);
	assert_int_equal(b[8], 7);
	assert_int_equal(b[16], 0x88);
	assert_int_equal(b[24], 0x99);
	assert_int_equal(piece_get(b, sizeof(b), &out), 0);
	assert_memory_equal(&in, &out, sizeof(in));
	assert_int_equal(piece_get(b, sizeof(b) - 1, &out), -EPROTO);
	for (size_t i = 0; i < 16; i++) {
		memcpy(bad, b, sizeof(bad));
		bad[i] = i >= 8 && i < 12 ? 0 : 9;
		if (i > 8 && i < 12)
			/* the number of the segment: any value is valid */
			continue;
		assert_int_equal(piece_get(bad, sizeof(bad), &out), -EPROTO);
	}
	b[31] = 0; /* the piece ends before it begins */
	assert_int_equal(piece_get(b, sizeof(b), &out), -EPROTO);
}

static void check_url(const char *url, const char *name, const char *wanted)
{
	char *got = push_url(url, name, 1700000000, 1700000015);

	assert_non_null(got);
	assert_string_equal(got, wanted);
	free(got);
}

static void test_serving__urls(void **state)
{
	(void)state;
	check_url("http://a:4040", "redis-server",
		"http://a:4040/ingest?format=pprof&name=redis-server&from=1700000000"
		"&until=1700000015&spyName=sprofil");
	check_url("http://a:4040/", "a b&c",
		"http://a:4040/ingest?format=pprof&name=a%20b%26c&from=1700000000"
		"&until=1700000015&spyName=sprofil");
	check_url("https://u:p@a/x/y?name=mine{env=a}&from=1", "n",
		"https://u:p@a/x/y?format=pprof&name=mine{env=a}&from=1&until=1700000015"
		"&spyName=sprofil");
	check_url("http://a?rename=x#f", "n",
		"http://a/ingest?format=pprof&rename=x&name=n&from=1700000000"
		"&until=1700000015&spyName=sprofil");
}

/* Puts a profile of @bytes bytes, all equal to its number. */
static void put(struct push_queue *queue, const int ends[2], uint64_t from, size_t bytes)
{
	uint8_t *data = malloc(PUSH_HEAD_BYTES + bytes);
	struct writer w = writer_over(data, PUSH_HEAD_BYTES);
	size_t done = 0;

	put_u64(&w, from);
	put_u64(&w, from + 1);
	put_u64(&w, bytes);
	memset(data + PUSH_HEAD_BYTES, (int)from, bytes);
	while (done < PUSH_HEAD_BYTES + bytes) {
		ssize_t n = write(ends[1], data + done, PUSH_HEAD_BYTES + bytes - done);

		assert_true(n > 0 || errno == EAGAIN);
		done += n > 0 ? (size_t)n : 0;
		for (int i = 0; i < 40; i++)
			assert_true(push_queue_read(queue, ends[0]));
	}
	for (int i = 0; i < 40; i++)
		assert_true(push_queue_read(queue, ends[0]));
	free(data);
}

static void begin(int ends[2])
{
	assert_int_equal(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
}

static void test_serving__the_queue_gives_up_the_oldest(void **state)
{
	struct push_queue *queue = calloc(1, sizeof(*queue));
	int ends[2];

	(void)state;
	begin(ends);
	for (uint64_t i = 1; i <= 5; i++)
		put(queue, ends, i, PUSH_QUEUE_BYTES / 4);
	assert_int_equal(queue->n, 4);
	assert_int_equal(queue->lost, 1);
	assert_int_equal(queue->bytes, PUSH_QUEUE_BYTES);
	assert_int_equal(push_queue_first(queue)->from, 2);
	assert_int_equal(push_queue_first(queue)->data[0], 2);
	push_queue_drop(queue);
	assert_int_equal(push_queue_first(queue)->until, 4);
	for (uint64_t i = 0; i < 2 * PUSH_QUEUE_MOST; i++)
		put(queue, ends, i, 10);
	assert_int_equal(queue->n, PUSH_QUEUE_MOST);
	push_queue_release(queue);
	assert_null(push_queue_first(queue));
	(void)close(ends[0]);
	(void)close(ends[1]);
	free(queue);
}

static void test_serving__what_is_no_profile_ends_the_queue(void **state)
{
	static const uint64_t sizes[] = {0, PUSH_QUEUE_BYTES + 1, UINT64_MAX};

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		struct push_queue *queue = calloc(1, sizeof(*queue));
		uint8_t head[PUSH_HEAD_BYTES] = {0};
		struct writer w = writer_over(head + 16, 8);
		int ends[2];

		begin(ends);
		put_u64(&w, sizes[i]);
		assert_int_equal(write(ends[1], head, sizeof(head)), sizeof(head));
		assert_false(push_queue_read(queue, ends[0]));
		(void)close(ends[1]);
		assert_null(push_queue_first(queue));
		push_queue_release(queue);
		(void)close(ends[0]);
		free(queue);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_serving__seconds),
		cmocka_unit_test(test_serving__hosts),
		cmocka_unit_test(test_serving__a_piece_round_trip_at_the_offsets_of_the_table),
		cmocka_unit_test(test_serving__urls),
		cmocka_unit_test(test_serving__the_queue_gives_up_the_oldest),
		cmocka_unit_test(test_serving__what_is_no_profile_ends_the_queue),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
