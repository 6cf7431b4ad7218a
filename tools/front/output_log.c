/* SPDX-License-Identifier: MIT */
#include "tools/front/output_log.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/outfile.h"
#include "base/output_text.h"

enum { KEPT_BYTES = 1 << 20, LOOK_MS = 250 };

int output_log_open(
	const char *path, int *ret_fd, char *ret_path, size_t room, const char **ret_problem)
{
	int fd;

	*ret_problem = NULL;
	if (path)
		fd = outfile_append(path, ret_problem);
	else
		fd = memfd_create("output", MFD_CLOEXEC);
	if (fd < 0)
		return path ? fd : -errno;
	if (!path && fcntl(fd, F_SETFL, O_APPEND) < 0) {
		int r = -errno;

		(void)close(fd);
		return r;
	}
	*ret_fd = fd;
	(void)snprintf(ret_path, room, "/proc/%d/fd/%d", getpid(), fd);
	return 0;
}

struct trimming {
	int fd, stop_fd;
};

static void *trim(void *context)
{
	struct trimming t = *(struct trimming *)context;
	struct pollfd stop = {.fd = t.stop_fd, .events = POLLIN};
	off_t from = 0;

	free(context);
	while (poll(&stop, 1, LOOK_MS) == 0) {
		struct stat st;

		if (fstat(t.fd, &st) < 0 || st.st_size - from < 2 * KEPT_BYTES)
			continue;
		if (fallocate(t.fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, from,
			    st.st_size - KEPT_BYTES - from) < 0)
			break;
		from = st.st_size - KEPT_BYTES;
	}
	(void)close(t.stop_fd);
	return NULL;
}

int output_log_trim(int fd, pthread_t *ret_thread, int *ret_stop_fd)
{
	struct trimming *t = malloc(sizeof(*t));
	sigset_t all, before;
	int stop[2], r;

	if (!t)
		return -ENOMEM;
	if (pipe2(stop, O_CLOEXEC) < 0) {
		r = -errno;
		free(t);
		return r;
	}
	*t = (struct trimming){fd, stop[0]};
	/*
	 * The new thread inherits a mask that blocks all signals. Other threads wait for signals,
	 * and would miss those that the new thread takes.
	 */
	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	r = -pthread_create(ret_thread, NULL, trim, t);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (r < 0) {
		(void)close(stop[0]);
		(void)close(stop[1]);
		free(t);
		return r;
	}
	*ret_stop_fd = stop[1];
	return 0;
}

void output_log_trim_end(pthread_t thread, int stop_fd)
{
	(void)close(stop_fd);
	(void)pthread_join(thread, NULL);
}

void output_log_kept(int fd, off_t *ret_from, off_t *ret_end)
{
	char text[4096];
	struct stat st;
	ssize_t n;

	*ret_from = *ret_end = 0;
	if (fstat(fd, &st) < 0)
		return;
	*ret_end = st.st_size;
	if (st.st_size <= KEPT_BYTES)
		return;
	*ret_from = st.st_size - KEPT_BYTES;
	for (off_t at = *ret_from; (n = pread(fd, text, sizeof(text), at)) > 0; at += n) {
		const char *newline = memchr(text, '\n', (size_t)n);

		if (newline && at + (newline - text) + 1 < st.st_size) {
			*ret_from = at + (newline - text) + 1;
			return;
		}
	}
}

bool output_log_is_binary(int fd, off_t from, off_t end)
{
	char text[4096];
	ssize_t n;

	for (; from < end; from += n) {
		n = pread(fd, text, sizeof(text), from);
		if (n <= 0)
			break;
		if (memchr(text, '\0', (size_t)n))
			return true;
	}
	return false;
}

void output_log_print(int fd, off_t from, off_t end, FILE *out)
{
	bool terminal = isatty(fileno(out));
	struct output_text clean = {0};
	char text[4096], last = '\n';

	while (from < end) {
		size_t want =
			end - from < (off_t)sizeof(text) ? (size_t)(end - from) : sizeof(text);
		ssize_t n = pread(fd, text, want, from);

		if (n <= 0)
			break;
		if (terminal)
			output_text_put(&clean, text, (size_t)n, out);
		else
			(void)fwrite(text, 1, (size_t)n, out);
		last = text[n - 1];
		from += n;
	}
	output_text_end(&clean, out);
	if (last != '\n')
		(void)fputc('\n', out);
}
