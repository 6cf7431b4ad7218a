/* SPDX-License-Identifier: MIT */
/*
 * One call from its arguments to its result: client/perform_call.c, with copies of the caller's
 * memory. The dialogue is this test's.
 */
#include "client/caller_memory.c"
#include "client/perform_call.c"
#include "client/result.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <cmocka.h>

#define ENTRIES 70
#define PAGE    4096u

/* Functions of this test: the results that they return, and how often each was called. */
static struct {
	int find[3], find_n, finds; /* the last result is repeated */
	int start, starts;
	int converse[3], converse_n, converses;
	int turn_off, turn_offs;
	int ask_reach, ask_reaches;
	int forgets, catch_ups, elapsed, ons, offs;
	int number; /* of the table that is turned on */
	bool had_status;
	uint32_t refusal;
	bool off;
	uint32_t count;
	struct call_region region[ENTRIES];
	int fd; /* descriptor used in the dialogue */
	struct client_reply reply;
} say;

int nanosleep(const struct timespec *time, struct timespec *ret_rest)
{
	(void)ret_rest;
	assert_true(time->tv_sec == 0 && time->tv_nsec <= 64000000);
	return 0;
}

int client_find(void)
{
	int i = say.finds < say.find_n ? say.finds : say.find_n - 1;

	say.finds++;
	return say.find[i] >= 0 ? dup(2) : say.find[i];
}

int client_start(void)
{
	say.starts++;
	return say.start;
}

int client_turn_off(void)
{
	say.turn_offs++;
	return say.turn_off;
}

int client_ask_reach(void)
{
	say.ask_reaches++;
	return say.ask_reach;
}

void client_forget(void)
{
	say.forgets++;
}

void client_catch_up(const struct client_pipe *pipe)
{
	assert_true(pipe->read_fd != pipe->write_fd);
	say.catch_ups++;
}

void client_note_elapsed(void)
{
	say.elapsed++;
}

uint32_t client_refusal(void)
{
	return say.refusal;
}

void client_note_refusal(uint32_t reason)
{
	say.refusal = reason;
}

int client_note_on(void)
{
	say.ons++;
	return say.number;
}

void client_note_off(const struct call_status *status)
{
	say.offs++;
	say.had_status = status != NULL;
}

