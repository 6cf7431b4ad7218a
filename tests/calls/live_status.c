/* SPDX-License-Identifier: MIT */
/* sprofil_status() accounts for every tick. Native interface. */
#include <sprofil/sprofil.h>
#include <sprofil/options.h>

#include "tests/calls/live.h"

#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "client/client.h"

#define NOT_HERE 77

/* Declared here, as the headers of two dialects exclude each other. */
void sprofil_sysv_profil(unsigned short *buff, size_t bufsiz, size_t offset, unsigned scale);

static struct sprofil_state ask(void)
{
	struct sprofil_state status;

	memset(&status, 0xff, sizeof(status));
	assert_int_equal(live_errno(sprofil_status(&status, sizeof(status))), 0);
	assert_int_equal(status.zero, 0);
	return status;
}

static void off(void)
{
	assert_int_equal(sprofil(NULL, 0, NULL, 0), 0);
}

static struct prof region(void *base, unsigned bytes, uint64_t at)
{
	return (struct prof){base, bytes, at, 0x10000};
}

/* Where ticks are counted is tested, so half to double of them will do: 5 standard deviations. */
static void expect_some(uint64_t ticks, uint64_t cpu_ns)
{
	uint64_t all = cpu_ns / LIVE_FAST_TICK_NS;

	assert_true(ticks > 0);
	live_chance(ticks, all / 2, 2 * all);
}

static void expect(const struct sprofil_state *s, uint32_t state, uint32_t reason)
{
	assert_int_equal(s->state, state);
	assert_int_equal(s->reason, reason);
}

/* Waits for the state: the supervisor may not have stopped us for the last tick yet. */
static struct sprofil_state await_state(uint32_t state)
{
	struct sprofil_state s = ask();

	for (unsigned i = 0; s.state != state && i < 2000; i++) {
		(void)usleep(5000);
		s = ask();
	}
	assert_int_equal(s.state, state);
	return s;
}

/* Must run first: nothing has been turned on yet. */
static void test_live_status__nothing_was_turned_on(void **state)
{
	struct sprofil_state s = ask();

	(void)state;
	expect(&s, SPROFIL_OFF, SPROFIL_NO_REASON);
	assert_true(s.tick_ns == 0 && s.counted == 0 && s.outside == 0 && s.regions == 0);
	assert_int_equal(s.supervisor, 0);
	assert_int_equal(live_tracer(), 0); /* a status request starts nothing */
}

static void test_live_status__each_tick_is_somewhere(void **state)
{
	unsigned a[4] = {0}, b[4] = {0};
	struct prof p[2] = {region(a, 16, LIVE_A), region(b, 16, LIVE_B)};
	struct sprofil_state s, last;
	uint64_t in, out;

	(void)state;
	a[0] = 1000000; /* "counted" excludes what the program wrote itself */
	assert_int_equal(sprofil(p, 2, NULL, PROF_UINT | PROF_FAST), 0);
	in = live_spin(LIVE_A, 0.1) + live_spin(LIVE_B + 4, 0.1);
	out = live_spin(LIVE_C, 0.1);
	s = ask();
	expect(&s, SPROFIL_ON, SPROFIL_NO_REASON);
	assert_int_equal(s.tick_ns, LIVE_FAST_TICK_NS);
	assert_int_equal(s.regions, 2);
	assert_int_equal(s.dead, 0);
	/* The tracer is a thread of the process s.supervisor. */
	assert_int_equal(getpgid(s.supervisor), getpgid(live_tracer()));
	expect_some(s.counted, in);
	expect_some(s.outside, out);
	off();
	last = ask();
	expect(&last, SPROFIL_OFF, SPROFIL_NO_REASON);
	assert_int_equal(last.counted, a[0] - 1000000 + b[1]);
	assert_true(last.counted >= s.counted && last.outside >= s.outside);
	assert_int_equal(last.tick_ns, LIVE_FAST_TICK_NS);
	assert_int_equal(last.full + last.faulted, 0);
	/* A second "off" changes nothing. The counts of a new table begin at 0. */
	off();
	s = ask();
	assert_int_equal(s.counted, last.counted);
	p[0].pr_off = LIVE_B;
	assert_int_equal(sprofil(p, 1, NULL, PROF_UINT), 0);
	s = ask();
	expect(&s, SPROFIL_ON, SPROFIL_NO_REASON);
	assert_int_equal(s.counted, 0);
	assert_int_equal(s.regions, 1);
	assert_int_equal(s.tick_ns, LIVE_TICK_NS);
	off();
}

