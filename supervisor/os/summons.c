/* SPDX-License-Identifier: MIT */
#include "supervisor/os/summons.h"

#include <errno.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "supervisor/os/priority.h"

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
	atomic_store(&s->holds, -1);
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

int summons_claim(struct summons *s, int index, uint64_t wait_ns)
{
	uint64_t began = clock_now();

	for (;;) {
		int seen = atomic_load(&s->state);

		if ((seen == SUMMONS_SLEEPS || seen == SUMMONS_AWAITS) &&
			atomic_compare_exchange_strong(&s->state, &seen, index))
			return seen == SUMMONS_AWAITS;
		if (clock_now() - began > wait_ns)
			return -EBUSY;
		relax();
	}
}

void summons_call(struct summons *s, int cpu)
{
	const uint64_t one = 1;

	if (atomic_load(&s->cpu) != cpu && priority_stay(s->tid, cpu) == 0)
		atomic_store(&s->cpu, cpu);
	if (write(s->bell_fd, &one, sizeof(one)) < 0)
		return; /* it has been rung already */
}

void summons_hold(struct summons *s, int index, uint64_t most_ns)
{
	uint64_t began = clock_now();

	while (atomic_load(&s->holds) == index && clock_now() - began < most_ns)
		relax();
	(void)atomic_compare_exchange_strong(&s->holds, &index, -1);
}

void summons_rest(struct summons *s, bool awaits)
{
	atomic_store(&s->state, awaits ? SUMMONS_AWAITS : SUMMONS_SLEEPS);
}

int summons_wake(struct summons *s)
{
	int claimed = atomic_exchange(&s->state, SUMMONS_WORKS);

	return claimed >= 0 ? claimed : -1;
}

bool summons_let_go(struct summons *s, int index)
{
	return atomic_compare_exchange_strong(&s->holds, &index, -1);
}

void summons_unpin(struct summons *s)
{
	if (atomic_exchange(&s->cpu, -1) >= 0)
		(void)sched_setaffinity(0, sizeof(s->started_on), &s->started_on);
}
