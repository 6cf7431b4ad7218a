/* SPDX-License-Identifier: MIT */
/*
 * filtered CALLS: a seccomp filter kills a thread for restart_syscall, which a program needs only
 * if it is stopped. Sleeps CALLS times, for a short time, in each call that the kernel resumes by
 * restart_syscall, and works in between. Ends with 0 if each call took its time.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "tests/clock.h"

static void work(unsigned us)
{
	uint64_t end = clock_ns(CLOCK_MONOTONIC) + us * UINT64_C(1000);

	while (clock_ns(CLOCK_MONOTONIC) < end)
		;
}

static const struct timespec short_time = {0, 1000000};
static uint32_t word;

static int call(unsigned which)
{
	struct timespec until;

	switch (which) {
	case 0: return (int)syscall(SYS_nanosleep, &short_time, NULL);
	case 1: return (int)syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &short_time, NULL);
	case 2: return poll(NULL, 0, 1);
	case 3:
		return syscall(SYS_futex, &word, FUTEX_WAIT, 0, &short_time, NULL, 0) < 0 &&
				errno == ETIMEDOUT
			? 0
			: -1;
	default:
		(void)clock_gettime(CLOCK_MONOTONIC, &until);
		until.tv_nsec += short_time.tv_nsec;
		if (until.tv_nsec >= 1000000000) {
			until.tv_nsec -= 1000000000;
			until.tv_sec++;
		}
		return syscall(SYS_futex, &word, FUTEX_WAIT_BITSET, 0, &until, NULL, ~0) < 0 &&
				errno == ETIMEDOUT
			? 0
			: -1;
	}
}

int main(int argc, char **argv)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_restart_syscall, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = {sizeof(filter) / sizeof(*filter), filter};
	int calls = argc > 1 ? atoi(argv[1]) : 100;
	unsigned slow = 0;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
		return 77;
	for (int i = 0; i < calls; i++) {
		for (unsigned which = 0; which < 5; which++) {
			uint64_t began;

			work((unsigned)i * 7 % 600);
			began = clock_ns(CLOCK_MONOTONIC);
			if (call(which) != 0) {
				(void)printf("call %u: errno %d\n", which, errno);
				return 1;
			}
			began = clock_ns(CLOCK_MONOTONIC) - began;
			if (began < 1000000) {
				(void)printf(
					"call %u took %llu ns\n", which, (unsigned long long)began);
				return 1;
			}
			slow += began > 20000000;
		}
	}
	(void)printf("%d calls of each, %u took more than 20 ms\n", calls, slow);
	return 0;
}
