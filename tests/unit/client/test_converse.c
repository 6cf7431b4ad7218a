/* SPDX-License-Identifier: MIT */
/* One dialogue with a supervisor, which this test plays: client/converse.c. */
#include "client/client.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/refuse_call.h"

#define ENTRIES 70 /* needs three requests */

struct talk {
	struct client_call call;
	bool off;
	bool without_poll; /* a filter refuses poll() to the thread */
	bool again;        /* after -ESRCH, performs a second dialogue with the same pipe */
	int request_fd[2];
	atomic_int tid;
	atomic_bool done;
	_Atomic uint64_t seal; /* its address */
	bool sealed_still;     /* still valid when the call had returned */
	bool mask_is_same;
	int result;
	struct client_reply reply;
	struct call_request request; /* first request of the table */
	struct call_region region[ENTRIES];
	unsigned requests;
};

static uint64_t table[ENTRIES][4];

static void decode(const uint8_t entry[CLIENT_ENTRY_BYTES], struct call_region *ret_region)
{
	*ret_region = (struct call_region){.scale = 0x10000};
	memcpy(&ret_region->base, entry, 8);
	memcpy(&ret_region->bytes, entry + 8, 8);
	memcpy(&ret_region->offset, entry + 16, 8);
}

static struct talk talk_of(uint32_t count)
{
	struct talk t = {.call = {.dialect = CALL_IRIX,
				 .flags = CALL_FAST,
				 .element = 4,
				 .count = count,
				 .table = table,
				 .decode = decode}};

	for (uint64_t i = 0; i < ENTRIES; i++) {
		table[i][0] = 0x1000 * (i + 1);
		table[i][1] = 8 * (i + 1);
		table[i][2] = 0x400000 + i;
	}
	assert_int_equal(pipe2(t.request_fd, O_CLOEXEC | O_NONBLOCK), 0);
	return t;
}

static bool same_mask(const sigset_t *a, const sigset_t *b)
{
	for (int i = 1; i < NSIG; i++)
		if (sigismember(a, i) != sigismember(b, i))
			return false;
	return true;
}

static atomic_uint naps;
static atomic_bool answered;

/* client_converse() pauses here, until the test has answered or for 10,000 times @time. */
int nanosleep(const struct timespec *time, struct timespec *ret_rest)
{
	naps++;
	for (unsigned i = 0; i < 10000; i++) {
		(void)clock_nanosleep(CLOCK_MONOTONIC, 0, time, ret_rest);
		if (answered)
			break;
	}
	return 0;
}

static void *converse(void *context)
{
	struct talk *t = context;
	uint8_t found[CALL_SEAL_BYTES], good[CALL_SEAL_BYTES];
	struct client_pipe pipe;
	sigset_t before, after;

	(void)pthread_sigmask(SIG_BLOCK, NULL, &before);
	t->result = client_pipe_open(&pipe);
	if (t->result == 0 && t->without_poll && refuse_poll() < 0)
		t->result = -ENOSYS;
	if (t->result == 0) {
		struct iovec to = {found, sizeof(found)}, from = {NULL, sizeof(found)};

		t->tid = (int)syscall(SYS_gettid);
		t->result = client_converse(t->request_fd[1], &pipe, &t->call, t->off, &t->reply);
		if (t->again && t->result == -ESRCH)
			t->result = client_converse(
				t->request_fd[1], &pipe, &t->call, t->off, &t->reply);
		from.iov_base = (void *)(uintptr_t)t->seal;
		if (t->seal && process_vm_readv(getpid(), &to, 1, &from, 1, 0) == sizeof(found)) {
			call_put_seal(good, &t->request);
			t->sealed_still = memcmp(found, good, sizeof(good)) == 0;
		}
		client_pipe_close(&pipe);
	}
	(void)pthread_sigmask(SIG_BLOCK, NULL, &after);
	t->mask_is_same = same_mask(&before, &after);
	t->done = true;
	return NULL;
}

