/* SPDX-License-Identifier: MIT */
/* The status of a table: client/status.c. The dialogue is this test's. */
#include "client/status.c"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* Functions of this test: the results that they return, and how often each was called. */
static struct {
	int find, finds;
	int converse, converses;
	bool hidden;
	int ask_reach, ask_reaches;
	int forgets;
	int fd;
	struct client_reply reply;
} say;

int client_find(void)
{
	say.finds++;
	say.fd = say.find < 0 ? -1 : dup(2);
	return say.find < 0 ? say.find : say.fd;
}

int client_converse(int request_fd, const struct client_pipe *pipe, const struct client_call *call,
	bool off, struct client_reply *ret_reply)
{
	(void)pipe;
	assert_int_equal(request_fd, say.fd);
	assert_true(call->flags == CALL_STATUS && call->count == 0 && call->element == 2 && !off);
	say.converses++;
	if (say.converse == 0)
		*ret_reply = say.reply;
	return say.converse;
}

void client_forget(void)
{
	say.forgets++;
}

bool client_is_hidden(void)
{
	return say.hidden;
}

int client_ask_reach(void)
{
	say.ask_reaches++;
	return say.ask_reach;
}

int client_supervisor(void)
{
	return 4711;
}

static int open_pipes;

int client_pipe_open(struct client_pipe *pipe)
{
	(void)pipe;
	open_pipes++;
	return 0;
}

void client_pipe_close(const struct client_pipe *pipe)
{
	(void)pipe;
	open_pipes--;
}

int client_copy_out(const struct client_pipe *pipe, void *to, const void *from, size_t bytes)
{
	(void)pipe;
	memcpy(to, from, bytes);
	return 0;
}

int client_result(int r)
{
	if (r >= 0)
		return 0;
	errno = -r;
	return -1;
}

static struct call_status status_of(enum call_state state, uint64_t counted)
{
	return (struct call_status){.state = state,
		.reason = state == CALL_HAS_ENDED ? CALL_FAULT : CALL_NO_REASON,
		.regions = 3,
		.tick_ns = 1000000,
		.counted = counted,
		.outside = 5,
		.full = 6,
		.faulted = 7,
		.lost = 8};
}

static int begin(void **state)
{
	(void)state;
	memset(&say, 0, sizeof(say));
	in_force = unknown = behind = false;
	for (unsigned i = 0; i < CALL_STATUS_BYTES / 8; i++)
		last[i] = 0;
	return 0;
}

static struct sprofil_state got;

/* Asks for the status. Returns 0 or the error. */
static int look_at_it(void)
{
	int r;

	memset(&got, 0xff, sizeof(got));
	r = sprofil_status(&got, sizeof(got)) < 0 ? errno : 0;
	assert_int_equal(open_pipes, 0);
	if (say.fd >= 0)
		assert_int_equal(fcntl(say.fd, F_GETFD), -1);
	return r;
}

static void expect(unsigned state, unsigned reason, uint64_t counted)
{
	assert_int_equal(look_at_it(), 0);
	assert_int_equal(got.state, state);
	assert_int_equal(got.reason, reason);
	assert_int_equal(got.counted, counted);
}

static void test_status__without_a_supervisor(void **state)
{
	const struct call_status seven = status_of(CALL_IS_OFF, 7),
				 nine = status_of(CALL_IS_OFF, 9);

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		(void)begin(NULL);
		say.find = i ? -EPERM : -ENOENT; /* a debugger traces us */
		expect(SPROFIL_OFF, SPROFIL_NO_REASON, 0);
		client_note_on();
		expect(SPROFIL_ENDED, SPROFIL_GONE, 0);
		assert_int_equal(got.supervisor, 0);
		client_note_off(&seven);
		expect(SPROFIL_OFF, SPROFIL_NO_REASON, 7);
		assert_int_equal(got.supervisor, 0);
		/* A second "off" has no new status. */
		client_note_off(&nine);
		expect(SPROFIL_OFF, SPROFIL_NO_REASON, 7);
		client_note_off(NULL);
		expect(SPROFIL_OFF, SPROFIL_NO_REASON, 7);
		client_note_on();
		client_note_off(NULL);
		assert_int_equal(look_at_it(), ENODATA);
		client_note_on();
		client_note_off(&nine);
		expect(SPROFIL_OFF, SPROFIL_NO_REASON, 9);
		assert_int_equal(say.converses, 0);
	}
}

