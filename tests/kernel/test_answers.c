/* SPDX-License-Identifier: MIT */
/* Requests and answers between a program and the supervisor, when one of the two misbehaves. */
#include "tests/kernel/calling.h"

#include <stdlib.h>
#include <sys/stat.h>

/* Two threads are counted in one counter: no tick is lost, and none counts twice. */
static uint32_t counted;

static void remember(struct kernel *k, struct task *t)
{
	(void)k;
	counted = counter(t);
}

static const struct step second[] = {RUN(40 * MS), EXIT(0)};
static bool is_on;
static unsigned judged; /* orders in which all requests were answered */

static void note_on(struct kernel *k, struct task *t)
{
	(void)k;
	(void)t;
	is_on = asked;
}

static const struct step two[] = {DO(on), DO(note_on), CLONE(second), RUN(40 * MS), SLEEP(60 * MS),
	DO(status), SLEEP(5 * MS), DO(off), RUN(MS), SLEEP(5 * MS), DO(remember), EXIT_GROUP(0)};

static void two_build(struct kernel *k)
{
	build(k, two);
	k->cpus = 3;
}

/* Reads all answers. Returns how many bring a status; @ret_status gets the last one's. */
static unsigned read_statuses(struct call_status *ret_status)
{
	uint8_t data[CALL_STATUS_BYTES];
	unsigned n = 0;
	ssize_t got;

	while ((got = read(answers[0], data, CALL_ANSWER_BYTES)) == CALL_ANSWER_BYTES) {
		if (memcmp(data, "SPRT", 4) != 0)
			continue;
		got = read(answers[0], data + CALL_ANSWER_BYTES,
			CALL_STATUS_BYTES - CALL_ANSWER_BYTES);
		n += got == CALL_STATUS_BYTES - CALL_ANSWER_BYTES &&
			call_get_status(data, sizeof(data), ret_status) == 0;
	}
	return n;
}

/* After the answer to "off" no counter changes, so the bin has what that answer says. */
static void all_ticks_are_there(struct kernel *k, const struct engine_result *result)
{
	struct call_status status;
	unsigned statuses = read_statuses(&status);

	if (result->error)
		kernel_fail(k, "error %d", result->error);
	else if (!is_on || statuses < 2)
		return; /* the first request came too early, or the last answer too late */
	else if (counted != status.counted || counted < 30 || counted > 84)
		kernel_fail(k, "%u ticks in the bin, %llu counted", counted,
			(unsigned long long)status.counted);
	else
		judged++;
}

static void two_threads_in_one_bin(void **state)
{
	struct scene scene = calling(two_build);

	(void)state;
	scene.check = all_ticks_are_there;
	some(__func__, &scene);
	scene.options.serve_only = false;
	some(__func__, &scene);
	assert_true(judged > 0);
}

/*
 * The descriptor that a sender names as its answer pipe may be any file, also one to which only the
 * supervisor may write. The supervisor must open and write only pipes of the sender.
 */
static const struct step asks[] = {DO(on), RUN(3 * MS), DO(off), RUN(MS), EXIT_GROUP(0)};
static int in_place, afterwards;
static bool without_copies;

static void asks_build(struct kernel *k)
{
	build(k, asks);
	k->object_fd = in_place;
	k->object_next = afterwards;
	k->no_copies = without_copies;
}

static unsigned answered(int fd, int next, bool no_copies)
{
	struct scene scene = calling(asks_build);

	in_place = fd;
	afterwards = next;
	without_copies = no_copies;
	once("answers", &scene);
	return count_answers(0);
}

