/* SPDX-License-Identifier: MIT */
/* For targets that check by themselves whether they were harmed. */
#ifndef TARGETS_HARMED_H
#define TARGETS_HARMED_H

#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include "tests/clock.h"

#define SECOND_NS UINT64_C(1000000000)

__attribute__((format(printf, 1, 2))) static inline _Noreturn void harmed(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	(void)fputs("harmed: ", stderr);
	(void)vfprintf(stderr, format, args);
	(void)fputc('\n', stderr);
	va_end(args);
	_exit(1);
}

static inline uint64_t now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

static inline void work_ms(unsigned ms)
{
	uint64_t end = now_ns() + ms * UINT64_C(1000000);

	while (now_ns() < end)
		;
}

static inline void on_signal(int signal, void (*handler)(int, siginfo_t *, void *), int flags)
{
	struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | flags};

	if (sigaction(signal, &action, NULL) < 0)
		harmed("sigaction");
}

#endif
