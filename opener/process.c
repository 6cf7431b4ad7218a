/* SPDX-License-Identifier: MIT */
/* Facts about processes, and copies of their memory. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/array.h"
#include "base/maps_line.h"
#include "base/proc_file.h"
#include "base/vm_read.h"
#include "opener/openings.h"
#include "opener/regular.h"

#define IMAGE_BYTES_MOST (UINT64_C(256) << 20)
#define VDSO_BYTES_MOST  (UINT64_C(1) << 20)
#define JITDUMP_MAGIC    UINT32_C(0x4A695444)
#define COPY_BYTES       ((size_t)64 << 10)
#define THREADS_MOST     ((size_t)100000)
#define NOTED_MOST       ((size_t)1 << 20)

/* The start time of a process, the 20th field behind its name in "stat"; 0: it is gone. */
static uint64_t start_of(uint32_t pid)
{
	char text[1024], *at;
	uint64_t start = 0;

	(void)proc_file_read(text, sizeof(text), "/proc/%u/stat", pid);
	at = strrchr(text, ')');
	for (unsigned field = 0; at && field < 20; field++)
		at = strchr(at + 1, ' ');
	if (at)
		start = strtoull(at, NULL, 10);
	return start;
}

/* Is the tracer a thread of the supervisor? */
static bool is_tracer(int supervisor, unsigned tracer)
{
	char path[64];

	(void)snprintf(path, sizeof(path), "/proc/%d/task/%u", supervisor, tracer);
	return supervisor > 0 && tracer > 0 && access(path, F_OK) == 0;
}

/*
 * Reads /proc/PID/status. The last number of "NStgid:\t4242\t7\n" is the pid in the process's own
 * namespace; the second one of "Uid:\t1000\t1000\t1000\t1000\n" is the effective uid. False: the
 * process has ended or, with @guards, the supervisor does not trace it.
 */
static bool look_at(const struct openings *o, uint32_t pid, struct noted *ret_noted)
{
	struct noted noted = {.pid = pid, .inner_pid = pid, .uid = geteuid()};
	unsigned effective;
	char text[8192]; /* a process may have hundreds of groups */
	const char *uid;

	noted.start = start_of(pid);
	if (proc_file_read(
		    text, sizeof(text), "/proc/%d/status", proc_file_living_thread((int)pid)) < 0)
		return false;
	uid = proc_file_value(text, "Uid");
	if (uid && sscanf(uid, "%*u %u", &effective) == 1)
		noted.uid = effective;
	noted.inner_pid = (uint32_t)proc_file_last_number(text, "NStgid", (int)pid);
	if (!noted.inner_pid)
		noted.inner_pid = pid;
	if (o->guards &&
		!is_tracer(o->supervisor, (unsigned)proc_file_number(text, "TracerPid", 10)))
		return false;
	*ret_noted = noted;
	return true;
}

static bool find_process(struct openings *o, uint32_t pid, struct noted *ret_noted, bool *ret_lives)
{
	uint64_t start = start_of(pid);
	struct noted fresh;

	*ret_lives = false;
	for (size_t i = o->n; i-- > 0;) {
		if (o->noted[i].pid != pid)
			continue;
		if (start && start != o->noted[i].start)
			break;
		/* Reads the facts again, as the user of the process may have changed. */
		if (start && look_at(o, pid, &fresh) && fresh.start == start)
			o->noted[i] = fresh;
		*ret_noted = o->noted[i];
		*ret_lives = start != 0;
		return true;
	}
	if (!start || !look_at(o, pid, &fresh) || fresh.start != start)
		return false;
	if (o->n < NOTED_MOST)
		(void)array_add(&o->noted, &o->room, &o->n, fresh);
	*ret_noted = fresh;
	*ret_lives = true;
	return true;
}

bool openings_process(struct openings *o, uint32_t pid, struct noted *ret_noted, bool *ret_lives)
{
	bool known;

	(void)pthread_mutex_lock(&o->lock);
	known = find_process(o, pid, ret_noted, ret_lives);
	(void)pthread_mutex_unlock(&o->lock);
	return known;
}