static void test_live_status__full_counters(void **state)
{
	unsigned short a[2] = {65535 - 5, 0};
	struct prof p = region(a, 4, LIVE_A);
	struct sprofil_state s;
	uint64_t cpu;

	(void)state;
	assert_int_equal(sprofil(&p, 1, NULL, PROF_USHORT | PROF_FAST), 0);
	cpu = live_spin(LIVE_A, 0.1);
	off();
	s = ask();
	assert_int_equal(a[0], 65535);
	assert_int_equal(s.counted, 5);
	expect_some(s.full, cpu);
}

static void test_live_status__dead_regions(void **state)
{
	unsigned *gone = live_buffer(16, MAP_PRIVATE), b[4] = {0};
	struct prof p[2] = {region(b, 16, LIVE_B), region(gone, 16, LIVE_A)};
	struct sprofil_state s;

	(void)state;
	assert_int_equal(sprofil(p, 2, NULL, PROF_UINT | PROF_FAST), 0);
	assert_int_equal(mprotect((void *)((uintptr_t)gone & ~4095ul), 4096, PROT_READ), 0);
	(void)live_spin(LIVE_A, 0.05);
	(void)live_spin(LIVE_B, 0.05);
	s = ask();
	expect(&s, SPROFIL_ON, SPROFIL_NO_REASON);
	assert_int_equal(s.dead, 1);
	assert_int_equal(s.first_dead[0], 1);
	assert_int_equal(s.first_dead[1], 0);
	assert_true(s.faulted > 0 && s.counted > 0);
	off();
	s = ask();
	assert_int_equal(s.counted, b[0]);
	assert_int_equal(sprofil(p + 1, 1, NULL, PROF_UINT | PROF_FAST), 0);
	(void)live_spin(LIVE_A, 0.02);
	s = await_state(SPROFIL_ENDED);
	expect(&s, SPROFIL_ENDED, SPROFIL_FAULT);
	assert_int_equal(s.dead, 1);
	off();
	s = ask();
	expect(&s, SPROFIL_OFF, SPROFIL_FAULT);
}

/* More regions have a fault than first_dead lists. */
static void test_live_status__many_dead_regions(void **state)
{
	unsigned *gone = live_buffer(16, MAP_PRIVATE), b[4] = {0};
	struct prof p[21];
	struct sprofil_state s;

	(void)state;
	for (unsigned i = 0; i < 20; i++)
		p[i] = region(gone, 4, LIVE_A + 4 * i);
	p[20] = region(b, 16, LIVE_B);
	assert_int_equal(sprofil(p, 21, NULL, PROF_UINT | PROF_FAST), 0);
	assert_int_equal(mprotect((void *)((uintptr_t)gone & ~4095ul), 4096, PROT_READ), 0);
	for (unsigned i = 0; i < 20; i++)
		(void)live_spin(LIVE_A + 4 * i, 0.02);
	s = ask();
	off();
	expect(&s, SPROFIL_ON, SPROFIL_NO_REASON);
	/* A region without a tick has no fault. Usually each of the 20 has a tick. */
	assert_in_range(s.dead, SPROFIL_DEAD_LISTED, 20);
	live_chance(s.dead, 15, 20);
	for (unsigned i = 0; i < SPROFIL_DEAD_LISTED; i++)
		assert_true(s.first_dead[i] < 20 && (!i || s.first_dead[i] > s.first_dead[i - 1]));
}

/* The reason of this failure replaces that for which the last table has ended. */
static void fail_to_turn_on(void)
{
	unsigned a[4];
	struct prof p = region(a, sizeof(a), LIVE_A);
	char *path = strdup(getenv(CALL_SUPERVISOR_ENV));

	assert_non_null(path);
	assert_int_equal(setenv(CALL_SUPERVISOR_ENV, "/nonexistent", 1), 0);
	assert_int_equal(live_errno(sprofil(&p, 1, NULL, PROF_UINT)), EPERM);
	assert_int_equal(setenv(CALL_SUPERVISOR_ENV, path, 1), 0);
	free(path);
}

