/* SPDX-License-Identifier: MIT */
/*
 * Finds our supervisor: it traces us (TracerPid), and one of its descriptors names its request pipe
 * (CALL_MARK in proto/call.h). This works even after exec, as it needs no state of the process.
 */
#include "client/client.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * The supervisor found last: place (pid, descriptor of its request pipe) and inode of the pipe. If
 * two threads each write one word, the inode does not match, and client_find() searches again.
 */
static _Atomic uint64_t remembered_place, remembered_inode;

void client_remember(uint32_t pid, int descriptor, uint64_t inode)
{
	atomic_store(&remembered_place, (uint64_t)pid << 32 | (uint32_t)descriptor);
	atomic_store(&remembered_inode, inode);
}

void client_forget(void)
{
	atomic_store(&remembered_place, 0);
}

static char *put_text(char *to, const char *text)
{
	while (*text)
		*to++ = *text++;
	*to = '\0';
	return to;
}

static char *put_number(char *to, uint64_t n)
{
	char digits[20];
	unsigned i = 0;

	do
		digits[i++] = (char)('0' + n % 10);
	while (n /= 10);
	while (i)
		*to++ = digits[--i];
	*to = '\0';
	return to;
}

static uint64_t get_number(const char **at)
{
	uint64_t n = 0;

	while (**at >= '0' && **at <= '9')
		n = n * 10 + (uint64_t)(*(*at)++ - '0');
	return n;
}

/*
 * Opens the write end of the pipe @inode if @descriptor of process @pid is that pipe. -ENOENT: it
 * is not, or /proc denies access (root owns the files of an unreaped process); -EMFILE, -ENFILE: no
 * descriptor is free.
 */
static int open_pipe(uint32_t pid, int descriptor, uint64_t inode)
{
	char path[64];
	struct stat st;
	int fd;

	(void)put_number(
		put_text(put_number(put_text(path, "/proc/"), pid), "/fd/"), (uint64_t)descriptor);
	/* The inode is checked before opening: opening another file could have side effects. */
	if (stat(path, &st) < 0)
		return -ENOENT;
	if (!S_ISFIFO(st.st_mode) || st.st_ino != inode)
		return -ENOENT;
	fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return errno == EMFILE || errno == ENFILE ? -errno : -ENOENT;
	if (fstat(fd, &st) < 0 || !S_ISFIFO(st.st_mode) || st.st_ino != inode) {
		(void)close(fd);
		return -ENOENT;
	}
	return fd;
}

/*
 * Returns the number behind @key, such as "\nTracerPid:\t", in the file @path; -ENODATA: no such
 * number or file; -EMFILE, -ENFILE: no descriptor is free.
 */
static int64_t number_in(const char *path, const char *key)
{
	char text[1024];
	const char *at;
	ssize_t n;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return errno == EMFILE || errno == ENFILE ? -errno : -ENODATA;
	n = read(fd, text, sizeof(text) - 1);
	(void)close(fd);
	if (n <= 0)
		return -ENODATA;
	text[n] = '\0';
	at = strstr(text, key);
	if (!at)
		return -ENODATA;
	at += strlen(key);
	return (uint32_t)get_number(&at);
}

/* A directory entry as getdents64(2) writes it. */
struct entry {
	uint64_t inode;
	int64_t offset;
	uint16_t bytes;
	uint8_t type;
	char name[];
};

/*
 * Opens the pipe that @name in @dir marks: "/memfd:sprofil-calls:7:81234 (deleted)" means
 * descriptor 7 of the tracer, inode 81234. -ENOENT: @name is not a mark; -EACCES: we may not read
 * the link or open the pipe; -EMFILE, -ENFILE: no descriptor is free.
 */
static int open_marked(int dir, const char *name, uint32_t tracer)
{
	static const char prefix[] = "/memfd:" CALL_MARK ":";
	char target[96];
	const char *at = target + sizeof(prefix) - 1;
	ssize_t n = readlinkat(dir, name, target, sizeof(target) - 1);
	uint64_t descriptor, inode;
	int fd;

	if (n < 0 && errno == EACCES)
		return -EACCES;
	if (n <= (ssize_t)sizeof(prefix) || memcmp(target, prefix, sizeof(prefix) - 1) != 0)
		return -ENOENT;
	target[n] = '\0';
	descriptor = get_number(&at);
	if (*at++ != ':' || descriptor > INT32_MAX)
		return -ENOENT;
	inode = get_number(&at);
	fd = open_pipe(tracer, (int)descriptor, inode);
	if (fd >= 0)
		client_remember(tracer, (int)descriptor, inode);
	/* The pipe was there for the mark, so -ENOENT means: not permitted. */
	return fd == -ENOENT ? -EACCES : fd;
}

/* Looks for the mark among the tracer's descriptors. Results as of client_find(). */
static int search(uint32_t tracer)
{
	_Alignas(8) char buffer[1024];
	char path[64];
	int dir, found = -EPERM;
	ssize_t n = 0;

	(void)put_text(put_number(put_text(path, "/proc/"), tracer), "/fd");
	dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return errno == EMFILE || errno == ENFILE ? -errno : -EACCES;
	while (found < 0 && (n = syscall(SYS_getdents64, dir, buffer, sizeof(buffer))) > 0) {
		for (ssize_t at = 0; found < 0 && at < n;) {
			struct entry *entry = (struct entry *)(buffer + at);
			int r = open_marked(dir, entry->name, tracer);

			if (r != -ENOENT)
				found = r;
			at += entry->bytes;
		}
	}
	(void)close(dir);
	return n < 0 && found == -EPERM ? -EACCES : found;
}

int client_check_proc(void)
{
	int64_t pid = number_in("/proc/self/status", "\nPid:\t");

	if (pid == -EMFILE || pid == -ENFILE)
		return (int)pid;
	return pid == getpid() ? 0 : -ENODATA;
}

int client_supervisor(void)
{
	uint64_t tracer = atomic_load(&remembered_place) >> 32;
	char path[64];
	int64_t pid;

	/* TracerPid names a thread of the supervisor; its process is needed. */
	(void)put_text(put_number(put_text(path, "/proc/"), tracer), "/status");
	pid = number_in(path, "\nTgid:\t");
	return pid > 0 ? (int)pid : (int)tracer;
}

int client_find(void)
{
	static const char tracer_key[] = "\nTracerPid:\t";
	uint64_t place = atomic_load(&remembered_place);
	int64_t tracer;
	int fd;

	if (place) {
		fd = open_pipe((uint32_t)(place >> 32), (int)(uint32_t)place,
			atomic_load(&remembered_inode));
		if (fd != -ENOENT)
			return fd;
		client_forget();
	}
	/*
	 * /proc/self shows the main thread, to which the supervisor attaches first. A main thread
	 * that has ended shows no TracerPid; this thread shows it.
	 */
	tracer = number_in("/proc/self/status", tracer_key);
	if (tracer <= 0)
		tracer = number_in("/proc/thread-self/status", tracer_key);
	if (tracer > 0)
		return search((uint32_t)tracer);
	return tracer < 0 ? (int)tracer : -ENOENT;
}