static void answer_with_rights_of_sender(void **state)
{
	char name[] = "/tmp/answer-XXXXXX", path[32];
	int file = mkstemp(name), fifo, reader, sender;
	struct stat st;

	(void)state;
	for (int no_copies = 0; no_copies < 2; no_copies++) {
		sender = dup(answers[1]);
		reader = dup(answers[0]);
		assert_int_equal(answered(sender, -1, no_copies), 2);
		/*
		 * No answer is written to a file, nor to a descriptor that is the reading end of
		 * the pipe.
		 */
		assert_int_equal(answered(file, -1, no_copies), 0);
		assert_int_equal(answered(reader, -1, no_copies), 0);
		/*
		 * If the descriptor is exchanged after the supervisor has checked it, the answer
		 * goes to the checked one if that was copied, otherwise to none.
		 */
		assert_int_equal(answered(sender, file, no_copies), no_copies ? 0 : 2);
		assert_int_equal(answered(file, sender, no_copies), 0);
		assert_int_equal(answered(sender, reader, true), 0);
		(void)close(sender);
		(void)close(reader);
	}
	assert_int_equal(fstat(file, &st), 0);
	assert_int_equal(st.st_size, 0);
	(void)close(file);
	assert_int_equal(unlink(name), 0);
	/* A named pipe gets no answer: it lies in a file system, and could be another user's. */
	assert_int_equal(mkfifo(name, 0600), 0);
	fifo = open(name, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	assert_true(fifo >= 0);
	assert_int_equal(answered(fifo, -1, false), 0);
	assert_int_equal(answered(fifo, -1, true), 0);
	assert_int_equal(read(fifo, path, sizeof(path)), -1);
	assert_int_equal(errno, EAGAIN);
	(void)close(fifo);
	assert_int_equal(unlink(name), 0);
}

/*
 * Another process keeps the request pipe full, with requests of a process that is not traced, and
 * with noise. The supervisor must go on handling new threads and processes.
 */
static void begins(struct kernel *k, struct task *t);
static const struct step child[] = {MARK, EXIT_GROUP(0)};
static const struct step forks[] = {
	DO(begins), FORK(child), WAIT, RUN(MS), AGAIN(3, 8), EXIT_GROUP(0)};
static bool noise;
static unsigned reads;
static unsigned long calls_then;

static void fill(struct kernel *k)
{
	const struct call_request q = {.pid = 7777,
		.tid = 7777,
		.answer = 7,
		.nonce = 0x1234567,
		.seal = SEAL,
		.dialect = CALL_NATIVE,
		.element = 4};
	uint8_t message[CALL_MAX_BYTES];
	int n = call_put_request(message, sizeof(message), &q, NULL);

	if (noise)
		memset(message, 0x5a, (size_t)n);
	kernel_tick(k);
	k->scratch++;
	/*
	 * This hook refills the pipe before each read. A supervisor that read until the pipe was
	 * empty would do nothing else any more.
	 */
	reads = k->calls == calls_then ? reads + 1 : 0;
	calls_then = k->calls;
	if (reads > 2000)
		kernel_fail(k, "the supervisor reads requests and does nothing else");
	while (!k->broken && write(k->pipe_end[1], message, (size_t)n) == n)
		;
}

static void begins(struct kernel *k, struct task *t)
{
	(void)t;
	if (k->tracing)
		fill(k);
}

static void flooded_build(struct kernel *k)
{
	build(k, forks);
	k->reading = fill;
}

static void births_went_on(struct kernel *k, const struct engine_result *result)
{
	if (result->error || k->scratch < 100)
		kernel_fail(k, "error %d, %zu reads", result->error, k->scratch);
	if (k->longest_stop_ns > (uint64_t)(20 * MS))
		kernel_fail(k, "a thread stands in a stop for %llu us",
			(unsigned long long)k->longest_stop_ns / 1000);
}

static void flood(void **state)
{
	struct scene scene = calling(flooded_build);

	(void)state;
	scene.options.serve_only = false;
	scene.options.duration_ns = 100 * (uint64_t)MS;
	scene.check = births_went_on;
	noise = false;
	once("requests", &scene);
	noise = true;
	once("noise", &scene);
}

/*
 * Tables in two pieces. Process 100 sends them beside many threads of process 200, each of which
 * begins a table.
 */
enum { OTHERS = 64, SENDERS = 40 };

static void piece(struct kernel *k, struct task *t, uint32_t first)
{
	const struct call_region region = {.base = COUNTER,
		.bytes = 64,
		.offset = KERNEL_CODE + 0x100 + 64 * first,
		.scale = 0x10000};
	const struct call_request q = {.pid = (uint32_t)t->group->pid,
		.tid = (uint32_t)t->tid,
		.answer = 7,
		.nonce = (uint64_t)t->tid,
		.seal = SEAL + CALL_SEAL_BYTES * (uint64_t)(t->tid % 128),
		.total = 2,
		.first = first,
		.count = 1,
		.dialect = CALL_NATIVE,
		.element = 4};
	uint8_t message[CALL_MAX_BYTES];
	int n = call_put_request(message, sizeof(message), &q, &region);

	call_put_seal(t->space->data + (q.seal - KERNEL_DATA), &q);
	if (k->tracing && (n < 0 || write(k->pipe_end[1], message, (size_t)n) != n))
		kernel_fail(k, "the request is not written");
}

static void begin_table(struct kernel *k, struct task *t)
{
	piece(k, t, 0);
}

static void end_table(struct kernel *k, struct task *t)
{
	piece(k, t, 1);
}

/* Numbers of answers: to the threads of process 100 and of 200, without an error and with EBUSY. */
struct told {
	unsigned good, good_others, busy, busy_others, more;
};

static struct told read_told(void)
{
	uint8_t data[CALL_ANSWER_BYTES];
	struct told told = {0};
	struct call_answer a;

	while (read(answers[0], data, sizeof(data)) == (ssize_t)sizeof(data)) {
		bool other = call_get_answer(data, sizeof(data), &a) == 0 && a.nonce > 200;

		told.good += !a.error && !other;
		told.good_others += !a.error && other;
		told.busy += a.error == EBUSY && !other;
		told.busy_others += a.error == EBUSY && other;
		told.more += a.error && a.error != EBUSY;
	}
	return told;
}

static const struct step others_stay[] = {SLEEP(22 * MS), DO(begin_table), SLEEP(60 * MS), EXIT(0)};
static const struct step others_end[] = {SLEEP(22 * MS), DO(begin_table), SLEEP(MS), EXIT(0)};
static const struct step stays[] = {SLEEP(200 * MS), EXIT_GROUP(0)};
/* One sends while the others do. */
static const struct step sends[] = {
	SLEEP(20 * MS), DO(begin_table), SLEEP(60 * MS), DO(end_table), SLEEP(MS), EXIT_GROUP(0)};
/* Many send when the others have ended. */
static const struct step sends_later[] = {
	SLEEP(60 * MS), DO(begin_table), SLEEP(60 * MS), DO(end_table), SLEEP(MS), EXIT(0)};
/* The table of this one, the first of many, is dropped, and it sends it again. */
static const struct step is_dropped[] = {SLEEP(20 * MS), DO(begin_table), SLEEP(30 * MS),
	DO(end_table), SLEEP(2 * MS), DO(begin_table), SLEEP(2 * MS), DO(end_table), SLEEP(MS),
	EXIT(0)};
static const struct step *others_do;
static unsigned senders;

static void pieces_build(struct kernel *k)
{
	struct task *t;

	build(k, senders ? stays : sends);
	t = kernel_find(k, 100);
	for (unsigned i = 0; i < senders; i++)
		(void)kernel_add_thread(k, t, 101 + (int)i, sends_later);
	t = kernel_add_process(k, 200, 1, "/bin/others", stays);
	for (unsigned i = 0; i < OTHERS; i++)
		(void)kernel_add_thread(k, t, 201 + (int)i, others_do);
	if (!senders)
		kernel_find(k, 201)->at = is_dropped;
}

static void tables_in_pieces(void **state)
{
	static const int both[] = {100, 200};
	struct scene scene = calling(pieces_build);
	struct told told;

	(void)state;
	scene.pids = both;
	scene.pids_n = 2;
	/* The process with the many tables loses one of its own, and sends it again. */
	others_do = others_stay;
	once("one sender", &scene);
	told = read_told();
	assert_int_equal(told.good, 1);
	assert_int_equal(told.busy_others, 1);
	assert_int_equal(told.good_others, 1);
	assert_int_equal(told.busy + told.more, 0);
	/* Threads that have ended hold no tables. */
	others_do = others_end;
	senders = SENDERS;
	once("many senders", &scene);
	told = read_told();
	assert_int_equal(told.good, SENDERS);
	assert_int_equal(told.busy + told.more + told.busy_others + told.good_others, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			two_threads_in_one_bin, open_answers, close_answers),
		cmocka_unit_test_setup_teardown(
			answer_with_rights_of_sender, open_answers, close_answers),
		cmocka_unit_test_setup_teardown(tables_in_pieces, open_answers, close_answers),
		cmocka_unit_test_setup_teardown(flood, open_answers, close_answers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
