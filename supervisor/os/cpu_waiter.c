/* SPDX-License-Identifier: MIT */
#include "supervisor/os/cpu_waiter.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "supervisor/os/priority.h"
#include "supervisor/os/procfs.h"

/* The least that glibc permits on aarch64; if it refused the size, a stack would have 8 MiB. */
#define STACK_BYTES (128 * 1024)
/*
 * Bits of cpu_waiter.word, the futex on which a waiter sleeps. Bit 0 tells the waiter to end. A
 * poke (cpu_waiter_poke()) adds 2, so that the word changes.
 */
#define WORD_ENDS UINT32_C(1)
#define WORD_POKE UINT32_C(2)
/*
 * A thread that wakes up executes its first instruction at most this long after the context switch.
 * arrival_read() subtracts this from the time at which the waiter woke up.
 */
#define ENTRY_NS 5000
/*
 * For this long after summons_call(), no waiter gets the turn (cpu_waiter.h), but only the tracing
 * thread.
 */
#define COME_NS 60000
/*
 * While a waiter has the turn, the tracing thread spins for this long before it sleeps. Most
 * waiters end their turn sooner.
 */
#define SPIN_NS 20000

int arrival_read(int fd, uint64_t woke_ns, struct arrival *ret_arrival)
{
	struct turn turn;
	int r = fd < 0 ? -ENODATA : procfs_read_turn(fd, &turn);
	uint64_t now, since, ran;

	if (r < 0)
		return r;
	since = clock_read(CLOCK_THREAD_CPUTIME_ID) - turn.run_ns;
	now = clock_now();
	ran = now - woke_ns + ENTRY_NS;
	ret_arrival->first_ns = turn.switched_ns - (ran > since ? ran - since : 0);
	ret_arrival->last_ns = turn.switched_ns;
	ret_arrival->monotonic_ns = now - since;
	ret_arrival->run_ns = turn.run_ns;
	return 0;
}

/* Sleeps until @at_ns, or until w->word is no longer @word. True: @at_ns has come. */
static bool sleep_until(struct cpu_waiter *w, uint32_t word, uint64_t at_ns)
{
	struct timespec at = {(time_t)(at_ns / CLOCK_SECOND_NS), (long)(at_ns % CLOCK_SECOND_NS)};
	long r = syscall(SYS_futex, &w->word, FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG, word,
		at_ns == UINT64_MAX ? NULL : &at, NULL, FUTEX_BITSET_MATCH_ANY);

	return r < 0 && errno == ETIMEDOUT;
}

/*
 * Returns the thread's run queue time in ns since *@seen was read, and updates *@seen.
 * ARRIVAL_UNKNOWN: unreadable, or the number of times that the thread was scheduled in since then
 * is not 1.
 */
static uint64_t read_waited(int fd, struct cpu_time *seen)
{
	struct cpu_time before = *seen;

	if (procfs_read_cpu(CPU_SOURCE_SCHEDSTAT, fd, seen) < 0 ||
		seen->slices != before.slices + 1)
		return ARRIVAL_UNKNOWN;
	return seen->wait_ns - before.wait_ns;
}

/* @tid: tid of the waiter's thread; 0: the waiter's thread is the calling thread. */
static void pin(struct cpu_waiter *w, int tid)
{
	int r = priority_stay(tid, w->cpu);

	atomic_store(&w->loose, r == -EPERM || r == -EACCES || r == -ENOSYS);
}

static void *wait_on_cpu(void *context)
{
	struct cpu_waiter *w = context;
	int fd = open("/proc/thread-self/sched", O_RDONLY | O_CLOEXEC);
	int queue_fd = w->realtime || procfs_cpu_source() != CPU_SOURCE_SCHEDSTAT
		? -1
		: open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
	struct cpu_time seen = {0};
	uint64_t woke = 0;

	atomic_store(&w->tid, gettid());
	pin(w, 0);
	if (!w->realtime || priority_realtime() < 0)
		(void)priority_prompt(w->first);
	/*
	 * No poke is missed: if w->word changes after it was read here, sleep_until() returns at
	 * once.
	 */
	for (uint32_t word; !((word = atomic_load(&w->word)) & WORD_ENDS);) {
		struct arrival arrival = {.waited_ns = ARRIVAL_UNKNOWN};
		int r = woke ? arrival_read(fd, woke, &arrival) : 0;
		uint64_t next;

		arrival.cpu = atomic_load(&w->loose) ? w->cpu : sched_getcpu();
		if (queue_fd >= 0)
			arrival.waited_ns = read_waited(queue_fd, &seen);
		next = w->wake(w->context, woke, &arrival, r);
		woke = sleep_until(w, word, next) ? clock_now() : 0;
	}
	if (fd >= 0)
		(void)close(fd);
	if (queue_fd >= 0)
		(void)close(queue_fd);
	return NULL;
}