static void test_status__what_the_supervisor_says(void **state)
{
	(void)state;
	client_note_on();
	say.reply.has_status = true;
	say.reply.status = status_of(CALL_IS_ON, 4);
	say.reply.status.dead = 20;
	for (unsigned i = 0; i < CALL_DEAD_LISTED; i++)
		say.reply.status.first_dead[i] = 100 + i;
	expect(SPROFIL_ON, SPROFIL_NO_REASON, 4);
	assert_true(got.tick_ns == 1000000 && got.outside == 5 && got.full == 6);
	assert_true(got.faulted == 7 && got.lost == 8 && got.regions == 3 && got.dead == 20);
	assert_int_equal(got.supervisor, 4711);
	for (unsigned i = 0; i < SPROFIL_DEAD_LISTED; i++)
		assert_int_equal(got.first_dead[i], 100 + i);
	say.reply.status.dead = 2;
	expect(SPROFIL_ON, SPROFIL_NO_REASON, 4);
	assert_true(got.first_dead[1] == 101 && got.first_dead[2] == 0);
	assert_int_equal(say.converses, 2);
	/* Profiling has ended; the supervisor says so, and ends. */
	say.reply.status = status_of(CALL_HAS_ENDED, 5);
	expect(SPROFIL_ENDED, SPROFIL_FAULT, 5);
	say.find = -ENOENT;
	expect(SPROFIL_ENDED, SPROFIL_FAULT, 5);
	client_note_off(NULL);
	expect(SPROFIL_OFF, SPROFIL_FAULT, 5);
	/* An unknown status of one table does not affect the next table. */
	client_note_on();
	client_note_off(NULL);
	assert_int_equal(look_at_it(), ENODATA);
	client_note_on();
	say.find = 0;
	expect(SPROFIL_ENDED, SPROFIL_FAULT, 5);
	say.find = -ENOENT;
	expect(SPROFIL_ENDED, SPROFIL_FAULT, 5);
	client_note_off(NULL);
	/* The supervisor has no table: the last table's status is used. */
	say.find = 0;
	say.reply.status = status_of(CALL_IS_OFF, 77);
	expect(SPROFIL_OFF, SPROFIL_FAULT, 5);
	assert_int_equal(got.supervisor, 4711);
	say.reply.has_status = false;
	assert_int_equal(look_at_it(), ENODATA);
}

static void test_status__who_cannot_be_asked(void **state)
{
	(void)state;
	client_note_on();
	say.find = -EACCES;
	assert_int_equal(look_at_it(), EPERM);
	say.find = -ENODATA;
	assert_int_equal(look_at_it(), EPERM);
	say.find = -EMFILE;
	assert_int_equal(look_at_it(), EMFILE);
	assert_int_equal(say.finds, 3);
	say.find = 0;
	say.converse = -EACCES;
	assert_int_equal(look_at_it(), EACCES);
	assert_int_equal(say.converses, 1);
	assert_int_equal(say.ask_reaches, 0);
	say.hidden = true;
	assert_int_equal(look_at_it(), EACCES);
	assert_true(say.ask_reaches == 1 && say.converses == 2);
	say.ask_reach = -EPERM;
	assert_int_equal(look_at_it(), EPERM);
	assert_true(say.ask_reaches == 2 && say.converses == 2);
	assert_int_equal(say.forgets, 0);
}

/* After "off" the supervisor is not asked, as the table's status cannot change. */
static void test_status__who_cannot_be_asked_after_off(void **state)
{
	static const struct {
		int find, ask_reach;
	} ways[] = {{-ENODATA, 0}, {-EACCES, 0}, {0, -EPERM}};
	const struct call_status seven = status_of(CALL_IS_OFF, 7);

	(void)state;
	for (unsigned i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		(void)begin(NULL);
		say.hidden = true;
		say.find = ways[i].find;
		say.ask_reach = ways[i].ask_reach;
		/* Before "on" the status is unknown, too, as the parent may have turned it on. */
		assert_int_equal(look_at_it(), EPERM);
		client_note_on();
		assert_int_equal(look_at_it(), EPERM);
		client_note_off(NULL);
		assert_int_equal(look_at_it(), ENODATA);
		client_note_on();
		assert_int_equal(look_at_it(), EPERM);
		client_note_off(&seven);
		expect(SPROFIL_OFF, SPROFIL_NO_REASON, 7);
	}
}

