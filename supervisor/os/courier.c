/* SPDX-License-Identifier: MIT */
#include "supervisor/os/courier.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "base/vm_read.h"
#include "supervisor/os/pages.h"
#include "supervisor/os/priority.h"
#include "supervisor/os/procfs.h"

#define STACK_BYTES ((size_t)256 << 10)
/* Pages touched by one system call. */
#define AT_ONCE 64

struct page_request {
	int tid;
	uint64_t at;
	unsigned pages;
	bool write;
};

bool courier_may_write(const char *mountinfo, unsigned major, unsigned minor)
{
	/*
	 * File systems that the kernel implements itself. A write to their pages waits for no other
	 * process.
	 */
	static const char *const own[] = {"bcachefs", "btrfs", "exfat", "ext2", "ext3", "ext4",
		"f2fs", "hugetlbfs", "jfs", "overlay", "ramfs", "tmpfs", "vfat", "xfs", "zfs"};

	while (*mountinfo) {
		const char *end = strchrnul(mountinfo, '\n');
		const char *type = strstr(mountinfo, " - ");
		unsigned line_major, line_minor;

		if (sscanf(mountinfo, "%*u %*u %u:%u", &line_major, &line_minor) == 2 &&
			line_major == major && line_minor == minor && type && type < end) {
			size_t length = strcspn(type + 3, " \n");

			for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
				if (strlen(own[i]) == length && !memcmp(type + 3, own[i], length))
					return true;
		}
		mountinfo = *end ? end + 1 : end;
	}
	return false;
}

/* Is this the device number of memfds? No line of mountinfo has it. */
static bool is_memory(unsigned major, unsigned minor)
{
	static const unsigned flags[] = {MFD_CLOEXEC, MFD_CLOEXEC | MFD_HUGETLB};
	bool same = false;

	for (size_t i = 0; i < 2 && !same; i++) {
		int fd = memfd_create("sprofil", flags[i]);
		struct stat st;

		same = fd >= 0 && fstat(fd, &st) == 0 && st.st_dev == makedev(major, minor);
		if (fd >= 0)
			(void)close(fd);
	}
	return same;
}

/* Can the page at @at be written to without waiting for a process? Private ones can. */
static bool may_write(int tid, uint64_t at)
{
	char *maps = procfs_read_text("/proc/%d/maps", tid), *mountinfo;
	bool may = false;

	for (const char *line = maps; line && *line;) {
		const char *end = strchrnul(line, '\n');
		unsigned long long start, stop;
		unsigned major, minor;
		char shared;

		if (sscanf(line, "%llx-%llx %*c%*c%*c%c %*x %x:%x", &start, &stop, &shared, &major,
			    &minor) == 5 &&
			at >= start && at < stop) {
			may = shared == 'p' || is_memory(major, minor);
			if (!may && (mountinfo = procfs_read_text("/proc/%d/mountinfo", tid))) {
				may = courier_may_write(mountinfo, major, minor);
				free(mountinfo);
			}
			break;
		}
		line = *end ? end + 1 : end;
	}
	free(maps);
	return may;
}

/* Reads a byte of each page, however long that takes. Returns how many can be read, or -errno. */
static int touch(const struct page_request *request, const int *mem_fd)
{
	struct iovec from[AT_ONCE], to[AT_ONCE];
	uint8_t byte[AT_ONCE];
	unsigned done = 0;

	while (done < request->pages) {
		unsigned n = request->pages - done < AT_ONCE ? request->pages - done : AT_ONCE;
		ssize_t got;

		for (unsigned i = 0; i < n; i++) {
			from[i] = (struct iovec){
				(void *)(uintptr_t)(request->at + (done + i) * pagemap_bytes()), 1};
			to[i] = (struct iovec){byte + i, 1};
		}
		got = vm_read(request->tid, mem_fd, to, from, n);
		if (got < 0)
			return done || got == -EFAULT ? (int)done : (int)got;
		done += (unsigned)got;
		if ((unsigned)got < n)
			break;
	}
	return (int)done;
}

