/* SPDX-License-Identifier: MIT */
/*
 * A library to preload: the CPU time of a thread's system calls by its own clock, where a profiler
 * beside it would change the program. The thread that calls epoll_wait(2) is measured. A call takes
 * up to 0.5 us more then, so only those that take long are here.
 *
 * OWN_CLOCK names a file of 4 KiB of zeros, which is mapped: 64 bit, native order, in ns. [0] the
 * thread's CPU time at its last call; the sums of [1] epoll_wait, [2] writev. Without the file the
 * program is as ever.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { TIME, EPOLL_WAIT, WRITEV, FIGURES };

static int64_t nowhere[FIGURES], *figure = nowhere;
static __thread int measured;

__attribute__((constructor)) static void map_figures(void)
{
	const char *path = getenv("OWN_CLOCK");
	int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
	void *p = fd < 0 ? MAP_FAILED : mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (p != MAP_FAILED)
		figure = p;
	if (fd >= 0)
		(void)close(fd);
}

static int64_t cpu_ns(void)
{
	struct timespec ts = {0};

	(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static long timed(unsigned which, long number, long a, long b, long c, long d)
{
	int64_t begin;
	long r;

	if (!measured)
		return syscall(number, a, b, c, d, 0, 0);
	begin = cpu_ns();
	r = syscall(number, a, b, c, d, 0, 0);
	figure[TIME] = cpu_ns();
	figure[which] += figure[TIME] - begin;
	return r;
}

int epoll_wait(int fd, struct epoll_event *events, int most, int ms)
{
	measured = 1;
#ifdef SYS_epoll_wait
	return (int)timed(EPOLL_WAIT, SYS_epoll_wait, fd, (long)events, most, ms);
#else
	return epoll_pwait(fd, events, most, ms, NULL);
#endif
}

ssize_t writev(int fd, const struct iovec *parts, int count)
{
	return timed(WRITEV, SYS_writev, fd, (long)parts, count, 0);
}