/* The value of @name, for example "State:", in the thread's status; "": there is none. */
static const char *thread_status(const struct talk *t, const char *name, char line[256])
{
	char path[64];
	const char *value = "";
	FILE *file;

	(void)snprintf(path, sizeof(path), "/proc/self/task/%d/status", t->tid);
	file = fopen(path, "r");
	while (file && !*value && fgets(line, 256, file))
		if (strncmp(line, name, strlen(name)) == 0)
			value = line + strlen(name) + 1;
	if (file)
		assert_int_equal(fclose(file), 0);
	return value;
}

static void wait_for_sleep(const struct talk *t)
{
	char line[256];

	for (unsigned i = 0; i < 20000 && !t->done; i++) {
		if (t->tid && *thread_status(t, "State:", line) == 'S')
			return;
		(void)usleep(500);
	}
	assert_true(t->done);
}

/* Reads requests, up to the whole table, and skips other data. */
static void take_table(struct talk *t)
{
	static uint8_t data[1 << 17];
	struct call_assembly assembly = {.region = t->region};
	struct pollfd come = {.fd = t->request_fd[0], .events = POLLIN};
	size_t have = 0, used;
	int whole = 0;

	while (!whole) {
		struct call_request q;
		ssize_t n;

		assert_int_equal(poll(&come, 1, 10000), 1);
		n = read(t->request_fd[0], data + have, sizeof(data) - have);
		assert_true(n > 0);
		have += (size_t)n;
		while (!whole && call_scan(data, have, false, &q, &used) == 1) {
			if (call_assembly_starts(&q)) {
				call_assembly_begin(&assembly, &q);
				t->request = assembly.head;
			}
			whole = call_assembly_add(&assembly, &q);
			assert_true(whole >= 0);
			t->requests++;
			have -= used;
			memmove(data, data + used, have);
		}
	}
	assert_true(call_seal_is_good((const uint8_t *)(uintptr_t)t->request.seal, &t->request));
	t->seal = t->request.seal;
}

static void answer(
	const struct talk *t, uint64_t nonce, int error, const struct call_status *status)
{
	struct call_answer a = {.nonce = nonce, .error = error, .tick_ns = 4711};
	uint8_t data[CALL_ANSWER_BYTES + CALL_STATUS_BYTES];
	size_t bytes = CALL_ANSWER_BYTES;

	assert_int_equal(call_put_answer(data, CALL_ANSWER_BYTES, &a), CALL_ANSWER_BYTES);
	if (status) {
		assert_int_equal(call_put_status(data + bytes, CALL_STATUS_BYTES, status),
			CALL_STATUS_BYTES);
		bytes += CALL_STATUS_BYTES;
	}
	assert_int_equal(write(t->request.answer, data, bytes), bytes);
}

static void expect_entries(const struct talk *t, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		assert_int_equal(t->region[i].base, table[i][0]);
		assert_int_equal(t->region[i].bytes, table[i][1]);
		assert_int_equal(t->region[i].offset, table[i][2]);
	}
}

static pthread_t begin(struct talk *t)
{
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, converse, t), 0);
	return thread;
}

static void end(struct talk *t, pthread_t thread)
{
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_true(t->mask_is_same);
	assert_false(t->sealed_still);
	if (t->request_fd[0] >= 0)
		assert_int_equal(close(t->request_fd[0]), 0);
	assert_int_equal(close(t->request_fd[1]), 0);
}

