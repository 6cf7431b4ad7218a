/* SPDX-License-Identifier: MIT */
/*
 * contort WHAT SECONDS: a target that behaves oddly while it is sampled. Exits with 6 if sampling
 * changed nothing for it. WHAT is one of:
 *
 *	stacks     its stack pointer leads to no stack, into the kernel, to the edge of a mapping,
 *	           into a file that was cut, or is no canonical address
 *	canonical  as stacks, with canonical addresses only
 *	maps       has thousands of executable mappings, which change all the time
 *	names      maps files whose names contain new lines, escapes, and "(deleted)"
 *	threads    makes threads that end at once
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "tests/clock.h"

enum { PAGE = 4096, MAPPINGS = 8000, NAMES = 64, STACKS = 14 };

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

#ifdef __x86_64__
static uint64_t spin_on(uint64_t sp)
{
	uint64_t turns = 20000000, kept = sp;

	__asm__ volatile("mov %%rsp, %%r12\n\tmov %%rbp, %%r13\n\t"
			 "mov %1, %%rsp\n\tmov %1, %%rbp\n"
			 "1:\tsub $1, %0\n\tjnz 1b\n\t"
			 "mov %%r13, %%rbp\n\tmov %%r12, %%rsp"
			 : "+r"(turns), "+r"(kept)::"r12", "r13", "cc", "memory");
	return turns;
}

static void run_on_odd_stacks(double seconds, size_t kinds)
{
	char name[] = "/tmp/contort.XXXXXX";
	int fd = mkstemp(name);
	uint8_t *edge =
		mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint8_t *file;

	(void)unlink(name);
	if (fd < 0 || edge == MAP_FAILED || ftruncate(fd, 4 * PAGE) < 0 ||
		mprotect(edge + PAGE, PAGE, PROT_NONE) < 0)
		fail("contort");
	file = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (file == MAP_FAILED || ftruncate(fd, PAGE) < 0)
		fail("contort");
	while (clock_s(CLOCK_PROCESS_CPUTIME_ID) < seconds) {
		const uint64_t sp[STACKS] = {0, 1, 8, UINT64_MAX, UINT64_MAX - 7,
			UINT64_C(0x7ffffffff000), UINT64_C(0xffffffff81000000),
			UINT64_C(0xffffffffff600000), (uintptr_t)edge + PAGE - 8,
			(uintptr_t)edge + PAGE, (uintptr_t)file + 2 * PAGE,
			(uintptr_t)&run_on_odd_stacks, (uintptr_t)name, UINT64_C(1) << 63};

		for (size_t i = 0; i < kinds; i++)
			if (spin_on(sp[i]) != 0)
				exit(1);
	}
	(void)close(fd);
}
#else
static void run_on_odd_stacks(double seconds, size_t kinds)
{
	(void)kinds;
	while (clock_s(CLOCK_PROCESS_CPUTIME_ID) < seconds)
		;
}
#endif

static void stacks(double seconds)
{
	run_on_odd_stacks(seconds, STACKS);
}

static void canonical(double seconds)
{
	run_on_odd_stacks(seconds, STACKS - 1);
}

static void maps(double seconds)
{
	size_t bytes = (size_t)MAPPINGS * PAGE;
	uint8_t *area =
		mmap(NULL, bytes, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint32_t random = 1;

	if (area == MAP_FAILED)
		fail("mmap");
	for (size_t i = 0; i < bytes; i += 2 * PAGE)
		if (mprotect(area + i, PAGE, PROT_READ) < 0)
			fail("mprotect");
	while (clock_s(CLOCK_PROCESS_CPUTIME_ID) < seconds) {
		random = random * 1664525 + 1013904223;
		if (mprotect(area + (size_t)(random >> 8) % MAPPINGS * PAGE, PAGE,
			    random & 128 ? PROT_READ : PROT_READ | PROT_EXEC) < 0)
			fail("mprotect");
	}
}

static void names(double seconds)
{
	static const char *const odd[] = {"a\n7f0000000000-7fffffffffff r-xp 00000000 00:00 1 /x",
		"\033]0;title\a\033[31m", "gone (deleted)", "//anon", "[vdso]", "[stack]",
		"\xc2\x9b\xff\xfe", "%s%n%p", " ", "../../../etc/shadow"};
	uint32_t turn = 0;

	while (clock_s(CLOCK_PROCESS_CPUTIME_ID) < seconds) {
		int fd = memfd_create(odd[turn % (sizeof(odd) / sizeof(*odd))], 0);
		void *code;

		if (fd < 0 || ftruncate(fd, PAGE) < 0)
			fail("memfd");
		if (write(fd, turn & 1 ? "\177ELF\2\1\1\0" : "garbage!", 8) != 8)
			fail("write");
		code = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
		if (code == MAP_FAILED)
			fail("mmap");
		(void)close(fd);
		if (++turn % NAMES == 0)
			for (double end = clock_s(CLOCK_PROCESS_CPUTIME_ID) + 0.005;
				clock_s(CLOCK_PROCESS_CPUTIME_ID) < end;)
				;
		if (munmap(code, PAGE) < 0)
			fail("munmap");
	}
}

static void *be_gone(void *unused)
{
	return unused;
}

static void threads(double seconds)
{
	pthread_t thread[8];

	while (clock_s(CLOCK_PROCESS_CPUTIME_ID) < seconds) {
		for (size_t i = 0; i < 8; i++)
			if (pthread_create(&thread[i], NULL, be_gone, NULL) != 0)
				fail("pthread_create");
		for (size_t i = 0; i < 8; i++)
			(void)pthread_join(thread[i], NULL);
	}
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(double seconds);
	} kinds[] = {{"stacks", stacks}, {"canonical", canonical}, {"maps", maps}, {"names", names},
		{"threads", threads}};

	for (size_t i = 0; argc == 3 && i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (strcmp(argv[1], kinds[i].name) == 0) {
			kinds[i].run(atof(argv[2]));
			return 6;
		}
	}
	fprintf(stderr, "usage: contort stacks|canonical|maps|names|threads SECONDS\n");
	return 2;
}