/* Opens /proc/PID/mem if process_vm_readv(2) is refused. -1: not refused, or open() failed. */
static int open_memory(uint32_t pid)
{
	char path[32];

	if (!vm_read_is_refused())
		return -1;
	(void)snprintf(path, sizeof(path), "/proc/%d/mem", proc_file_living_thread((int)pid));
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* Copies what can be read of the memory; the rest of the copy stays 0. */
static void copy_range(uint32_t pid, uint64_t from, uint64_t bytes, int fd, uint64_t to)
{
	pid_t tid = proc_file_living_thread((int)pid);
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	int mem_fd = open_memory(pid);
	char buffer[COPY_BYTES];

	while (bytes) {
		uint64_t part = bytes < COPY_BYTES ? bytes : COPY_BYTES;
		struct iovec local = {.iov_base = buffer, .iov_len = (size_t)part};
		struct iovec there = {(void *)(uintptr_t)from, (size_t)part};
		ssize_t n = vm_read(tid, &mem_fd, &local, &there, 1);

		if (n > 0)
			part = (uint64_t)n;
		else
			part = part < page ? part : page;
		if (n > 0 && pwrite(fd, buffer, (size_t)n, (off_t)to) != n)
			break;
		from += part;
		to += part;
		bytes -= part;
	}
	if (mem_fd >= 0)
		(void)close(mem_fd);
}

static bool is_part(const struct maps_line *part, const struct opening *what)
{
	return part->inode == what->inode && part->inode && part->major == what->major &&
		part->minor == what->minor && !part->write && part->read &&
		part->offset <= IMAGE_BYTES_MOST &&
		part->end - part->start <= IMAGE_BYTES_MOST - part->offset;
}

static bool find_line(
	uint32_t pid, bool (*is_it)(void *context, const struct maps_line *line), void *context)
{
	char path[32];

	(void)snprintf(path, sizeof(path), "/proc/%d/maps", proc_file_living_thread((int)pid));
	return maps_line_find(path, is_it, context);
}

/* Returns @fd if its file begins with "\177ELF"; otherwise closes it and returns -ENOENT. */
static int judged(int fd)
{
	char magic[4];

	if (pread(fd, magic, sizeof(magic), 0) == sizeof(magic) &&
		memcmp(magic, "\177ELF", sizeof(magic)) == 0)
		return fd;
	(void)close(fd);
	return -ENOENT;
}

/* @left: bytes that may still be copied. A file may be mapped thousands of times. */
struct copying {
	const struct opening *what;
	int fd;
	uint64_t left;
};

static bool copy_part(void *context, const struct maps_line *line)
{
	struct copying *c = context;
	uint64_t bytes = line->end - line->start;

	if (is_part(line, c->what) && bytes <= c->left) {
		copy_range(c->what->pid, line->start, bytes, c->fd, line->offset);
		c->left -= bytes;
	}
	return false;
}

int openings_image(const struct opening *what)
{
	struct copying copying = {what, memfd_create("image", MFD_CLOEXEC), IMAGE_BYTES_MOST};

	if (copying.fd < 0)
		return -ENOMEM;
	(void)find_line(what->pid, copy_part, &copying);
	return judged(copying.fd);
}

static bool is_vdso(void *context, const struct maps_line *line)
{
	const struct opening *what = context;

	return line->start == what->start && line->end == what->end && !line->write &&
		line->name_bytes == 6 && memcmp(line->name, "[vdso]", 6) == 0 &&
		line->end - line->start <= VDSO_BYTES_MOST;
}

int openings_vdso(const struct opening *what)
{
	int fd = find_line(what->pid, is_vdso, (void *)what) ? memfd_create("vdso", MFD_CLOEXEC)
							     : -1;

	if (fd < 0)
		return -ENOENT;
	copy_range(what->pid, what->start, what->end - what->start, fd, 0);
	return judged(fd);
}

static bool is_code(void *context, const struct maps_line *line)
{
	const struct opening *what = context;

	return line->start == what->start && line->end == what->end && line->read &&
		line->execute && !line->write && !line->inode && !line->name_bytes &&
		line->end - line->start >= OPENING_CODE_BYTES;
}

int openings_code(const struct opening *what)
{
	int fd = find_line(what->pid, is_code, (void *)what) ? memfd_create("code", MFD_CLOEXEC)
							     : -1;

	if (fd < 0)
		return -ENOENT;
	copy_range(what->pid, what->start, OPENING_CODE_BYTES, fd, 0);
	return fd;
}

static void copy_stat(uint32_t pid, const char *tid, int to)
{
	char text[512];
	int n = proc_file_read(text, sizeof(text), "/proc/%u/task/%.20s/stat", pid, tid);

	if (n > 0)
		(void)!write(to, text, (size_t)n + 1);
}

int openings_threads(uint32_t pid)
{
	struct dirent *entry;
	char path[32];
	DIR *tasks;
	size_t n = 0;
	int fd;

	(void)snprintf(path, sizeof(path), "/proc/%u/task", pid);
	tasks = opendir(path);
	if (!tasks)
		return -errno;
	fd = memfd_create("threads", MFD_CLOEXEC);
	while (fd >= 0 && n < THREADS_MOST && (entry = readdir(tasks))) {
		if (entry->d_name[0] == '.')
			continue;
		copy_stat(pid, entry->d_name, fd);
		n++;
	}
	(void)closedir(tasks);
	return fd < 0 ? -ENOMEM : fd;
}

int openings_title(uint32_t pid, struct opened *opened)
{
	/* The NUL behind the first argument ends the text: further arguments are not used. */
	int n = proc_file_read(opened->text, sizeof(opened->text), "/proc/%d/cmdline",
		proc_file_living_thread((int)pid));

	return n < 0 ? n : 0;
}

/*
 * Returns @fd if the file belongs to the process's user, or if it is root's and all may read it. If
 * not, closes @fd: -EPERM, as users can make hard links to files that they may not read.
 */
static int of_owner(const struct noted *owner, int fd, const struct stat *st)
{
	if (fd < 0 || st->st_uid == owner->uid || (st->st_uid == 0 && st->st_mode & S_IROTH))
		return fd;
	(void)close(fd);
	return -EPERM;
}

int openings_perf_map(const struct noted *owner, bool live, struct opened *opened)
{
	char *path = opened->text;
	struct stat st = {0};
	int fd = -ENOENT;

	if (live) {
		(void)snprintf(path, sizeof(opened->text), "/tmp/perf-%u.map", owner->inner_pid);
		fd = regular_open_of((int)owner->pid, path, REGULAR_NO_LAST_LINK, &st);
		fd = of_owner(owner, fd, &st);
	}
	if (fd >= 0)
		return fd;
	(void)snprintf(path, sizeof(opened->text), "/tmp/perf-%u.map", owner->pid);
	fd = regular_open(-1, path, REGULAR_NO_LAST_LINK, &st);
	return of_owner(owner, fd, &st);
}

/*
 * Returns @fd if the file is named "jit-PID.dump", with the process's pid in our namespace or in
 * its own, and begins with the magic. If not, closes @fd: -ENOENT.
 */
static int judged_dump(const struct noted *owner, const char *path, int fd)
{
	const char *base = strrchr(path, '/');
	char inner[40], outer[40];
	uint32_t magic = 0;

	if (fd < 0)
		return fd;
	(void)snprintf(inner, sizeof(inner), "/jit-%u.dump", owner->inner_pid);
	(void)snprintf(outer, sizeof(outer), "/jit-%u.dump", owner->pid);
	if (base && (strcmp(base, inner) == 0 || strcmp(base, outer) == 0) &&
		pread(fd, &magic, sizeof(magic), 0) == sizeof(magic) && magic == JITDUMP_MAGIC)
		return fd;
	(void)close(fd);
	return -ENOENT;
}

int openings_jitdump(const struct noted *owner, bool live, struct opened *opened)
{
	const char *path = opened->text;
	struct stat st = {0};
	int fd = -ENOENT;

	if (live) {
		fd = regular_open_of((int)owner->pid, path, REGULAR_NO_LAST_LINK, &st);
		fd = judged_dump(owner, path, of_owner(owner, fd, &st));
	}
	if (fd >= 0)
		return fd;
	fd = regular_open(-1, path, REGULAR_NO_LAST_LINK, &st);
	return judged_dump(owner, path, of_owner(owner, fd, &st));
}
