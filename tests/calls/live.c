/* SPDX-License-Identifier: MIT */
#include "tests/calls/live.h"
#include "tests/clock.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PAGE      4096u
#define PATTERN   0x5a
#define GIVE_UP_S 60 /* a spinning thread without the CPU for this long is a failure */

static atomic_int signals_seen, interruptions;

static void put_code(uint64_t address, bool loop)
{
	void *at = (void *)(uintptr_t)address;

#if defined(__x86_64__)
	if (loop)
		((volatile uint8_t *)at)[1] = 0xfe;
	((volatile uint8_t *)at)[0] = loop ? 0xeb : 0xc3;
#elif defined(__aarch64__)
	*(volatile uint32_t *)at = loop ? 0x14000000 : 0xd65f03c0;
#else
#error "no self-loop known for this machine"
#endif
	__builtin___clear_cache(at, (char *)at + 4);
}

static void map_text(uint64_t address)
{
	void *page = (void *)(uintptr_t)(address & ~(uint64_t)(PAGE - 1));
	void *got = mmap(page, 2 * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

	assert_ptr_equal(got, page);
	put_code(address, true);
}

#define NAP_NS UINT64_C(2000000)

static void nap(uint64_t ns)
{
	struct timespec ts = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};

	if (nanosleep(&ts, NULL) < 0 && errno == EINTR)
		atomic_fetch_add(&interruptions, 1);
}

/* Copies at most @bytes of what follows @key in the file @path. False: no such file, or no @key. */
static bool read_proc(const char *path, const char *key, char *text, size_t bytes)
{
	char all[4096];
	const char *found;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, all, sizeof(all) - 1);

	if (fd >= 0)
		assert_int_equal(close(fd), 0);
	if (n < 0)
		return false;
	all[n] = '\0';
	found = strstr(all, key);
	if (!found)
		return false;
	found += strlen(key);
	while (isspace((unsigned char)*found))
		found++;
	(void)snprintf(text, bytes, "%s", found);
	return true;
}

int live_tracer(void)
{
	char pid[16];

	assert_true(read_proc("/proc/self/status", "TracerPid:", pid, sizeof(pid)));
	return atoi(pid);
}

void live_settle(void)
{
	uint64_t until = clock_ns(CLOCK_MONOTONIC) + GIVE_UP_S * UINT64_C(1000000000);
	int supervisor = live_tracer();
	char path[32], state[2];

	if (supervisor <= 0)
		return;
	(void)snprintf(path, sizeof(path), "/proc/%d/status", supervisor);
	while (read_proc(path, "State:", state, sizeof(state)) && state[0] != 'S') {
		assert_true(clock_ns(CLOCK_MONOTONIC) < until);
		nap(NAP_NS);
	}
}

struct spinner {
	uint64_t address;
	pthread_t thread;
	clockid_t clock;
	_Atomic pid_t tid;
	uint64_t used_ns; /* CPU time of the thread, which it reads at its end */
};

/* A tracer of thread @tid has seen its end when this returns. */
static void wait_until_gone(pid_t tid)
{
	uint64_t until = clock_ns(CLOCK_MONOTONIC) + GIVE_UP_S * UINT64_C(1000000000);
	char path[48];

	(void)snprintf(path, sizeof(path), "/proc/self/task/%d", (int)tid);
	while (access(path, F_OK) == 0) {
		assert_true(clock_ns(CLOCK_MONOTONIC) < until);
		nap(NAP_NS);
	}
}