int client_converse(int request_fd, const struct client_pipe *pipe, const struct client_call *call,
	bool off, struct client_reply *ret_reply)
{
	int i = say.converses < say.converse_n ? say.converses : say.converse_n - 1;
	struct client_entries entries = {.count = 0};
	int cancel;

	/* A cancellation would leak the descriptors. */
	(void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	assert_int_equal(cancel, PTHREAD_CANCEL_DISABLE);
	say.converses++;
	say.fd = request_fd;
	say.off = off;
	say.count = call->count;
	for (uint32_t k = 0; k < call->count; k++)
		assert_int_equal(client_region(call, pipe, &entries, k, &say.region[k]), 0);
	if (say.converse[i] == 0)
		*ret_reply = say.reply;
	return say.converse[i];
}

static uint64_t (*table)[4]; /* at the end of mapped memory */

static void decode(const uint8_t entry[CLIENT_ENTRY_BYTES], struct call_region *ret_region)
{
	*ret_region = (struct call_region){0};
	memcpy(&ret_region->base, entry, 8);
	memcpy(&ret_region->bytes, entry + 8, 8);
	memcpy(&ret_region->offset, entry + 16, 8);
	memcpy(&ret_region->scale, entry + 24, 4);
}

static struct client_call call_of(uint32_t count)
{
	struct client_call call = {.dialect = CALL_IRIX,
		.element = 4,
		.count = count,
		.decode = decode,
		.table = table + ENTRIES - count};

	for (uint64_t i = 0; i < ENTRIES; i++) {
		table[i][0] = 0x1000 * (i + 1);
		table[i][1] = 4;
		table[i][2] = 0x400000 + i;
		table[i][3] = 2;
	}
	memset(&say, 0, sizeof(say));
	say.find_n = say.converse_n = 1;
	say.reply.answer.tick_ns = UINT64_C(2000007000);
	return call;
}

static unsigned open_descriptors(void)
{
	unsigned n = 0;

	for (int fd = 0; fd < 256; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

static int run(const struct client_call *call)
{
	unsigned before = open_descriptors();
	int r, cancel;

	errno = 4711;
	r = client_run(call);
	assert_int_equal(errno, 4711);
	assert_int_equal(open_descriptors(), before);
	(void)pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &cancel);
	assert_int_equal(cancel, PTHREAD_CANCEL_ENABLE);
	return r;
}

static void test_perform_call__every_entry_is_sent(void **state)
{
	static const uint32_t counts[] = {1, 2, 32, 33, 64, 65, ENTRIES};

	(void)state;
	for (unsigned i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
		struct client_call call = call_of(counts[i]);

		assert_int_equal(run(&call), 0);
		assert_int_equal(say.converses, 1);
		assert_false(say.off);
		assert_int_equal(say.count, counts[i]);
		for (uint32_t k = 0; k < counts[i]; k++) {
			uint32_t entry = ENTRIES - counts[i] + k;

			assert_int_equal(say.region[k].base, table[entry][0]);
			assert_int_equal(say.region[k].offset, table[entry][2]);
		}
		assert_true(say.catch_ups == 1 && say.ons == 1 && say.offs == 0);
	}
}

/* Is a call with @region alone sent as a request to turn off? */
static int is_off(enum call_dialect dialect, struct call_region region)
{
	struct client_call call = call_of(1);
	int r;

	call.dialect = dialect;
	call.table = NULL;
	call.one = region;
	r = run(&call);
	if (r < 0)
		return r;
	assert_int_equal(say.region[0].base, region.base);
	assert_true(say.off ? say.offs == 1 && say.ons == 0 : say.offs == 0 && say.ons == 1);
	return say.off;
}

static void test_perform_call__what_counts_nothing_is_off(void **state)
{
	struct call_region r = {.base = 0x1000, .bytes = 4, .scale = 2};

	(void)state;
	assert_int_equal(is_off(CALL_IRIX, r), 0);
	r.scale = 1;
	assert_int_equal(is_off(CALL_IRIX, r), 1);
	assert_int_equal(is_off(CALL_AIX, r), 0);
	r.scale = 0x10000;
	assert_int_equal(is_off(CALL_IRIX, r), 0);
	assert_int_equal(is_off(CALL_AIX, r), 1);
	r.bytes = 3;
	assert_int_equal(is_off(CALL_IRIX, r), 1);
	/* The region ends at the last address, then a byte beyond: an error only if it counts. */
	r = (struct call_region){.base = UINT64_MAX - 15, .bytes = 16, .scale = 2};
	assert_int_equal(is_off(CALL_IRIX, r), 0);
	r.bytes = 17;
	assert_int_equal(is_off(CALL_IRIX, r), -EINVAL);
	r.scale = 0;
	assert_int_equal(is_off(CALL_IRIX, r), 1);
	r = (struct call_region){.base = UINT64_MAX, .bytes = 0, .scale = 2};
	assert_int_equal(is_off(CALL_IRIX, r), 1);
	/* Ranges of an array of AIX: of one address, of none, and with the ends exchanged. */
	for (unsigned i = 0; i < 3; i++) {
		r = (struct call_region){.base = 0x1000,
			.bytes = 4,
			.offset = 0x400000,
			.limit = 0x400001 - i,
			.scale = 0x8000};
		assert_int_equal(is_off(CALL_AIX, r), i > 0);
		r.base = UINT64_MAX; /* wraps around, whether it has an address or not */
		assert_int_equal(is_off(CALL_AIX, r), -EINVAL);
	}
}

/* A call succeeds if one of its two entries counts. */
static void test_perform_call__some_of_the_entries(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct client_call call = call_of(2);

		table[ENTRIES - 2 + i][3] = 0;
		assert_int_equal(run(&call), 0);
		assert_false(say.off);
	}
}

static uint32_t wrong; /* index of the entry that check() refuses */

static int check(const struct client_call *call, uint32_t i, const struct call_region *region,
	const struct call_region *before)
{
	assert_int_equal(region->offset, 0x400000 + ENTRIES - call->count + i);
	assert_int_equal(before != NULL, i > 0);
	if (before)
		assert_int_equal(before->offset, region->offset - 1);
	return i == wrong ? -EINVAL : 0;
}

static void test_perform_call__tables_that_are_refused(void **state)
{
	struct client_call call;

	(void)state;
	for (wrong = 0; wrong < 3; wrong++) {
		call = call_of(3);
		call.check = check;
		assert_int_equal(run(&call), -EINVAL);
		assert_true(say.converses == 0 && say.finds == 0);
	}
	call = call_of(3);
	call.check = check;
	assert_int_equal(run(&call), 0);
	/* An unreadable address is reported before anything else. */
	call = call_of(3);
	call.check = check;
	call.count = 4;
	wrong = 0;
	assert_int_equal(run(&call), -EFAULT);
	call = call_of(1);
	call.table = (const void *)16;
	assert_int_equal(run(&call), -EFAULT);
	assert_int_equal(say.finds, 0);
}

static void test_perform_call__the_tick(void **state)
{
	struct client_call call = call_of(1);
	struct timeval tick = {77, 78};

	(void)state;
	call.tick = &tick;
	assert_int_equal(run(&call), 0);
	assert_true(tick.tv_sec == 2 && tick.tv_usec == 7);
	/* Without a supervisor, the dialect's tick length is used. */
	call = call_of(1);
	call.count = 0;
	call.tick = &tick;
	say.find[0] = -EPERM;
	assert_int_equal(run(&call), 0);
	assert_true(tick.tv_sec == 0 && tick.tv_usec == 10000);
	call = call_of(1);
	call.tick = (struct timeval *)16;
	assert_int_equal(run(&call), -EFAULT);
	assert_int_equal(say.finds, 0); /* nor was the supervisor looked for */
}

static void test_perform_call__what_is_noted(void **state)
{
	struct client_call call = call_of(1);

	(void)state;
	call.flags = CALL_WALL;
	assert_int_equal(run(&call), 0);
	assert_true(say.elapsed == 1 && say.ons == 1 && say.offs == 0);
	call = call_of(1);
	call.flags = CALL_THREAD;
	assert_int_equal(run(&call), 0);
	assert_true(say.elapsed == 0 && say.ons == 0 && say.offs == 0);
	for (unsigned i = 0; i < 2; i++) {
		call = call_of(1);
		call.count = 0;
		say.reply.has_status = i;
		assert_int_equal(run(&call), 0);
		assert_true(say.off && say.offs == 1 && say.ons == 0);
		assert_int_equal(say.had_status, i);
	}
	call = call_of(1);
	say.converse[0] = -EACCES;
	assert_int_equal(run(&call), -EACCES);
	assert_true(say.ons == 0 && say.offs == 0 && say.converses == 1);
}

/* The result of a call is the number of the table that it put in force. */
static void test_perform_call__the_number_of_the_table(void **state)
{
	struct timeval tick;

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		struct client_call call = call_of(1);

		say.number = 4711;
		call.tick = i == 1 ? &tick : NULL;
		call.flags = i == 2 ? CALL_THREAD : 0;
		call.count = i < 3;
		assert_int_equal(run(&call), i < 2 ? 4711 : 0);
	}
}