/* Supervisors come and go during the request. */
static void test_status__attempts(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		(void)begin(NULL);
		client_note_on();
		say.converse = i ? -EPIPE : -ESRCH;
		expect(SPROFIL_ENDED, SPROFIL_GONE, 0);
		assert_true(say.finds == ATTEMPTS && say.converses == ATTEMPTS);
		assert_int_equal(say.forgets, ATTEMPTS);
	}
}

/* Elapsed time is complete only after a request caused an observation: two requests. */
static void test_status__catching_up(void **state)
{
	struct client_pipe pipe = {.read_fd = -1, .write_fd = -1};

	(void)state;
	client_note_on();
	say.reply.has_status = true;
	say.reply.status = status_of(CALL_HAS_ENDED, 3);
	client_catch_up(&pipe);
	assert_int_equal(say.finds, 0);
	client_note_elapsed();
	say.converse = -ETIMEDOUT;
	client_catch_up(&pipe);
	say.converse = 0;
	say.reply.has_status = false;
	client_catch_up(&pipe);
	say.reply.has_status = true;
	say.reply.status = status_of(CALL_IS_ON, 2);
	client_catch_up(&pipe);
	assert_int_equal(say.converses, 3);
	say.find = -ENOENT;
	expect(SPROFIL_ENDED, SPROFIL_GONE, 0);
	say.find = 0;
	expect(SPROFIL_ON, SPROFIL_NO_REASON, 2);
	assert_int_equal(say.converses, 5); /* two dialogues for one status */
	say.reply.status = status_of(CALL_HAS_ENDED, 3);
	client_catch_up(&pipe);
	say.find = -ENOENT;
	expect(SPROFIL_ENDED, SPROFIL_FAULT, 3);
	/* The status that was reported first stays. */
	say.find = 0;
	say.reply.status = status_of(CALL_HAS_ENDED, 4);
	client_catch_up(&pipe);
	say.find = -ENOENT;
	expect(SPROFIL_ENDED, SPROFIL_FAULT, 3);
}

/* A table keeps its number until a call replaces it or turns it off. */
static void test_status__the_number_of_the_table(void **state)
{
	static const uint32_t before[] = {0, 4711, INT_MAX - 2, INT_MAX - 1, INT_MAX};
	const struct call_status ended = status_of(CALL_HAS_ENDED, 3);

	(void)state;
	for (unsigned i = 0; i < sizeof(before) / sizeof(*before); i++) {
		int first, second;

		changes = before[i];
		first = client_note_on();
		assert_true(first > 0);
		assert_int_equal(client_table(), first);
		note_end(&ended); /* it ends without a call, so it is not replaced */
		assert_int_equal(client_table(), first);
		second = client_note_on();
		assert_true(second > 0 && second != first);
		assert_int_equal(client_table(), second);
		client_note_off(NULL);
		assert_true(client_table() != first && client_table() != second);
	}
}

static void test_status__sizes(void **state)
{
	uint8_t bytes[257];

	(void)state;
	say.find = -ENOENT;
	for (size_t size = 7; size <= 257; size++) {
		int r;

		memset(bytes, 0xff, sizeof(bytes));
		errno = 0;
		r = sprofil_status((void *)bytes, size);
		assert_int_equal(r, size == 7 || size == 257 ? -1 : 0);
		assert_int_equal(errno, r ? EINVAL : 0);
		assert_int_equal(bytes[size - 1], r ? 0xff : 0);
	}
	assert_int_equal(open_pipes, 0);
}

static void test_status__descriptor_0(void **state)
{
	int input = dup(0);

	(void)state;
	(void)close(0);
	say.reply.has_status = true;
	say.reply.status = status_of(CALL_IS_ON, 4);
	expect(SPROFIL_ON, SPROFIL_NO_REASON, 4);
	assert_int_equal(say.fd, 0);
	if (input >= 0) {
		assert_int_equal(dup2(input, 0), 0);
		assert_int_equal(close(input), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_status__without_a_supervisor, begin),
		cmocka_unit_test_setup(test_status__what_the_supervisor_says, begin),
		cmocka_unit_test_setup(test_status__who_cannot_be_asked, begin),
		cmocka_unit_test_setup(test_status__who_cannot_be_asked_after_off, begin),
		cmocka_unit_test_setup(test_status__attempts, begin),
		cmocka_unit_test_setup(test_status__catching_up, begin),
		cmocka_unit_test_setup(test_status__the_number_of_the_table, begin),
		cmocka_unit_test_setup(test_status__sizes, begin),
		cmocka_unit_test_setup(test_status__descriptor_0, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
