/* SPDX-License-Identifier: MIT */
#include "analyst/vanish.h"

#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>

#define PAGE_BYTES 4096

/*
 * Maps a page of zeros where the file's page is gone; the kernel then executes the instruction
 * again. POSIX does not list mmap(2) as async-signal-safe, but on Linux it is a plain system call.
 */
static void give_zeros(int number, siginfo_t *info, void *context)
{
	uintptr_t page = (uintptr_t)info->si_addr & ~(uintptr_t)(PAGE_BYTES - 1);

	(void)context;
	if (info->si_code == BUS_ADRERR && page &&
		mmap((void *)page, PAGE_BYTES, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED)
		return;
	(void)signal(number, SIG_DFL);
}

void vanish_survive(void)
{
	struct sigaction action = {.sa_sigaction = give_zeros, .sa_flags = SA_SIGINFO};

	(void)sigemptyset(&action.sa_mask);
	(void)sigaction(SIGBUS, &action, NULL);
}