static void *run_at(void *spinner)
{
	struct spinner *s = spinner;
	struct timespec ts;
	void (*stub)(void);
	void *address = (void *)(uintptr_t)s->address;

	s->tid = gettid();
	memcpy(&stub, &address, sizeof(stub));
	stub();
	(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	s->used_ns = (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
	return NULL;
}

static void begin(struct spinner *s)
{
	assert_int_equal(pthread_create(&s->thread, NULL, run_at, s), 0);
	assert_int_equal(pthread_getcpuclockid(s->thread, &s->clock), 0);
}

/*
 * Lets the spinners return after @seconds of CPU time each. If the supervisor got no CPU meanwhile,
 * no spinner was sampled: all spin on until the supervisor ran.
 */
static void finish(struct spinner *s, unsigned n, double seconds)
{
	uint64_t until = clock_ns(CLOCK_MONOTONIC) + GIVE_UP_S * UINT64_C(1000000000);

	for (unsigned i = 0; i < n; i++) {
		uint64_t most = (uint64_t)(seconds * 1e9), used;

		while ((used = clock_ns(s[i].clock)) < most) {
			assert_true(clock_ns(CLOCK_MONOTONIC) < until);
			nap(most - used > NAP_NS ? most - used : NAP_NS);
		}
	}
	live_settle();
	for (unsigned i = 0; i < n; i++)
		put_code(s[i].address, false);
	for (unsigned i = 0; i < n; i++) {
		assert_int_equal(pthread_join(s[i].thread, NULL), 0);
		wait_until_gone(s[i].tid);
	}
	live_settle();
}

uint64_t live_spin(uint64_t address, double seconds)
{
	struct spinner s = {.address = address};

	map_text(address);
	begin(&s);
	finish(&s, 1, seconds);
	return s.used_ns;
}

void live_spin_both(uint64_t one, uint64_t other, double seconds, uint64_t used_ns[2])
{
	struct spinner s[2] = {{.address = one}, {.address = other}};

	map_text(one);
	/* Both before any thread starts: a thread must not run into an empty page. */
	if (other != one)
		map_text(other);
	begin(&s[0]);
	begin(&s[1]);
	finish(s, 2, seconds);
	used_ns[0] = s[0].used_ns;
	used_ns[1] = s[1].used_ns;
}

struct hopper {
	uint64_t address[2];
	uint64_t used_ns[2];
	_Atomic unsigned hops;
	_Atomic pid_t tid;
};

#define HOPS 4 /* Few: each hop moves a part of a tick from one address to the other. */

static void *hop(void *hopper)
{
	struct hopper *h = hopper;
	uint64_t before = clock_ns(CLOCK_THREAD_CPUTIME_ID), now;

	h->tid = gettid();
	for (unsigned i = 0; i < HOPS; i++, before = now) {
		void *address = (void *)(uintptr_t)h->address[i % 2];
		void (*stub)(void);

		memcpy(&stub, &address, sizeof(stub));
		stub();
		now = clock_ns(CLOCK_THREAD_CPUTIME_ID);
		h->used_ns[i % 2] += now - before;
		h->hops = i + 1;
	}
	return NULL;
}

void live_hop(const uint64_t address[2], double seconds, uint64_t used_ns[2])
{
	struct hopper h = {.address = {address[0], address[1]}};
	uint64_t until = clock_ns(CLOCK_MONOTONIC) + GIVE_UP_S * UINT64_C(1000000000);
	pthread_t thread;
	clockid_t clock;

	map_text(address[0]);
	put_code(address[1], true); /* on the page that was just mapped */
	assert_int_equal(pthread_create(&thread, NULL, hop, &h), 0);
	assert_int_equal(pthread_getcpuclockid(thread, &clock), 0);
	for (unsigned i = 0; i < HOPS; i++) {
		uint64_t most = clock_ns(clock) + (uint64_t)(seconds * 1e9);

		while (clock_ns(clock) < most) {
			assert_true(clock_ns(CLOCK_MONOTONIC) < until);
			nap(NAP_NS);
		}
		live_settle();
		put_code(address[i % 2], false);
		while (i + 1 < HOPS && h.hops <= i) {
			assert_true(clock_ns(CLOCK_MONOTONIC) < until);
			nap(NAP_NS);
		}
		if (i + 2 < HOPS)
			put_code(address[i % 2], true);
	}
	assert_int_equal(pthread_join(thread, NULL), 0);
	wait_until_gone(h.tid);
	live_settle();
	memcpy(used_ns, h.used_ns, sizeof(h.used_ns));
}

uint64_t live_process_cpu(void)
{
	return clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

uint64_t live_burn(double seconds)
{
	uint64_t start = clock_ns(CLOCK_THREAD_CPUTIME_ID), now = start;

	errno = EXDEV; /* sampling must not change errno */
	while (now - start < (uint64_t)(seconds * 1e9))
		now = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	assert_int_equal(errno, EXDEV);
	return now - start;
}

void *live_buffer(size_t bytes, int sharing)
{
	size_t room = (bytes + PAGE - 1) / PAGE * PAGE + (bytes ? 0 : PAGE);
	uint8_t *all = mmap(NULL, room + 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint8_t *inside;

	assert_ptr_not_equal(all, MAP_FAILED);
	inside = mmap(all + PAGE, room, PROT_READ | PROT_WRITE, sharing | MAP_ANONYMOUS | MAP_FIXED,
		-1, 0);
	assert_ptr_equal(inside, all + PAGE);
	memset(inside, PATTERN, room - bytes);
	return inside + room - bytes;
}

void live_check_buffer(const void *buffer, size_t bytes)
{
	const uint8_t *p = buffer;
	size_t room = (bytes + PAGE - 1) / PAGE * PAGE + (bytes ? 0 : PAGE);

	for (size_t i = 1; i <= room - bytes; i++)
		assert_int_equal(*(p - i), PATTERN);
}

bool live_truth(void)
{
	return getenv("TRUTH");
}

/*
 * Smallest expected number of ticks at which a count of 0 fails. A thread that shares its CPU runs
 * for one tick on average before its first tick and after its last one, both exponentially
 * distributed. Their sum exceeds 18 ticks in 3e-7 of the cases.
 */
#define SOME 18

/* Least tolerance in ticks: 5 standard deviations of a thread's ticks (docs/SAMPLING.md). */
#define CHANCE 6.0

/*
 * @count must be the thread's CPU time in ticks, but for the remainders at its beginning and end.
 * That needs a CPU without other load, and instants in time (real-time priority), so only the truth
 * suite, which sets TRUTH, judges it.
 */
void live_check_within(uint64_t count, double ticks, double most, const char *file, int line)
{
	double off = (double)count > ticks ? (double)count - ticks : ticks - (double)count;

	if (most < CHANCE)
		most = CHANCE;
	if (geteuid() != 0)
		most *= 2;
	if (live_truth() ? off > most : count == 0 && ticks >= SOME) {
		print_error("%llu counts, but %.1f ticks of CPU time\n", (unsigned long long)count,
			ticks);
		_fail(file, line);
	}
}

void live_check_about(uint64_t count, uint64_t cpu_ns, uint64_t tick_ns, const char *file, int line)
{
	double ticks = (double)cpu_ns / (double)tick_ns;

	live_check_within(count, ticks, ticks * 0.05, file, line);
}

void live_check_rounds(uint64_t count, uint64_t cpu_ns, uint64_t tick_ns, unsigned rounds,
	const char *file, int line)
{
	double variance = rounds * (4.0 / 3 + 1.0 / 12), most = 1;

	while (most * most < 5 * 5 * variance)
		most++;
	live_check_within(count, (double)cpu_ns / (double)tick_ns, most, file, line);
}

int live_errno(int result)
{
	if (result == 0)
		return 0;
	assert_int_equal(result, -1);
	return errno;
}

void live_reap(pid_t pid)
{
	int status = -1;

	while (waitpid(pid, &status, 0) < 0)
		assert_int_equal(errno, EINTR);
	assert_int_equal(status, 0);
	live_settle();
}

static void note_signal(int signal)
{
	(void)signal;
	atomic_fetch_add(&signals_seen, 1);
}

static unsigned count_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned n = 0;

	assert_non_null(dir);
	while (readdir(dir))
		n++;
	assert_int_equal(closedir(dir), 0);
	return n;
}

static unsigned descriptors;

static int group_setup(void **state)
{
	static const int watched[] = {SIGHUP, SIGUSR1, SIGUSR2, SIGALRM, SIGCHLD, SIGCONT, SIGTRAP,
		SIGURG, SIGVTALRM, SIGPROF, SIGWINCH, SIGIO, SIGPWR, SIGPIPE};
	struct sigaction action = {.sa_handler = note_signal};

	(void)state;
	for (size_t i = 0; i < sizeof(watched) / sizeof(watched[0]); i++)
		assert_int_equal(sigaction(watched[i], &action, NULL), 0);
	descriptors = count_descriptors();
	return 0;
}

static int check_after(void **state)
{
	(void)state;
	assert_int_equal(atomic_load(&interruptions), 0);
	assert_int_equal(count_descriptors(), descriptors);
	errno = 0;
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
	return 0;
}

void live_filter(void)
{
	const char *pattern = getenv("LIVE_FILTER");

	/* By lines: the test's name is printed before a failure aborts (CMOCKA_TEST_ABORT). */
	(void)setvbuf(stdout, NULL, _IOLBF, 0);
	if (pattern)
		cmocka_set_test_filter(pattern);
}

int live_run_group(const char *name, const struct CMUnitTest *tests, size_t count)
{
	struct CMUnitTest all[64];
	int failed;

	if (count > sizeof(all) / sizeof(all[0]))
		return 1;
	for (size_t i = 0; i < count; i++) {
		all[i] = tests[i];
		all[i].teardown_func = check_after;
	}
	live_filter();
	failed = _cmocka_run_group_tests(name, all, count, group_setup, NULL);
	if (atomic_load(&signals_seen)) {
		print_error("the program saw %d signals\n", atomic_load(&signals_seen));
		failed++;
	}
	return failed;
}