/* Turns on. client_find() returns @found at first, then a supervisor. */
static int turn_on(int found, int start)
{
	struct client_call call = call_of(1);

	say.find[0] = found;
	say.find_n = 2;
	say.start = start;
	return run(&call);
}

static void test_perform_call__a_supervisor_is_started(void **state)
{
	(void)state;
	assert_int_equal(turn_on(-ENOENT, 0), 0);
	assert_true(say.starts == 1 && say.finds == 2 && say.converses == 1);
	assert_int_equal(turn_on(-ENODATA, 0), 0);
	assert_true(say.starts == 1 && say.finds == 2 && say.converses == 1);
	/* -EPERM is reported only if it is repeated. */
	assert_int_equal(turn_on(-EPERM, 0), 0);
	assert_true(say.starts == 0 && say.finds == 2 && say.converses == 1);
	assert_int_equal(turn_on(-EACCES, 0), 0);
	assert_true(say.starts == 0 && say.finds == 2 && say.converses == 1);
	assert_int_equal(turn_on(-EMFILE, 0), -EMFILE);
	assert_true(say.starts == 0 && say.finds == 1 && say.converses == 0);
	assert_int_equal(turn_on(-ENOENT, -ENOMEM), -ENOMEM);
	assert_true(say.starts == 1 && say.finds == 1);
	for (unsigned i = 0; i < 3; i++) {
		struct client_call call = call_of(1);

		say.find[0] = i == 0 ? -ENOENT : i == 1 ? -EPERM : -EACCES;
		say.start = -EPERM;
		say.refusal = SPROFIL_FOREIGN_PROC; /* left by an earlier call */
		assert_int_equal(run(&call), -EPERM);
		assert_int_equal(say.refusal, SPROFIL_REFUSED);
		assert_int_equal(say.finds, REFUSALS);
		assert_int_equal(say.starts, i == 0 ? REFUSALS : 0);
	}
}