static void test_converse__a_table_in_pieces(void **state)
{
	static const uint32_t counts[] = {1, 32, 33, 64, ENTRIES};
	static const unsigned requests[] = {1, 1, 2, 2, 3};
	const struct call_status status = {.state = CALL_IS_ON};

	(void)state;
	for (unsigned i = 0; i < 5; i++) {
		struct talk t = talk_of(counts[i]);
		pthread_t thread = begin(&t);

		take_table(&t);
		assert_int_equal(t.requests, requests[i]);
		assert_int_equal(t.request.pid, getpid());
		assert_int_equal(t.request.tid, t.tid);
		assert_int_equal(t.request.total, counts[i]);
		assert_int_equal(t.request.dialect, CALL_IRIX);
		assert_int_equal(t.request.element, 4);
		assert_int_equal(t.request.flags, CALL_FAST);
		expect_entries(&t, counts[i]);
		answer(&t, t.request.nonce, i % 2 ? EACCES : 0, &status);
		end(&t, thread);
		assert_int_equal(t.result, i % 2 ? -EACCES : 0);
		assert_int_equal(t.reply.answer.tick_ns, 4711);
		assert_false(t.reply.has_status); /* the answer to a table has no status */
	}
}

/* The call does not wait if the table, or a part of it, is not readable. */
static void test_converse__a_table_that_cannot_be_read(void **state)
{
	struct talk t = talk_of(ENTRIES);
	pthread_t thread;

	(void)state;
	t.call.table = (const void *)16;
	thread = begin(&t);
	end(&t, thread);
	assert_int_equal(t.result, -EFAULT);
}

static void test_converse__off_has_a_status(void **state)
{
	struct call_status status = {.state = CALL_HAS_ENDED, .counted = 12};

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct talk t = talk_of(ENTRIES);
		pthread_t thread;

		t.off = true;
		thread = begin(&t);
		take_table(&t);
		assert_int_equal(t.requests, 1);
		assert_int_equal(t.request.total, 0);
		/* The supervisor answers with a valid status, an invalid one, and none. */
		status.state = i == 1 ? CALL_STATES : CALL_HAS_ENDED;
		answer(&t, t.request.nonce, 0, i < 2 ? &status : NULL);
		end(&t, thread);
		assert_int_equal(t.result, 0);
		assert_int_equal(t.reply.has_status, i == 0);
		if (i == 0)
			assert_int_equal(t.reply.status.counted, 12);
	}
}

/*
 * A supervisor that does not trace the program answers each request of the table. Answers that were
 * not read must not confuse the dialogue with the next supervisor.
 */
static void test_converse__an_answer_to_each_request(void **state)
{
	struct talk t = talk_of(ENTRIES);
	uint8_t answers[3 * CALL_ANSWER_BYTES];
	struct call_answer a = {.error = ESRCH};
	pthread_t thread;

	(void)state;
	t.again = true;
	thread = begin(&t);
	take_table(&t);
	a.nonce = t.request.nonce;
	for (unsigned i = 0; i < 3; i++)
		(void)call_put_answer(answers + i * CALL_ANSWER_BYTES, CALL_ANSWER_BYTES, &a);
	assert_int_equal(write(t.request.answer, answers, sizeof(answers)), sizeof(answers));
	take_table(&t);
	assert_int_equal(t.requests, 6);
	assert_true(t.request.nonce != a.nonce);
	expect_entries(&t, ENTRIES);
	answer(&t, t.request.nonce, 0, NULL);
	end(&t, thread);
	assert_int_equal(t.result, 0);
}

/* What others write to the pipe is skipped, also while the call sleeps. */
static void test_converse__answers_of_others(void **state)
{
	static const uint8_t garbage[CALL_ANSWER_BYTES];
	const struct call_status status = {.state = CALL_IS_ON, .counted = UINT64_MAX};
	struct talk t = talk_of(1);
	pthread_t thread = begin(&t);

	(void)state;
	take_table(&t);
	answer(&t, t.request.nonce + 1, EIO, NULL);
	assert_int_equal(write(t.request.answer, garbage, sizeof(garbage)), sizeof(garbage));
	wait_for_sleep(&t);
	assert_false(t.done);
	answer(&t, t.request.nonce + 1, EIO, NULL);
	answer(&t, t.request.nonce + 1, EIO, &status);
	answer(&t, t.request.nonce, 0, NULL);
	end(&t, thread);
	assert_int_equal(t.result, 0);
	assert_int_equal(t.reply.answer.tick_ns, 4711);
}

