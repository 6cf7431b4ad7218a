/* SPDX-License-Identifier: MIT */
/* The caller's memory: copies without SIGSEGV, and whether a supervisor can access it. */
#include "client/client.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * Creates the pipe, with descriptors above 2. If a program has closed the standard descriptors,
 * what another thread prints would get into the pipe, and so into the table of the call.
 */
static int create(struct client_pipe *pipe)
{
	for (pipe->held = 0;; pipe->held++) {
		int fds[2];

		if (pipe2(fds, O_CLOEXEC | O_NONBLOCK) < 0)
			return -errno;
		pipe->read_fd = fds[0];
		pipe->write_fd = fds[1];
		if ((fds[0] > 2 && fds[1] > 2) || pipe->held == CLIENT_STANDARD)
			return 0;
		(void)close(fds[0]);
		(void)close(fds[1]);
		/* For read(), write() and poll(), an O_PATH descriptor is as good as closed. */
		pipe->standard[pipe->held] = open("/proc/self/status", O_PATH | O_CLOEXEC);
	}
}

static void release_standard(const struct client_pipe *pipe)
{
	for (unsigned i = 0; i < pipe->held; i++)
		if (pipe->standard[i] >= 0)
			(void)close(pipe->standard[i]);
}

int client_pipe_open(struct client_pipe *pipe)
{
	int r;

	pipe->error = errno;
	(void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &pipe->cancel);
	r = create(pipe);
	if (r < 0) {
		release_standard(pipe);
		(void)pthread_setcancelstate(pipe->cancel, NULL);
		errno = pipe->error;
	}
	return r;
}

void client_pipe_close(const struct client_pipe *pipe)
{
	(void)close(pipe->read_fd);
	(void)close(pipe->write_fd);
	release_standard(pipe);
	(void)pthread_setcancelstate(pipe->cancel, NULL);
	errno = pipe->error;
}

int client_copy_in(const struct client_pipe *pipe, void *to, const void *from, size_t bytes)
{
	/* Not write(): AddressSanitizer's write() would read the memory itself. */
	ssize_t n = syscall(SYS_write, pipe->write_fd, from, bytes);
	int r = n == (ssize_t)bytes ? 0 : -EFAULT;

	/*
	 * After a fault, write() has put the bytes in front of the faulting address into the pipe.
	 * They must not stay there: the next copy would read them.
	 */
	if (n > 0 && read(pipe->read_fd, to, (size_t)n) != n)
		r = -EFAULT;
	return r;
}

int client_copy_out(const struct client_pipe *pipe, void *to, const void *from, size_t bytes)
{
	uint8_t rest[64];
	ssize_t n = write(pipe->write_fd, from, bytes);

	if (n == (ssize_t)bytes && read(pipe->read_fd, to, bytes) == n)
		return 0;
	while (read(pipe->read_fd, rest, sizeof(rest)) > 0)
		; /* Ends when the pipe is empty, as it is non-blocking. */
	return -EFAULT;
}

int client_region(const struct client_call *call, const struct client_pipe *pipe,
	struct client_entries *entries, uint32_t i, struct call_region *ret_region)
{
	if (!call->table) {
		*ret_region = call->one;
		return 0;
	}
	if (i < entries->first || i - entries->first >= entries->count) {
		uint32_t n = call->count - i < CLIENT_ENTRIES ? call->count - i : CLIENT_ENTRIES;
		const uint8_t *from = (const uint8_t *)call->table + (size_t)i * CLIENT_ENTRY_BYTES;

		entries->count = 0;
		if (client_copy_in(pipe, entries->bytes, from, (size_t)n * CLIENT_ENTRY_BYTES) < 0)
			return -EFAULT;
		entries->first = i;
		entries->count = n;
	}
	call->decode(
		entries->bytes + (size_t)(i - entries->first) * CLIENT_ENTRY_BYTES, ret_region);
	return 0;
}

bool client_is_hidden(void)
{
	return prctl(PR_GET_DUMPABLE) != 1;
}