static void test_live_status__stopped_at_32767(void **state)
{
	volatile unsigned short a[4] = {32760};
	struct sprofil_state s;

	(void)state;
	/* The library forgets the table at LIVE_B: the figures below are of that at LIVE_A. */
	sprofil_sysv_profil((unsigned short *)a, 8, LIVE_B, 0x8000);
	client_note_off(NULL);
	sprofil_sysv_profil((unsigned short *)a, 8, LIVE_A, 0x8000);
	for (unsigned i = 0; a[0] != 32767 && i < 100; i++)
		(void)live_spin(LIVE_A, 0.15);
	s = ask();
	assert_int_equal(a[0], 32767);
	expect(&s, SPROFIL_ENDED, SPROFIL_FULL);
	assert_int_equal(s.counted, 7);
	/* The helper stayed to report how the table ended. Now the library has the figures. */
	for (unsigned i = 0; live_tracer() && i < 2000; i++)
		(void)usleep(5000);
	assert_int_equal(live_tracer(), 0);
	s = ask();
	expect(&s, SPROFIL_ENDED, SPROFIL_FULL);
	assert_int_equal(s.counted, 7);
	off();
	s = ask();
	expect(&s, SPROFIL_OFF, SPROFIL_FULL);
	fail_to_turn_on();
	s = ask();
	expect(&s, SPROFIL_OFF, SPROFIL_NO_HELPER);
}

static void test_live_status__arguments(void **state)
{
	uint8_t *end = live_buffer(sizeof(struct sprofil_state), MAP_PRIVATE);
	uint8_t bytes[200], most[257];

	(void)state;
	assert_int_equal(live_errno(sprofil_status(NULL, sizeof(bytes))), EFAULT);
	assert_int_equal(live_errno(sprofil_status((void *)8, sizeof(bytes))), EFAULT);
	assert_int_equal(
		live_errno(sprofil_status((void *)(end + 1), sizeof(struct sprofil_state))),
		EFAULT);
	assert_int_equal(live_errno(sprofil_status((void *)bytes, 0)), EINVAL);
	assert_int_equal(live_errno(sprofil_status((void *)bytes, 4096)), EINVAL);
	assert_int_equal(live_errno(sprofil_status((void *)most, 7)), EINVAL);
	assert_int_equal(live_errno(sprofil_status((void *)most, 257)), EINVAL);
	memset(most, 0xff, sizeof(most));
	assert_int_equal(sprofil_status((void *)most, 256), 0);
	assert_true(most[0] == SPROFIL_OFF && most[255] == 0 && most[256] == 0xff);
	/* A program gets as many bytes as its structure has; unknown members are 0. */
	memset(bytes, 0xff, sizeof(bytes));
	assert_int_equal(sprofil_status((void *)bytes, 8), 0);
	assert_true(bytes[0] == SPROFIL_OFF && bytes[7] == 0 && bytes[8] == 0xff);
	assert_int_equal(sprofil_status((void *)bytes, 199), 0);
	assert_true(
		bytes[sizeof(struct sprofil_state)] == 0 && bytes[198] == 0 && bytes[199] == 0xff);
	assert_int_equal(sprofil_status((void *)end, sizeof(struct sprofil_state)), 0);
}

static int in_child(void)
{
	unsigned a[4] = {0};
	struct prof p = region(a, 16, LIVE_A);
	struct sprofil_state s;

	/* The table of a thread has its own figures. */
	s = ask();
	if (s.state != SPROFIL_ON || s.counted != 0 || s.regions != 1)
		return 1;
	(void)live_spin(LIVE_A, 0.03);
	if (ask().counted == 0)
		return 2;
	/* The supervisor loses access to the process: the status says so, "off" gets no figures. */
	if (getuid() == 0 && (setgid(65534) || setuid(65534) || prctl(PR_SET_DUMPABLE, 1)))
		return 3;
	off();
	if (sprofil(&p, 1, NULL, PROF_UINT) < 0)
		return NOT_HERE;
	if (prctl(PR_SET_DUMPABLE, 0))
		return 4;
	if (sprofil_status(&s, sizeof(s)) != -1 || errno != EPERM)
		return 5;
	off();
	if (sprofil_status(&s, sizeof(s)) != -1 || errno != ENODATA)
		return 6;
	return 0;
}