static uint64_t cpu_time_of(pthread_t thread)
{
	struct timespec used;
	clockid_t clock;

	assert_int_equal(pthread_getcpuclockid(thread, &clock), 0);
	assert_int_equal(clock_gettime(clock, &used), 0);
	return (uint64_t)used.tv_sec * 1000000000 + (uint64_t)used.tv_nsec;
}

static atomic_uint handled;

static void handle(int number)
{
	(void)number;
	handled++;
}

/* A handler of the program that runs meanwhile does not end the sleep. */
static void test_converse__sleeps_until_the_answer(void **state)
{
	struct sigaction action = {.sa_handler = handle}, before;
	struct talk t = talk_of(1);
	pthread_t thread = begin(&t);

	(void)state;
	take_table(&t);
	wait_for_sleep(&t);
	assert_false(t.done);
	/* Measured: 60 us of CPU time, however long the wait is. */
	assert_true(cpu_time_of(thread) < 500000000);
	assert_int_equal(sigaction(SIGUSR1, &action, &before), 0);
	assert_int_equal(pthread_kill(thread, SIGUSR1), 0);
	for (unsigned i = 0; i < 20000 && !handled; i++)
		(void)usleep(500);
	assert_int_equal(handled, 1);
	wait_for_sleep(&t);
	assert_false(t.done);
	answer(&t, t.request.nonce, 0, NULL);
	end(&t, thread);
	assert_int_equal(sigaction(SIGUSR1, &before, NULL), 0);
	assert_int_equal(t.result, 0);
}

/*
 * While @interruptions is positive, a handler interrupts each poll() of this thread after 4 s, by a
 * clock that only the test sees.
 */
static _Thread_local int interruptions;
static _Thread_local int64_t ahead_s;

int poll(struct pollfd *fds, nfds_t n, int timeout_ms)
{
	int (*of_libc)(struct pollfd *, nfds_t, int);

	if (interruptions > 0 && timeout_ms > 4000) {
		interruptions--;
		ahead_s += 4;
		errno = EINTR;
		return -1;
	}
	*(void **)&of_libc = dlsym(RTLD_NEXT, "poll");
	return of_libc(fds, n, interruptions > 0 ? 0 : timeout_ms);
}

int clock_gettime(clockid_t clock, struct timespec *to)
{
	int r = (int)syscall(SYS_clock_gettime, clock, to);

	if (r == 0 && clock == CLOCK_MONOTONIC)
		to->tv_sec += ahead_s;
	return r;
}

/* An answer is awaited for 10 s, however often a handler interrupts that. */
static void test_converse__handlers_do_not_prolong_the_wait(void **state)
{
	struct talk t = talk_of(1);

	(void)state;
	interruptions = 100;
	(void)converse(&t); /* in this thread */
	assert_int_equal(t.result, -ETIMEDOUT);
	assert_int_equal(interruptions, 98);
	interruptions = 0;
	ahead_s = 0;
	assert_int_equal(close(t.request_fd[0]), 0);
	assert_int_equal(close(t.request_fd[1]), 0);
}

/* While the call waits for room for its next piece, no signal handler runs. */
static void test_converse__waits_for_room(void **state)
{
	static const uint8_t filling[4096];
	struct talk t = talk_of(ENTRIES);
	char line[256];
	uint64_t blocked;
	pthread_t thread;

	(void)state;
	while (write(t.request_fd[1], filling, sizeof(filling)) == sizeof(filling))
		;
	thread = begin(&t);
	wait_for_sleep(&t);
	assert_false(t.done);
	blocked = strtoull(thread_status(&t, "SigBlk:", line), NULL, 16);
	assert_true(blocked >> (SIGUSR1 - 1) & blocked >> (SIGALRM - 1) & 1);
	take_table(&t);
	assert_int_equal(t.requests, 3);
	answer(&t, t.request.nonce, 0, NULL);
	end(&t, thread);
	assert_int_equal(t.result, 0);
}

