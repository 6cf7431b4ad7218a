/* SPDX-License-Identifier: MIT */
#include "base/stack_room.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>
#include <unistd.h>

/* We use at most NEEDED_BYTES of stack. If the limit is lower, a stack of OWN_BYTES is mapped. */
enum { NEEDED_BYTES = 1 << 20, OWN_BYTES = 8 << 20 };

struct call {
	int (*run)(int argc, char **argv);
	int argc, result;
	char **argv;
	ucontext_t before, own;
};

/* Runs on the new stack. makecontext() passes integers only. */
static void begin(unsigned high, unsigned low)
{
	struct call *call = (struct call *)(uintptr_t)((uint64_t)high << 32 | low);

	call->result = call->run(call->argc, call->argv);
}

static bool is_small(void)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < NEEDED_BYTES;
}

int stack_room_run(int (*run)(int argc, char **argv), int argc, char **argv)
{
	struct call call = {.run = run, .argc = argc, .argv = argv};
	uint64_t at = (uintptr_t)&call;
	char *stack;

	if (!is_small())
		return run(argc, argv);
	stack = mmap(NULL, OWN_BYTES, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
	if (stack == MAP_FAILED || getcontext(&call.own) < 0)
		return run(argc, argv);
	/* The lowest page is a guard: an overflow faults. */
	(void)mprotect(stack, (size_t)sysconf(_SC_PAGESIZE), PROT_NONE);
	call.own.uc_stack.ss_sp = stack;
	call.own.uc_stack.ss_size = OWN_BYTES;
	call.own.uc_link = &call.before;
	makecontext(&call.own, (void (*)(void))begin, 2, (unsigned)(at >> 32), (unsigned)at);
	if (swapcontext(&call.before, &call.own) < 0)
		return run(argc, argv);
	return call.result;
}