static void test_live_status__children_and_hidden_programs(void **state)
{
	unsigned a[4] = {0};
	struct prof p = region(a, 16, LIVE_A);
	int status;
	pid_t pid;

	(void)state;
	assert_int_equal(sprofil(&p, 1, NULL, PROF_UINT | PROF_FAST), 0);
	(void)live_spin(LIVE_A, 0.03);
	assert_true(ask().counted > 0);
	pid = fork();
	if (pid == 0)
		_exit(in_child());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(status == 0 || status == NOT_HERE << 8);
	off();
}

static void test_live_status__supervisor_killed(void **state)
{
	struct sprofil_options wall = {sizeof(wall), 0, SPROFIL_WALL, 0};
	unsigned a[4] = {0};
	struct prof p = region(a, 16, LIVE_A);
	struct sprofil_state s;

	(void)state;
	assert_int_equal(sprofil(&p, 1, NULL, PROF_UINT), 0);
	s = ask();
	assert_true(s.supervisor > 0);
	assert_int_equal(kill(s.supervisor, SIGKILL), 0);
	s = await_state(SPROFIL_ENDED);
	expect(&s, SPROFIL_ENDED, SPROFIL_GONE);
	assert_int_equal(s.supervisor, 0);
	/* With a table of elapsed time, each call requests the status. The table stays in force. */
	assert_int_equal(sprofil_with(&p, 1, NULL, PROF_UINT, &wall), 0);
	s = ask();
	expect(&s, SPROFIL_ON, SPROFIL_NO_REASON);
	assert_int_equal(kill(s.supervisor, SIGKILL), 0);
	s = await_state(SPROFIL_ENDED);
	expect(&s, SPROFIL_ENDED, SPROFIL_GONE);
	assert_int_equal(sprofil(&p, 1, NULL, PROF_UINT), 0);
	s = ask();
	expect(&s, SPROFIL_ON, SPROFIL_NO_REASON);
	off();
}

struct pair {
	atomic_int step;
	unsigned counts[2];
	struct sprofil_state state;
};

static bool turn_on(unsigned *count)
{
	struct prof bin = {count, sizeof(*count), 0, 2};

	return sprofil(&bin, 1, NULL, PROF_UINT) == 0;
}

static void await_step(struct pair *pair, int step)
{
	for (unsigned i = 0; i < 6000 && atomic_load(&pair->step) < step; i++)
		(void)usleep(5000);
}

static int be_the_second(void *context)
{
	struct pair *pair = context;
	bool good = turn_on(&pair->counts[1]);

	atomic_store(&pair->step, 1);
	await_step(pair, 2);
	good = good && sprofil_status(&pair->state, sizeof(pair->state)) == 0;
	_exit(sprofil(NULL, 0, NULL, 0) == 0 && good ? 0 : 1);
}

/*
 * Each of two processes that share memory has its own supervisor. What the library remembers of one
 * supervisor never leads the other process to it.
 */
static void test_live_status__processes_of_one_memory(void **state)
{
	static char stack[65536] __attribute__((aligned(16)));
	struct pair pair = {.step = 0};
	bool good;
	pid_t pid;

	(void)state;
	/* A helper of this process would trace the second process, too. */
	assert_int_equal(live_tracer(), 0);
	pid = clone(be_the_second, stack + sizeof(stack), CLONE_VM | SIGCHLD, &pair);
	assert_true(pid > 0);
	await_step(&pair, 1);
	good = turn_on(&pair.counts[0]);
	atomic_store(&pair.step, 2);
	live_reap(pid);
	assert_true(good);
	expect(&pair.state, SPROFIL_ON, SPROFIL_NO_REASON);
	off();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_live_status__each_tick_is_somewhere),
		cmocka_unit_test(test_live_status__full_counters),
		cmocka_unit_test(test_live_status__dead_regions),
		cmocka_unit_test(test_live_status__many_dead_regions),
		cmocka_unit_test(test_live_status__stopped_at_32767),
		cmocka_unit_test(test_live_status__arguments),
		cmocka_unit_test(test_live_status__supervisor_killed),
	};
	/* First: later there are handlers, with which "off" fails after setuid(). */
	const struct CMUnitTest with_children[] = {
		cmocka_unit_test(test_live_status__nothing_was_turned_on),
		cmocka_unit_test(test_live_status__processes_of_one_memory),
		cmocka_unit_test(test_live_status__children_and_hidden_programs),
	};

	return live_run_with_children(with_children) + live_run(tests);
}
