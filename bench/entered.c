/* SPDX-License-Identifier: MIT */
/*
 * Notes each function that a program built with -finstrument-functions enters and leaves, in the
 * file $ENTERED, which its forked children share (bench/sample_path.sh). The file begins with the
 * number of events. Each event is two words: twice the thread's number, plus 1 on leaving; the
 * function's address in the executable.
 */
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define MOST  (1u << 24)
#define QUIET __attribute__((no_instrument_function))

struct noted {
	_Atomic uint32_t n;
	uint32_t event[2 * MOST];
};

extern const char __executable_start;
static struct noted *noted;
static _Thread_local uint32_t self;

__attribute__((constructor)) QUIET static void begin(void)
{
	const char *path = getenv("ENTERED");
	int fd = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
	void *map;

	if (fd < 0 || ftruncate(fd, sizeof(*noted)) < 0)
		return;
	map = mmap(NULL, sizeof(*noted), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	noted = map == MAP_FAILED ? NULL : map;
}

QUIET static void note(const void *function, uint32_t leaves)
{
	uint32_t i;

	if (!noted || atomic_load(&noted->n) >= MOST)
		return;
	if (!self)
		self = (uint32_t)gettid();
	i = atomic_fetch_add(&noted->n, 1);
	if (i >= MOST)
		return;
	noted->event[2 * i] = self << 1 | leaves;
	noted->event[2 * i + 1] = (uint32_t)((const char *)function - &__executable_start);
}

QUIET void __cyg_profile_func_enter(void *function, void *site);
QUIET void __cyg_profile_func_exit(void *function, void *site);

void __cyg_profile_func_enter(void *function, void *site)
{
	(void)site;
	note(function, 0);
}

void __cyg_profile_func_exit(void *function, void *site)
{
	(void)site;
	note(function, 1);
}