int cpu_waiter_start(struct cpu_waiter *w)
{
	pthread_attr_t attributes;
	int r;

	atomic_store(&w->word, 0);
	atomic_store(&w->tid, 0);
	r = -pthread_attr_init(&attributes);
	if (r < 0)
		return r;
	(void)pthread_attr_setstacksize(&attributes, STACK_BYTES);
	r = -pthread_create(&w->thread, &attributes, wait_on_cpu, w);
	(void)pthread_attr_destroy(&attributes);
	w->started = r == 0;
	if (w->started)
		(void)pthread_getcpuclockid(w->thread, &w->clock);
	return r;
}

static void change(struct cpu_waiter *w, uint32_t by)
{
	atomic_fetch_add(&w->word, by);
	(void)syscall(SYS_futex, &w->word, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1, NULL, NULL, 0);
}

void cpu_waiter_pin(struct cpu_waiter *w)
{
	int tid = atomic_load(&w->tid);

	if (w->started && tid)
		pin(w, tid);
}

void cpu_waiter_poke(struct cpu_waiter *w)
{
	change(w, WORD_POKE);
}

void cpu_waiter_stop(struct cpu_waiter *w)
{
	if (!w->started)
		return;
	/*
	 * The waiter may end on any CPU. If a program of higher priority keeps the waiter's own
	 * CPU, the waiter would not run there, and pthread_join() would wait for it.
	 */
	(void)priority_any_cpu(w->thread);
	change(w, WORD_ENDS);
	(void)pthread_join(w->thread, NULL);
	w->started = false;
}

static inline void relax(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

int summons_init(struct summons *s)
{
	atomic_store(&s->state, SUMMONS_WORKS);
	atomic_store(&s->cpu, -1);
	atomic_store(&s->wanted, false);
	s->tid = gettid();
	s->bell_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return s->bell_fd < 0 ? -errno : 0;
}

void summons_release(struct summons *s)
{
	if (s->bell_fd >= 0)
		(void)close(s->bell_fd);
	s->bell_fd = -1;
}

bool summons_claim(struct summons *s, int index, uint64_t until_ns)
{
	for (;;) {
		int seen = atomic_load(&s->state);
		uint64_t now = clock_now();

		if (!atomic_load(&s->wanted) &&
			(seen == SUMMONS_SLEEPS ||
				(seen == SUMMONS_CALLED &&
					now > atomic_load(&s->called_ns) + COME_NS)) &&
			atomic_compare_exchange_strong(&s->state, &seen, index))
			return true;
		if (now > until_ns)
			return false;
		relax();
	}
}

/*
 * Sets @s->state. True: the tracing thread waits in summons_wake() and was woken by the futex, so
 * it need not be woken through bell_fd.
 */
static bool hand_on(struct summons *s, int state)
{
	atomic_store(&s->state, state);
	if (!atomic_load(&s->wanted))
		return false;
	(void)syscall(SYS_futex, &s->state, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1, NULL, NULL, 0);
	return true;
}

void summons_give_back(struct summons *s)
{
	(void)hand_on(s, SUMMONS_SLEEPS);
}

void summons_call(struct summons *s, int cpu)
{
	const uint64_t one = 1;

	if (atomic_load(&s->cpu) != cpu && priority_stay(s->tid, cpu) == 0)
		atomic_store(&s->cpu, cpu);
	atomic_store(&s->called_ns, clock_now());
	if (!hand_on(s, SUMMONS_CALLED) && write(s->bell_fd, &one, sizeof(one)) < 0)
		/*
		 * If the write fails, the eventfd's counter is full: it is readable and wakes the
		 * tracing thread.
		 */
		return;
}

int summons_wake(struct summons *s, uint64_t wait_ns)
{
	const struct timespec most = {
		(time_t)(wait_ns / CLOCK_SECOND_NS), (long)(wait_ns % CLOCK_SECOND_NS)};
	uint64_t began = clock_now();

	for (;;) {
		int seen = atomic_load(&s->state);

		if (seen >= 0) {
			atomic_store(&s->wanted, true);
			if (clock_now() - began < SPIN_NS)
				relax();
			else if (syscall(SYS_futex, &s->state, FUTEX_WAIT | FUTEX_PRIVATE_FLAG,
					 seen, &most, NULL, 0) < 0 &&
				errno == ETIMEDOUT)
				return -ETIMEDOUT;
		} else if (atomic_compare_exchange_strong(&s->state, &seen, SUMMONS_WORKS)) {
			atomic_store(&s->wanted, false);
			return seen == SUMMONS_CALLED;
		}
	}
}

void summons_unpin(struct summons *s)
{
	if (atomic_exchange(&s->cpu, -1) >= 0 &&
		sched_setaffinity(0, sizeof(s->started_on), &s->started_on) < 0)
		/* None of these CPUs is in the cpuset any more. */
		(void)priority_any_cpu(pthread_self());
}