/* The call ends, whether the answer comes late or never. */
static void test_converse__no_poll_for_the_answer(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct talk t = talk_of(ENTRIES);
		pthread_t thread;

		naps = 0;
		answered = i == 1;
		t.without_poll = true;
		thread = begin(&t);
		take_table(&t);
		if (i == 0) {
			for (unsigned k = 0; k < 20000 && !naps; k++)
				(void)usleep(500);
			answer(&t, t.request.nonce, 0, NULL);
			answered = true;
		}
		end(&t, thread);
		assert_int_equal(naps, i == 0 ? 1 : 100);
		assert_int_equal(t.result, i == 0 ? 0 : -EPERM);
	}
}

/* The request pipe is full, and poll() for room is refused. */
static void test_converse__no_poll_for_room(void **state)
{
	static const uint8_t filling[4096];
	struct talk t = talk_of(ENTRIES);

	(void)state;
	while (write(t.request_fd[1], filling, sizeof(filling)) == sizeof(filling))
		;
	t.without_poll = true;
	end(&t, begin(&t));
	assert_int_equal(t.result, -EPERM);
}

/* The supervisor dies after it took the request. */
static void test_converse__a_supervisor_that_dies(void **state)
{
	struct talk t = talk_of(1);
	pthread_t thread = begin(&t);

	(void)state;
	take_table(&t);
	wait_for_sleep(&t);
	assert_int_equal(close(t.request_fd[0]), 0);
	t.request_fd[0] = -1;
	end(&t, thread);
	assert_int_equal(t.result, -EPIPE);
}

static bool is_pending(int number)
{
	sigset_t pending;

	assert_int_equal(sigpending(&pending), 0);
	return sigismember(&pending, number) == 1;
}

/*
 * The SIGPIPE that the call causes is consumed. One that was pending before, and any other signal,
 * stays pending.
 */
static void test_converse__a_supervisor_that_has_died(void **state)
{
	sigset_t both, before;

	(void)state;
	(void)sigemptyset(&both);
	for (unsigned i = 0; i < 3; i++) {
		struct talk t = talk_of(1);

		if (i > 0) {
			(void)sigaddset(&both, SIGPIPE);
			(void)sigaddset(&both, SIGUSR1);
		}
		assert_int_equal(pthread_sigmask(SIG_BLOCK, &both, &before), 0);
		if (i > 0)
			assert_int_equal(raise(SIGUSR1), 0);
		if (i > 1)
			assert_int_equal(raise(SIGPIPE), 0);
		assert_int_equal(close(t.request_fd[0]), 0);
		t.request_fd[0] = -1;
		(void)converse(&t); /* in this thread */
		assert_int_equal(t.result, -EPIPE);
		assert_true(t.mask_is_same);
		assert_int_equal(is_pending(SIGPIPE), i > 1);
		assert_int_equal(is_pending(SIGUSR1), i > 0);
		if (i > 0) {
			const struct timespec none = {0, 0};

			while (sigtimedwait(&both, NULL, &none) > 0)
				;
		}
		assert_int_equal(pthread_sigmask(SIG_SETMASK, &before, NULL), 0);
		assert_int_equal(close(t.request_fd[1]), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_converse__a_table_in_pieces),
		cmocka_unit_test(test_converse__a_table_that_cannot_be_read),
		cmocka_unit_test(test_converse__off_has_a_status),
		cmocka_unit_test(test_converse__an_answer_to_each_request),
		cmocka_unit_test(test_converse__answers_of_others),
		cmocka_unit_test(test_converse__sleeps_until_the_answer),
		cmocka_unit_test(test_converse__handlers_do_not_prolong_the_wait),
		cmocka_unit_test(test_converse__waits_for_room),
		cmocka_unit_test(test_converse__no_poll_for_the_answer),
		cmocka_unit_test(test_converse__no_poll_for_room),
		cmocka_unit_test(test_converse__a_supervisor_that_dies),
		cmocka_unit_test(test_converse__a_supervisor_that_has_died),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
