/* SPDX-License-Identifier: MIT */
/*
 * unstoppable MS: io_submit() of many reads, which it executes at once, uses MS ms of CPU time
 * without a check for signals: a requested stop comes when the call is over. Another thread works
 * all the time.
 *
 * Prints the CPU time of the process in ns, how many calls used more than a second of CPU time, and
 * how many took more than a second. 77: no io_submit() here.
 */
#include <errno.h>
#include <linux/aio_abi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "tests/clock.h"

#define READ_BYTES (16 << 20)
#define READS_MOST 4096

static atomic_bool over;

static void *work(void *context)
{
	(void)context;
	while (!atomic_load(&over))
		;
	return NULL;
}

/* Returns the CPU time of @n reads of the file's hole in ns; 0: failed. *@ret_ns: elapsed time. */
static uint64_t submit(aio_context_t aio, int fd, void *to, long n, uint64_t *ret_ns)
{
	static struct iocb read_hole;
	static struct iocb *list[READS_MOST];
	static struct io_event event[READS_MOST];
	uint64_t began, used;
	long done;

	read_hole = (struct iocb){.aio_fildes = (uint32_t)fd,
		.aio_lio_opcode = IOCB_CMD_PREAD,
		.aio_buf = (uintptr_t)to,
		.aio_nbytes = READ_BYTES};
	for (long i = 0; i < n; i++)
		list[i] = &read_hole;
	began = clock_ns(CLOCK_MONOTONIC);
	used = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	if (syscall(SYS_io_submit, aio, n, list) != n)
		return 0;
	used = clock_ns(CLOCK_THREAD_CPUTIME_ID) - used;
	*ret_ns = clock_ns(CLOCK_MONOTONIC) - began;
	for (long got = 0; got < n; got += done) {
		done = syscall(SYS_io_getevents, aio, 1, n - got, event, NULL);
		if (done < 1 && errno != EINTR)
			return 0;
		if (done < 1)
			done = 0;
	}
	return used;
}

int main(int argc, char **argv)
{
	uint64_t want = (argc > 1 ? strtoul(argv[1], NULL, 10) : 1) * UINT64_C(1000000), took = 0;
	int fd = memfd_create("hole", 0);
	char *to =
		mmap(NULL, READ_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	aio_context_t aio = 0;
	unsigned slow = 0, late = 0;
	pthread_t thread;

	if (fd < 0 || to == MAP_FAILED || ftruncate(fd, READ_BYTES) < 0 ||
		syscall(SYS_io_setup, READS_MOST, &aio) < 0)
		return 77;
	(void)pthread_create(&thread, NULL, work, NULL);
	/* Finds how many reads take long enough, from the time of a few. */
	for (long n = 128; took < want; n = (long)((uint64_t)n * want * 9 / 8 / took)) {
		uint64_t ns = 0;

		if (n > READS_MOST)
			return 77;
		took = submit(aio, fd, to, n, &ns);
		if (!took)
			return 77;
		slow += took > UINT64_C(1000000000);
		late += ns > UINT64_C(1000000000);
	}
	atomic_store(&over, true);
	(void)pthread_join(thread, NULL);
	(void)printf(
		"%llu %u %u\n", (unsigned long long)clock_ns(CLOCK_PROCESS_CPUTIME_ID), slow, late);
	return 0;
}
