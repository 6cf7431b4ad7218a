/* SPDX-License-Identifier: MIT */
/*
 * Reads an environment variable. getenv(3) is not async-signal-safe: if a setenv() is interrupted
 * or runs in another thread, the array of environ may be freed. So the array is read through a
 * pipe: unmapped memory only gives EFAULT; freed and reused memory matches no name.
 */
#include "client/client.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define ENTRIES_EACH 32
#define ENTRIES_MOST 65536
#define NAME_BYTES   32
#define PAGE_BYTES   4096u

/*
 * Copies at most ENTRIES_EACH entries from @at on, all from the page of @at: a page is mapped as a
 * whole or not at all. Returns their number; 0: none is left, or none can be read.
 */
static unsigned entries_at(const struct client_pipe *pipe, char *const *at, char **ret_entries)
{
	unsigned room = (unsigned)((PAGE_BYTES - (uintptr_t)at % PAGE_BYTES) / sizeof(*at)), n = 0;

	if (room > ENTRIES_EACH)
		room = ENTRIES_EACH;
	if (client_copy_in(pipe, ret_entries, at, room * sizeof(*at)) < 0)
		return 0;
	while (n < room && ret_entries[n])
		n++;
	return n;
}

/* Returns the index of the entry that begins with @prefix; @n: none. Mostly 1 system call. */
static unsigned find(const struct client_pipe *pipe, char *const *entries, unsigned n,
	const char *prefix, size_t length)
{
	struct iovec from[ENTRIES_EACH];
	char begins[ENTRIES_EACH * NAME_BYTES];
	ssize_t all = (ssize_t)(n * length);

	for (unsigned i = 0; i < n; i++)
		from[i] = (struct iovec){entries[i], length};
	if (syscall(SYS_writev, pipe->write_fd, from, n) == all &&
		read(pipe->read_fd, begins, sizeof(begins)) == all) {
		for (unsigned i = 0; i < n; i++)
			if (memcmp(begins + i * length, prefix, length) == 0)
				return i;
		return n;
	}
	/* One copy failed: a short entry may end where mapped memory ends. Now one by one. */
	while (read(pipe->read_fd, begins, sizeof(begins)) > 0)
		; /* Ends when the pipe is empty, as it is non-blocking. */
	for (unsigned i = 0; i < n; i++)
		if (client_copy_in(pipe, begins, entries[i], length) == 0 &&
			memcmp(begins, prefix, length) == 0)
			return i;
	return n;
}

/* Copies a string page by page. Returns its length; -ENOSPC: too long; -ENOENT: unreadable. */
static int copy_string(const struct client_pipe *pipe, const char *from, char *to, size_t room)
{
	size_t have = 0;

	while (have < room) {
		size_t n = PAGE_BYTES - (uintptr_t)(from + have) % PAGE_BYTES;
		const char *end;

		if (n > room - have)
			n = room - have;
		if (client_copy_in(pipe, to + have, from + have, n) < 0)
			return -ENOENT;
		end = memchr(to + have, '\0', n);
		if (end)
			return (int)(end - to);
		have += n;
	}
	return -ENOSPC;
}

static int look_up(const struct client_pipe *pipe, const char *name, char *to, size_t room)
{
	char prefix[NAME_BYTES];
	size_t length = strlen(name), seen = 0;
	char *const *at = environ;

	if (length + 1 > sizeof(prefix))
		return -ENOENT;
	memcpy(prefix, name, length);
	prefix[length++] = '=';
	while (at && seen < ENTRIES_MOST) {
		char *entries[ENTRIES_EACH];
		unsigned n = entries_at(pipe, at, entries);
		unsigned i = n ? find(pipe, entries, n, prefix, length) : 0;

		if (!n)
			break;
		if (i < n)
			return copy_string(pipe, entries[i] + length, to, room);
		at += n;
		seen += n;
	}
	return -ENOENT;
}

int client_environment(const char *name, char *to, size_t room)
{
	struct client_pipe pipe;
	int r;

	if (client_pipe_open(&pipe) < 0)
		return -ENOENT;
	r = look_up(&pipe, name, to, room);
	client_pipe_close(&pipe);
	return r;
}