static int run_request(const struct page_request *request)
{
	int mem_fd = -1, done, good = 0, fd;

	if (vm_read_is_refused())
		mem_fd = procfs_open("/proc/%d/mem", request->tid);
	done = touch(request, &mem_fd);
	if (mem_fd >= 0)
		(void)close(mem_fd);
	if (done <= 0 || !request->write)
		return done;
	fd = procfs_open("/proc/%d/pagemap", request->tid);
	while (fd >= 0 && good < done) {
		uint64_t at = request->at + (uint64_t)good * pagemap_bytes(), word;

		if (pread(fd, &word, sizeof(word), (off_t)(at / pagemap_bytes() * 8)) != 8 ||
			!pagemap_is_present(word) ||
			(!pagemap_is_writable(word) &&
				(pagemap_is_watched(word) || !may_write(request->tid, at))))
			break;
		good++;
	}
	if (fd >= 0)
		(void)close(fd);
	return good;
}

static void *courier(void *context)
{
	int socket = (int)(intptr_t)context;
	struct page_request request;

	(void)priority_any_cpu(pthread_self());
	while (recv(socket, &request, sizeof(request), 0) == sizeof(request)) {
		int done = run_request(&request);

		if (send(socket, &done, sizeof(done), MSG_NOSIGNAL) != sizeof(done))
			break;
	}
	(void)close(socket);
	return NULL;
}

/*
 * Starts a courier's thread. It gets the priority of the calling thread, which waits for it,
 * perhaps while a thread of the target is stopped.
 */
static bool start(struct courier *c)
{
	pthread_attr_t attributes;
	pthread_t thread;
	bool started = false;
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return false;
	if (pthread_attr_init(&attributes) == 0) {
		(void)pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
		(void)pthread_attr_setstacksize(&attributes, STACK_BYTES);
		started = pthread_create(
				  &thread, &attributes, courier, (void *)(intptr_t)pair[1]) == 0;
		if (started)
			(void)priority_share(thread);
		(void)pthread_attr_destroy(&attributes);
	}
	if (!started) {
		(void)close(pair[0]);
		(void)close(pair[1]);
		return false;
	}
	*c = (struct courier){COURIER_IDLE, pair[0]};
	return true;
}

static bool is_back(struct courier *c, int wait_ns, int *ret_done)
{
	struct timespec patience = {.tv_nsec = wait_ns};
	struct pollfd answered = {.fd = c->socket, .events = POLLIN};

	if (ppoll(&answered, 1, &patience, NULL) <= 0 ||
		recv(c->socket, ret_done, sizeof(*ret_done), MSG_DONTWAIT) != sizeof(*ret_done))
		return false;
	c->state = COURIER_IDLE;
	return true;
}

/*
 * Returns an idle courier, or a new one. NULL: all couriers wait for pages, or no thread can be
 * created.
 */
static struct courier *find(struct couriers *couriers)
{
	struct courier *none = NULL;
	int done;

	for (size_t i = 0; i < COURIERS_MOST; i++) {
		struct courier *c = &couriers->courier[i];

		if (c->state == COURIER_IDLE || (c->state == COURIER_AWAY && is_back(c, 0, &done)))
			return c;
		if (c->state == COURIER_NONE && !none)
			none = c;
	}
	return none && start(none) ? none : NULL;
}

int couriers_send(
	struct couriers *couriers, unsigned *away, int tid, uint64_t at, unsigned pages, bool write)
{
	const struct page_request request = {tid, at, pages, write};
	struct courier *c;
	int done;

	if (*away && couriers->courier[*away - 1].state == COURIER_AWAY &&
		!is_back(&couriers->courier[*away - 1], 0, &done)) {
		couriers->given_up++;
		return -ETIMEDOUT;
	}
	*away = 0;
	c = find(couriers);
	if (!c ||
		send(c->socket, &request, sizeof(request), MSG_DONTWAIT | MSG_NOSIGNAL) !=
			sizeof(request)) {
		couriers->given_up++;
		return -ETIMEDOUT;
	}
	c->state = COURIER_AWAY;
	if (is_back(c, COURIER_WAIT_NS, &done))
		return done;
	*away = (unsigned)(c - couriers->courier) + 1;
	couriers->given_up++;
	return -ETIMEDOUT;
}

void couriers_release(struct couriers *couriers)
{
	for (size_t i = 0; i < COURIERS_MOST; i++)
		if (couriers->courier[i].state != COURIER_NONE)
			(void)close(couriers->courier[i].socket);
	*couriers = (struct couriers){.given_up = couriers->given_up};
}
