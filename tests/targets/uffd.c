/* SPDX-License-Identifier: MIT */
/*
 * A thread on a stack whose pages another process delivers. In each round the thread gives the
 * pages of its stack back, and recurses through 64 pages, skipping some of them. Ends with 7 if all
 * numbers in its frames are right.
 *
 *	uffd fast|slow ROUNDS	by userfaultfd: one thread of another process, at once or after
 *				10 ms. Ends with 77 if it may get no userfaultfd that also serves
 *				the kernel's accesses
 *	uffd FILE ROUNDS	by the file system of FILE, which is mapped
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PAGES 128
#define DEPTH 64

static size_t page_bytes;
static uint8_t *stack;
static int file = -1;
static volatile uint64_t sink;

static void serve(int fd, long delay_ns)
{
	static uint8_t zeros[65536];
	const struct timespec delay = {.tv_nsec = delay_ns};
	struct uffd_msg message;

	while (read(fd, &message, sizeof(message)) == sizeof(message)) {
		struct uffdio_copy copy = {.src = (uintptr_t)zeros, .len = page_bytes};

		if (message.event != UFFD_EVENT_PAGEFAULT)
			continue;
		copy.dst = message.arg.pagefault.address & ~(uint64_t)(page_bytes - 1);
		if (delay_ns)
			(void)nanosleep(&delay, NULL);
		if (ioctl(fd, UFFDIO_COPY, &copy) < 0 && errno != EEXIST && errno != EAGAIN)
			break;
	}
	_exit(0);
}

static __attribute__((noinline)) uint64_t descend(unsigned depth)
{
	volatile uint8_t room[5000];
	uint64_t sum;

	room[depth % sizeof(room)] = (uint8_t)depth;
	for (unsigned i = 0; i < 20000; i++)
		sink += i;
	sum = depth ? descend(depth - 1) : 0;
	return sum + room[depth % sizeof(room)];
}

static void *work(void *context)
{
	long rounds = *(long *)context;
	uint64_t sum = 0;

	for (long i = 0; i < rounds; i++) {
		sum += descend(DEPTH);
		if (madvise(stack, (PAGES - 8) * page_bytes, MADV_DONTNEED) < 0)
			return NULL;
		if (file >= 0)
			(void)posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
	}
	return (void *)(uintptr_t)(sum == (uint64_t)rounds * DEPTH * (DEPTH + 1) / 2);
}

static int run(long rounds)
{
	pthread_attr_t attributes;
	pthread_t thread;
	void *right;

	(void)pthread_attr_init(&attributes);
	if (pthread_attr_setstack(&attributes, stack, PAGES * page_bytes) != 0 ||
		pthread_create(&thread, &attributes, work, &rounds) != 0)
		return 1;
	(void)pthread_join(thread, &right);
	return right ? 7 : 2;
}

int main(int argc, char **argv)
{
	long rounds = argc > 2 ? atol(argv[2]) : 1;
	const char *mode = argc > 1 ? argv[1] : "fast";
	struct uffdio_api api = {.api = UFFD_API};
	struct uffdio_register all = {.mode = UFFDIO_REGISTER_MODE_MISSING};
	pid_t server;
	int fd, status;

	page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	if (strchr(mode, '/')) {
		file = open(mode, O_RDONLY | O_CLOEXEC);
		stack = mmap(
			NULL, PAGES * page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
		return file < 0 || stack == MAP_FAILED ? 1 : run(rounds);
	}
	fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	stack = mmap(NULL, PAGES * page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		-1, 0);
	all.range.start = (uintptr_t)stack;
	all.range.len = PAGES * page_bytes;
	if (fd < 0 || stack == MAP_FAILED || ioctl(fd, UFFDIO_API, &api) < 0 ||
		ioctl(fd, UFFDIO_REGISTER, &all) < 0)
		return 77;
	server = fork();
	if (server == 0)
		serve(fd, strcmp(mode, "slow") == 0 ? 10000000 : 0);
	status = server < 0 ? 1 : run(rounds);
	(void)kill(server, SIGTERM);
	(void)waitpid(server, NULL, 0);
	return status;
}