static void test_perform_call__one_that_goes_away(void **state)
{
	struct client_call call;

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		call = call_of(1);
		say.converse[0] = i ? -EPIPE : -ESRCH;
		say.converse[1] = i ? -ESRCH : -EPIPE;
		say.converse_n = 3;
		assert_int_equal(run(&call), 0);
		assert_true(say.converses == 3 && say.forgets == 2 && say.finds == 3);
	}
	call = call_of(1);
	say.converse[0] = -ETIMEDOUT;
	assert_int_equal(run(&call), -ETIMEDOUT);
	assert_true(say.converses == 1 && say.forgets == 0);
	/* The supervisor goes away in each attempt: the call fails with a reason. */
	call = call_of(1);
	say.converse[0] = -EPIPE;
	assert_int_equal(run(&call), -EPERM);
	assert_int_equal(say.converses, ATTEMPTS);
	assert_int_equal(say.refusal, SPROFIL_REFUSED);
	call = call_of(1);
	call.count = 0;
	say.converse[0] = -EPIPE;
	assert_int_equal(run(&call), -EPERM);
	assert_int_equal(say.refusal, SPROFIL_NO_REASON);
}

/* Turns off. client_find() returns @found, the signal to the tracer @by_trace. */
static int turn_off(int found, int by_trace)
{
	struct client_call call = call_of(1);

	call.count = 0;
	say.find[0] = found;
	say.turn_off = by_trace;
	return run(&call);
}

/* Turns off the table of this thread. */
static int turn_off_thread(int found, int ask_reach)
{
	struct client_call call = call_of(1);

	call.count = 0;
	call.flags = CALL_THREAD;
	say.find[0] = found;
	say.ask_reach = ask_reach;
	return run(&call);
}

static void test_perform_call__off_without_a_pipe(void **state)
{
	(void)state;
	assert_int_equal(turn_off(-ENOENT, 0), 0);
	assert_true(say.turn_offs == 1 && say.converses == 0 && say.offs == 1 && !say.had_status);
	assert_int_equal(turn_off(-ENOENT, -EPERM), 0); /* no supervisor */
	assert_int_equal(turn_off(-EPERM, -EPERM), 0);  /* a debugger traces us */
	assert_int_equal(say.turn_offs, 0);
	assert_int_equal(turn_off(-ENODATA, 0), 0);
	assert_int_equal(turn_off(-ENODATA, -EPERM), -EPERM);
	assert_int_equal(say.turn_offs, REFUSALS);
	assert_int_equal(turn_off(-EACCES, 0), 0);
	assert_int_equal(turn_off(-EACCES, -EPERM), -EPERM);
	assert_int_equal(say.starts, 0);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(turn_off(i ? -EMFILE : -ENFILE, 0), 0);
		assert_true(say.turn_offs == 1 && say.offs == 1 && !say.had_status);
	}
	assert_int_equal(turn_off(-EMFILE, -EPERM), -EMFILE);
	assert_int_equal(turn_off_thread(-EMFILE, 0), -EMFILE);
	assert_int_equal(say.turn_offs, 0);
	assert_int_equal(turn_off(0, -EPERM), 0);
	assert_true(say.converses == 1 && say.off && say.turn_offs == 0);
}

/* The program is not dumpable. */
static void test_perform_call__a_hidden_program(void **state)
{
	int results[7];
	bool asked[7];

	(void)state;
	assert_false(client_is_hidden());
	assert_int_equal(prctl(PR_SET_DUMPABLE, 0), 0);
	assert_true(client_is_hidden());
	results[0] = turn_off(0, 0);
	asked[0] = say.turn_offs == 1 && say.finds == 0 && say.ask_reaches == 0;
	results[1] = turn_off(0, -EPERM);
	asked[1] = say.turn_offs == 1 && say.finds == 1 && say.converses == 1;
	results[2] = turn_on(0, 0);
	asked[2] = say.ask_reaches == 1 && say.turn_offs == 0 && say.converses == 1;
	results[5] = turn_off_thread(0, 0);
	asked[5] = say.ask_reaches == 1 && say.turn_offs == 0 && say.converses == 1;
	results[6] = turn_off_thread(0, -EPERM);
	asked[6] = say.ask_reaches == 1 && say.turn_offs == 1 && say.converses == 0;
	{
		struct client_call call = call_of(1);

		say.ask_reach = -EPERM;
		results[3] = run(&call);
		asked[3] = say.ask_reaches == REFUSALS && say.finds == 0 && say.starts == 0;
		call = call_of(1);
		say.converse[0] = -ETIMEDOUT; /* the seal could not be read */
		results[4] = run(&call);
		asked[4] = say.converses == 1 && say.refusal == SPROFIL_REFUSED;
	}
	assert_int_equal(prctl(PR_SET_DUMPABLE, 1), 0);
	for (unsigned i = 0; i < 7; i++) {
		assert_int_equal(results[i], i == 3 || i == 4 ? -EPERM : 0);
		assert_true(asked[i]);
	}
}

