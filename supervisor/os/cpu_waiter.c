/* SPDX-License-Identifier: MIT */
#include "supervisor/os/cpu_waiter.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "supervisor/os/priority.h"

#define SECOND_NS   UINT64_C(1000000000)
#define STACK_BYTES (64 * 1024)
/* A keeper wakes up before its time by how late it usually is: idle CPUs take long to wake up. */
#define LEAD_NS      40000
#define LEAD_MOST_NS 100000
/* It goes to sleep after who gave the order: an idle CPU takes over who waits for that one's. */
#define LINGER_NS 12000

static uint64_t now_ns(void)
{
	struct timespec ts = {0};

	(void)clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * SECOND_NS + (uint64_t)ts.tv_nsec;
}

static inline void relax(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

/* Sleeps until @at_ns, or until the word is not @word any more. True: it is time. */
static bool sleep_until(struct cpu_waiter *w, uint32_t word, uint64_t at_ns)
{
	struct timespec at = {(time_t)(at_ns / SECOND_NS), (long)(at_ns % SECOND_NS)};
	long r = syscall(SYS_futex, &w->word, FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG, word,
		at_ns == UINT64_MAX ? NULL : &at, NULL, FUTEX_BITSET_MATCH_ANY);

	return r < 0 && errno == ETIMEDOUT;
}

static void read_arrival(struct cpu_waiter *w, struct arrival_log *log, int fd)
{
	int r = arrival_read(log, fd, &w->arrival);

	atomic_store(&w->arrival_read, r < 0 ? r : 1);
}

/* Rings, and keeps the CPU until somebody has seen to it. */
static void hold(struct cpu_waiter *w, struct arrival_log *log, int fd)
{
	const uint64_t one = 1;
	uint64_t woke = now_ns();
	int holds = CPU_WAITER_HOLDS;

	/* In the fair class whoever is woken now renews the stamp. */
	atomic_store(&w->arrival_read, 0);
	if (!w->realtime)
		read_arrival(w, log, fd);
	atomic_store(&w->arrival_asked, !atomic_load(&w->arrival_late) || !atomic_load(w->heard));
	atomic_store(&w->woke_ns, woke);
	atomic_store(&w->state, CPU_WAITER_HOLDS);
	if (!atomic_load(w->heard) && write(w->bell_fd, &one, sizeof(one)) < 0)
		woke = 0; /* nobody hears: give up at once */
	while (cpu_waiter_state(w) == CPU_WAITER_HOLDS && now_ns() - woke < CPU_WAITER_HOLD_NS) {
		if (!atomic_load(&w->arrival_read) && atomic_load(&w->arrival_asked))
			read_arrival(w, log, fd);
		relax();
	}
	(void)atomic_compare_exchange_strong(&w->state, &holds, CPU_WAITER_GAVE_UP);
}

/* The lead goes an eighth of the way to how late it was. */
static uint64_t follow_lead(uint64_t lead, uint64_t late)
{
	return lead +
		(uint64_t)(((int64_t)(late < LEAD_MOST_NS ? late : LEAD_MOST_NS) - (int64_t)lead) /
			8);
}

/* Keeps the CPU from going idle, from now on and beyond @at. */
static void keep(struct cpu_waiter *w, uint64_t at)
{
	const uint64_t one = 1;
	uint64_t now = now_ns(), until;
	int keeps = CPU_WAITER_KEEPS;

	atomic_store(&w->state, CPU_WAITER_KEEPS);
	for (; now < at && atomic_load(&w->keep_ns) == at; now = now_ns())
		relax();
	atomic_store(&w->rang_ns, now);
	if (atomic_load(&w->keep_rings) && atomic_load(&w->keep_ns) == at &&
		write(w->bell_fd, &one, sizeof(one)) < 0)
		at = UINT64_MAX; /* nobody hears */
	for (; atomic_load(&w->keep_ns) == at && now - at < CPU_WAITER_HOLD_NS; now = now_ns())
		relax();
	for (until = now + LINGER_NS; now < until; now = now_ns())
		relax();
	(void)atomic_compare_exchange_strong(&w->state, &keeps, CPU_WAITER_ASLEEP);
	(void)atomic_compare_exchange_strong(&w->keep_ns, &at, UINT64_MAX);
}

static void *wait_on_cpu(void *context)
{
	struct cpu_waiter *w = context;
	cpu_set_t *set = CPU_ALLOC((size_t)w->cpu + 1);
	size_t bytes = CPU_ALLOC_SIZE((size_t)w->cpu + 1);
	int fd = open("/proc/thread-self/sched", O_RDONLY | O_CLOEXEC);
	struct arrival_log log = {0};
	uint64_t lead = LEAD_NS;

	if (set) {
		CPU_ZERO_S(bytes, set);
		CPU_SET_S((size_t)w->cpu, bytes, set);
		(void)sched_setaffinity(0, bytes, set);
		CPU_FREE(set);
	}
	if (!w->realtime || priority_realtime() < 0)
		priority_prompt();
	for (;;) {
		/* Before all that it stands for: what changes after this makes the sleep end at
		 * once. */
		uint32_t word = atomic_load(&w->word);
		uint64_t at = atomic_load(&w->at_ns), rings = atomic_load(&w->keep_ns);
		uint64_t from = rings == UINT64_MAX ? rings : rings - lead, slept;

		if (atomic_load(&w->quit))
			break;
		if (cpu_waiter_state(w) == CPU_WAITER_GAVE_UP)
			at = from = UINT64_MAX;
		arrival_rest(&log);
		slept = now_ns();
		if (!sleep_until(w, word, at < from ? at : from))
			continue;
		if (at <= from) {
			hold(w, &log, fd);
			continue;
		}
		if (slept < from)
			lead = follow_lead(lead, now_ns() - from);
		keep(w, rings);
	}
	if (fd >= 0)
		(void)close(fd);
	return NULL;
}

int cpu_waiter_start(
	struct cpu_waiter *w, int cpu, int bell_fd, const _Atomic bool *heard, bool realtime)
{
	pthread_attr_t attributes;
	int r;

	w->cpu = cpu;
	w->bell_fd = bell_fd;
	w->heard = heard;
	w->realtime = realtime;
	atomic_store(&w->at_ns, UINT64_MAX);
	atomic_store(&w->keep_ns, UINT64_MAX);
	atomic_store(&w->state, CPU_WAITER_ASLEEP);
	atomic_store(&w->quit, false);
	r = -pthread_attr_init(&attributes);
	if (r < 0)
		return r;
	(void)pthread_attr_setstacksize(&attributes, STACK_BYTES);
	r = -pthread_create(&w->thread, &attributes, wait_on_cpu, w);
	(void)pthread_attr_destroy(&attributes);
	w->started = r == 0;
	return r;
}

/* Wakes it up for a new order, unless it is awake: then it sees that before it sleeps. */
static void tell(struct cpu_waiter *w, int before)
{
	atomic_fetch_add(&w->word, 1);
	if (before != CPU_WAITER_HOLDS && before != CPU_WAITER_KEEPS)
		(void)syscall(
			SYS_futex, &w->word, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1, NULL, NULL, 0);
}

void cpu_waiter_set(struct cpu_waiter *w, uint64_t at_ns)
{
	int before;

	atomic_store(&w->at_ns, at_ns);
	before = atomic_load(&w->state);
	while (before != CPU_WAITER_KEEPS &&
		!atomic_compare_exchange_weak(&w->state, &before, CPU_WAITER_ASLEEP))
		;
	tell(w, before);
}

void cpu_waiter_keep(struct cpu_waiter *w, uint64_t at_ns, bool rings)
{
	atomic_store(&w->keep_rings, rings);
	if (w->started && atomic_exchange(&w->keep_ns, at_ns) != at_ns)
		tell(w, cpu_waiter_state(w));
}

void cpu_waiter_stop(struct cpu_waiter *w)
{
	if (!w->started)
		return;
	atomic_store(&w->quit, true);
	cpu_waiter_set(w, UINT64_MAX);
	/* A program of higher priority may have its CPU for good. */
	(void)priority_any_cpu(w->thread);
	(void)syscall(SYS_futex, &w->word, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1, NULL, NULL, 0);
	(void)pthread_join(w->thread, NULL);
	w->started = false;
}

int cpu_waiter_arrival(struct cpu_waiter *w, struct arrival *ret_arrival)
{
	uint64_t until = now_ns() + CPU_WAITER_HOLD_NS;
	int r;

	atomic_store(&w->arrival_asked, true);
	while (!(r = atomic_load_explicit(&w->arrival_read, memory_order_acquire)) &&
		now_ns() < until)
		relax();
	if (r <= 0)
		return -ENODATA;
	*ret_arrival = w->arrival;
	return 0;
}
