/* SPDX-License-Identifier: MIT */
/*
 * Stacks of all shapes: stacks SHAPE SECONDS. SECONDS are CPU time, so that the number of samples
 * does not depend on other programs; for naps they are wall time.
 *
 *	qsort	burn, compare, libc's qsort, sort_it, main
 *	signal	burn, handler (on an alternate stack), the signal frame, spin, main
 *	pool	burn, work, worker, libc's start of a thread; in 4 threads
 *	coro	burn, deeper, coroutine, libc's start of a context; two of them that take turns
 *	heap	burn, digger 100 times, some 200 KiB in all, in_heap, libc's start of a context; the
 *		stack is in the middle of the heap, as those of goroutines are
 *	longjmp	burn, jumper, main; left by longjmp each time
 *	log	calls that follow a rule, so that every stack the program can have is known:
 *		main calls f3(15); f3(n) calls f2(n - 1) if n is odd, else f1(n - 1), unless n is 0;
 *		f1(n) and f2(n) call f3(n); all of them call burn
 *
 *	naps	the same, but burn sleeps for 20 us
 *
 * "log" tests for true stacks: a frame that is left out, counted twice or invented breaks the rule.
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))

static volatile uint64_t sink;
static double end_at;
static int napping;

static double now(void)
{
	struct timespec ts;

	/* A real system call: libunwind, to which --check-stacks compares, cannot read the vdso. */
	(void)syscall(SYS_clock_gettime, napping ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

NOINLINE static int burn(unsigned rounds)
{
	volatile uint8_t local[300];

	if (napping)
		(void)nanosleep(&(struct timespec){0, 20000}, NULL);
	for (unsigned i = 0; i < rounds; i++) {
		local[i % sizeof(local)] = (uint8_t)i;
		sink += local[(i * 7) % sizeof(local)];
	}
	return (int)(sink & 1);
}

NOINLINE static int compare(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	(void)burn(2000);
	return x < y ? -1 : x > y;
}

NOINLINE static void sort_it(void)
{
	int numbers[256];

	for (unsigned i = 0; i < 256; i++)
		numbers[i] = (int)(i * 2654435761U >> 8);
	qsort(numbers, 256, sizeof(*numbers), compare);
	sink += (uint64_t)numbers[7];
}

NOINLINE static void handler(int number)
{
	volatile uint8_t local[256];

	local[number] = 1;
	sink += (uint64_t)burn(2000000) + local[number];
}

NOINLINE static void spin(void)
{
	volatile uint8_t local[256];

	local[3] = 1;
	(void)raise(SIGUSR1);
	sink += local[3];
}

NOINLINE static void by_signal(void)
{
	stack_t alternate = {.ss_sp = malloc(65536), .ss_size = 65536};
	struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};

	if (!alternate.ss_sp || sigaltstack(&alternate, NULL) || sigaction(SIGUSR1, &action, NULL))
		exit(1);
	while (now() < end_at)
		spin();
}

NOINLINE static void work(unsigned depth)
{
	volatile uint8_t local[250];

	local[depth] = 1;
	if (depth)
		work(depth - 1);
	else
		(void)burn(100000);
	sink += local[depth];
}

static void *worker(void *unused)
{
	while (now() < end_at)
		work(20);
	return unused;
}

static void by_pool(void)
{
	pthread_t thread[4];

	for (unsigned i = 0; i < 4; i++) {
		if (pthread_create(&thread[i], NULL, worker, NULL))
			exit(1);
	}
	for (unsigned i = 0; i < 4; i++)
		(void)pthread_join(thread[i], NULL);
}

static ucontext_t main_context, context[2];

NOINLINE static void deeper(int self, unsigned depth)
{
	volatile uint8_t local[250];

	local[depth] = 1;
	if (depth) {
		deeper(self, depth - 1);
	} else {
		(void)burn(50000);
		(void)swapcontext(&context[self], &context[1 - self]);
	}
	sink += local[depth];
}

static void coroutine(int self)
{
	while (now() < end_at)
		deeper(self, 10);
}

static void make_coroutine(int self)
{
	(void)getcontext(&context[self]);
	context[self].uc_stack.ss_size = 262144;
	context[self].uc_stack.ss_sp = malloc(262144);
	context[self].uc_link = &main_context;
	if (!context[self].uc_stack.ss_sp)
		exit(1);
	makecontext(&context[self], (void (*)(void))coroutine, 1, self);
}

static void by_coroutines(void)
{
	make_coroutine(0);
	make_coroutine(1);
	(void)swapcontext(&main_context, &context[0]);
}

NOINLINE static void digger(unsigned depth)
{
	volatile uint8_t local[2000];

	local[depth] = 1;
	if (depth)
		digger(depth - 1);
	while (!depth && now() < end_at)
		(void)burn(50000);
	sink += local[depth];
}

static void in_heap(void)
{
	digger(99);
}

static void by_heap(void)
{
	enum { STACK_BYTES = 1 << 20 };
	char *heap = malloc(16 * STACK_BYTES);

	if (!heap)
		exit(1);
	(void)getcontext(&context[0]);
	context[0].uc_stack.ss_size = STACK_BYTES;
	context[0].uc_stack.ss_sp = heap + 8 * STACK_BYTES;
	context[0].uc_link = &main_context;
	makecontext(&context[0], in_heap, 0);
	(void)swapcontext(&main_context, &context[0]);
}

static jmp_buf back;

NOINLINE static void jumper(unsigned depth)
{
	volatile uint8_t local[250];

	local[depth] = 1;
	if (depth)
		jumper(depth - 1);
	else
		(void)burn(50000);
	sink += local[depth];
	if (!depth)
		longjmp(back, 1);
}

NOINLINE static void f3(unsigned depth);
#define LOGGED(name, next)                                   \
	NOINLINE static void name(unsigned depth)            \
	{                                                    \
		volatile uint8_t local[200 + sizeof(#name)]; \
                                                             \
		local[depth] = 1;                            \
		next(depth);                                 \
		(void)burn(300);                             \
		sink += local[depth];                        \
	}
LOGGED(f1, f3)
LOGGED(f2, f3)

NOINLINE static void f3(unsigned depth)
{
	volatile uint8_t local[260];

	local[depth] = 1;
	(void)burn(500);
	if (depth)
		(depth % 2 ? f2 : f1)(depth - 1);
	(void)burn(500);
	sink += local[depth];
}

int main(int argc, char **argv)
{
	const char *shape = argc > 1 ? argv[1] : "qsort";

	napping = strcmp(shape, "naps") == 0;
	end_at = now() + (argc > 2 ? atof(argv[2]) : 1);
	if (strcmp(shape, "signal") == 0) {
		by_signal();
	} else if (strcmp(shape, "pool") == 0) {
		by_pool();
	} else if (strcmp(shape, "coro") == 0) {
		by_coroutines();
	} else if (strcmp(shape, "heap") == 0) {
		by_heap();
	} else if (strcmp(shape, "longjmp") == 0) {
		while (now() < end_at) {
			if (!setjmp(back))
				jumper(12);
		}
	} else {
		while (now() < end_at) {
			if (napping || strcmp(shape, "log") == 0)
				f3(15);
			else
				sort_it();
		}
	}
	(void)printf("%u\n", (unsigned)sink & 1);
	return 0;
}