/* Data are copied as a whole, or none stay in the pipe. */
static void test_perform_call__copies(void **state)
{
	uint8_t *end = (uint8_t *)(table + ENTRIES), bytes[PAGE], byte;
	struct client_pipe pipe;

	(void)state;
	(void)call_of(1);
	assert_int_equal(client_pipe_open(&pipe), 0);
	assert_int_equal(fcntl(pipe.read_fd, F_GETFD), FD_CLOEXEC);
	assert_int_equal(fcntl(pipe.write_fd, F_GETFD), FD_CLOEXEC);
	assert_int_equal(client_copy_in(&pipe, bytes, end - 100, 100), 0);
	assert_memory_equal(bytes, end - 100, 100);
	assert_int_equal(client_copy_in(&pipe, bytes, (void *)16, 100), -EFAULT);
	assert_int_equal(client_copy_in(&pipe, bytes, end - 50, 100), -EFAULT);
	assert_int_equal(read(pipe.read_fd, &byte, 1), -1);
	memset(bytes, 7, sizeof(bytes));
	assert_int_equal(client_copy_out(&pipe, end - 100, bytes, 100), 0);
	assert_memory_equal(bytes, end - 100, 100);
	assert_int_equal(client_copy_out(&pipe, (void *)16, bytes, 100), -EFAULT);
	assert_int_equal(read(pipe.read_fd, &byte, 1), -1);
	assert_int_equal(client_copy_out(&pipe, end - 50, bytes, PAGE), -EFAULT);
	assert_int_equal(read(pipe.read_fd, &byte, 1), -1);
	client_pipe_close(&pipe);
}

static void test_perform_call__without_descriptors(void **state)
{
	struct client_call call = call_of(1);
	struct rlimit limit, none;
	int r, cancel;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	none = (struct rlimit){0, limit.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	errno = 4711;
	r = client_run(&call);
	assert_int_equal(errno, 4711);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_int_equal(r, -EMFILE);
	/* Off needs none. */
	call.count = 0;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	r = client_run(&call);
	assert_int_equal(errno, 4711);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_int_equal(r, 0);
	assert_true(say.turn_offs == 1 && say.offs == 1 && say.finds == 0);
	(void)pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &cancel);
	assert_int_equal(cancel, PTHREAD_CANCEL_ENABLE);
}

static void test_perform_call__results(void **state)
{
	(void)state;
	errno = 4711;
	assert_int_equal(client_result(0), 0);
	assert_int_equal(client_result(3), 0);
	assert_int_equal(errno, 4711);
	assert_int_equal(client_result(-EDOM), -1);
	assert_int_equal(errno, EDOM);
}

static int enter(void **state)
{
	uint8_t *at =
		mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)state;
	if (at == MAP_FAILED || munmap(at + PAGE, PAGE) < 0)
		return -1;
	table = (uint64_t(*)[4])(void *)(at + PAGE - ENTRIES * sizeof(*table));
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_perform_call__every_entry_is_sent),
		cmocka_unit_test(test_perform_call__what_counts_nothing_is_off),
		cmocka_unit_test(test_perform_call__some_of_the_entries),
		cmocka_unit_test(test_perform_call__tables_that_are_refused),
		cmocka_unit_test(test_perform_call__the_tick),
		cmocka_unit_test(test_perform_call__what_is_noted),
		cmocka_unit_test(test_perform_call__the_number_of_the_table),
		cmocka_unit_test(test_perform_call__a_supervisor_is_started),
		cmocka_unit_test(test_perform_call__one_that_goes_away),
		cmocka_unit_test(test_perform_call__off_without_a_pipe),
		cmocka_unit_test(test_perform_call__a_hidden_program),
		cmocka_unit_test(test_perform_call__copies),
		cmocka_unit_test(test_perform_call__without_descriptors),
		cmocka_unit_test(test_perform_call__results),
	};

	return cmocka_run_group_tests(tests, enter, NULL);
}
