/* SPDX-License-Identifier: MIT */
/*
 * The supervisor writes an answer only to a pipe that the sender of the request can write to, and
 * does not wait for the pipe. Native interface.
 */
#include <sprofil/sprofil.h>

#include "tests/calls/live.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "client/client.h"

/* Length of the answer to "off". */
#define OFF_BYTES (CALL_ANSWER_BYTES + CALL_STATUS_BYTES)

static unsigned counts[4];

static void on(void)
{
	struct prof p = {counts, 16, LIVE_A, 0x10000};

	assert_int_equal(sprofil(&p, 1, NULL, PROF_UINT), 0);
}

static void off(void)
{
	assert_int_equal(sprofil(NULL, 0, NULL, 0), 0);
}

static _Alignas(8) uint8_t seal[CALL_SEAL_BYTES];

/* Makes an "off" with a valid seal, to be answered to @answer; returns the request's length. */
static int make_request(int answer, uint8_t message[CALL_MAX_BYTES])
{
	static uint64_t nonce;
	struct call_request q = {.pid = (uint32_t)getpid(),
		.tid = (uint32_t)syscall(SYS_gettid),
		.answer = answer,
		.nonce = ++nonce,
		.seal = (uintptr_t)seal,
		.element = 4};
	call_put_seal(seal, &q);
	return call_put_request(message, CALL_MAX_BYTES, &q, NULL);
}

static void send_times(const uint8_t *message, int bytes, unsigned times)
{
	int fd = client_find();

	assert_true(fd >= 0);
	for (unsigned i = 0; i < times; i++)
		assert_int_equal(write(fd, message, (size_t)bytes), bytes);
	assert_int_equal(close(fd), 0);
}

static void ask(int answer)
{
	uint8_t message[CALL_MAX_BYTES];

	send_times(message, make_request(answer, message), 1);
}

static int bytes_in(int fd)
{
	int n = -1;

	assert_int_equal(ioctl(fd, FIONREAD, &n), 0);
	return n;
}

/* Returns how many bytes of an answer to @number are in the pipe @read_fd after a later call. */
static int answered(int read_fd, int number)
{
	on();
	ask(number);
	on();
	off();
	return bytes_in(read_fd);
}

/* A sender that can only read a pipe gets no answer there. */
static void check_rights(void)
{
	int fd[2], both;
	char path[64];

	assert_int_equal(pipe(fd), 0);
	assert_int_equal(answered(fd[0], fd[0]), 0);
	assert_int_equal(answered(fd[0], fd[1]), OFF_BYTES);
	(void)snprintf(path, sizeof(path), "/proc/thread-self/fd/%d", fd[0]);
	both = open(path, O_RDWR);
	assert_true(both >= 0);
	assert_int_equal(answered(fd[0], both), 2 * OFF_BYTES);
	(void)close(both);
	(void)close(fd[0]);
	(void)close(fd[1]);
}

/* Provokes the race answer_with_rights_of_sender of docs/PTRACE.md. */
static void test_live_answers__rights_of_the_sender(void **state)
{
	(void)state;
	check_rights();
}

/* A copy of an "off", sent after its call wiped the seal, has no effect and no answer. */
static void test_live_answers__a_replayed_request(void **state)
{
	uint8_t message[CALL_MAX_BYTES];
	unsigned sum = 0;
	int fd[2], bytes;

	(void)state;
	assert_int_equal(pipe(fd), 0);
	on();
	bytes = make_request(fd[1], message);
	send_times(message, bytes, 1);
	on();
	assert_int_equal(bytes_in(fd[0]), OFF_BYTES);
	memset(seal, 0, sizeof(seal));
	memset(counts, 0, sizeof(counts));
	send_times(message, bytes, 20);
	(void)live_spin(LIVE_A, LIVE_SHORT);
	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++)
		sum += counts[i];
	off();
	assert_true(sum > 0); /* the table is still in force */
	assert_int_equal(bytes_in(fd[0]), OFF_BYTES);
	(void)close(fd[0]);
	(void)close(fd[1]);
}

static void *check_with_own_descriptors(void *ret_done)
{
	if (unshare(CLONE_FILES) == 0) {
		check_rights();
		*(int *)ret_done = 1;
	}
	return NULL;
}

/*
 * The supervisor cannot copy the pipe of a thread with a descriptor table of its own, but can open
 * it. A pipe that the thread can only read gets no answer.
 */
static void test_live_answers__rights_of_a_thread_with_own_descriptors(void **state)
{
	pthread_t thread;
	int done = 0;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, check_with_own_descriptors, &done), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	if (!done)
		skip();
}

/* Files other than pipes are not opened, and stay as they are. */
static void test_live_answers__only_to_pipes(void **state)
{
	char folder[] = "/tmp/answers.XXXXXX", path[64];
	int pair[2], fifo, file;
	struct stat st;

	(void)state;
	assert_non_null(mkdtemp(folder));
	(void)snprintf(path, sizeof(path), "%s/fifo", folder);
	assert_int_equal(mkfifo(path, 0600), 0);
	fifo = open(path, O_RDWR);
	(void)unlink(path);
	(void)snprintf(path, sizeof(path), "%s/file", folder);
	file = open(path, O_CREAT | O_RDWR, 0600);
	(void)unlink(path);
	(void)rmdir(folder);
	assert_true(fifo >= 0 && file >= 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	assert_int_equal(answered(fifo, fifo), 0);
	assert_int_equal(answered(pair[0], pair[1]), 0);
	on();
	ask(file);
	ask(INT32_MAX);
	off();
	assert_int_equal(fstat(file, &st), 0);
	assert_int_equal(st.st_size, 0);
	(void)close(file);
	(void)close(fifo);
	(void)close(pair[0]);
	(void)close(pair[1]);
}

/* The supervisor waits neither for a full pipe nor for one without a reader. */
static void test_live_answers__full_and_broken_pipes(void **state)
{
	char block[4096] = {0};
	struct timespec since, now;
	int fd[2];

	(void)state;
	assert_int_equal(pipe2(fd, O_NONBLOCK), 0);
	while (write(fd[1], block, sizeof(block)) > 0)
		;
	assert_int_equal(fcntl(fd[1], F_SETFL, 0), 0);
	(void)clock_gettime(CLOCK_MONOTONIC, &since);
	for (unsigned i = 0; i < 20; i++) {
		on();
		ask(fd[1]);
		if (i == 10)
			assert_int_equal(close(fd[0]), 0);
	}
	off();
	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	assert_true(now.tv_sec - since.tv_sec < 5);
	(void)close(fd[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_live_answers__rights_of_the_sender),
		cmocka_unit_test(test_live_answers__a_replayed_request),
		cmocka_unit_test(test_live_answers__rights_of_a_thread_with_own_descriptors),
		cmocka_unit_test(test_live_answers__only_to_pipes),
		cmocka_unit_test(test_live_answers__full_and_broken_pipes),
	};

	return live_run(tests);
}
