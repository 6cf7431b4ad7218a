/* SPDX-License-Identifier: MIT */
#include "profile/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/outfile.h"
#include "base/table.h"
#include "profile/monout.h"
#include "profile/pprof.h"

/* Limit of the compressed size; gzip.h has that of the uncompressed size. */
#define FILE_BYTES_MAX ((size_t)1 << 30)

int file_read_fd(int fd, bool zero, size_t most, uint8_t **ret_data, size_t *ret_bytes)
{
	uint8_t *data = NULL;
	size_t used = 0, room = 0;
	ssize_t n;

	do {
		if (array_grow(&data, &room, used + 64 * 1024) < 0) {
			free(data);
			return -ENOMEM;
		}
		n = read(fd, data + used, room - used);
		if (n > 0)
			used += (size_t)n;
		if (used && data[0] == 0 && !zero)
			break;
	} while ((n > 0 || (n < 0 && errno == EINTR)) && used <= most);
	if (n < 0 || used > most) {
		int error = n < 0 ? -errno : -EFBIG;

		free(data);
		return error;
	}
	*ret_data = data;
	*ret_bytes = used;
	return 0;
}

static int read_path(const char *path, bool zero, uint8_t **ret_data, size_t *ret_bytes)
{
	int fd, error;

	if (!strcmp(path, "-"))
		return file_read_fd(STDIN_FILENO, zero, FILE_BYTES_MAX, ret_data, ret_bytes);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	error = file_read_fd(fd, zero, FILE_BYTES_MAX, ret_data, ret_bytes);
	(void)close(fd);
	return error;
}

/* Returns what the user can do about @error, to be appended to a message. "": nothing is known. */
static const char *remedy(int error)
{
	switch (error) {
	case -ENOENT: return "; sprofrun writes profiles, to sprof.pb.gz if not told otherwise";
	case -EISDIR: return "; name a profile in it";
	case -EACCES: return "; ask its owner for the right to read it, or become that user";
	default: return "";
	}
}

static char *cannot_read(const char *path, int error)
{
	char *text;

	if (asprintf(&text, "cannot read '%s': %s%s", path, strerror(-error), remedy(error)) < 0)
		return NULL;
	return text;
}

int file_read_bytes(const char *path, uint8_t **ret_data, size_t *ret_bytes, char **ret_problem)
{
	int error = read_path(path, true, ret_data, ret_bytes);

	if (error < 0)
		*ret_problem = cannot_read(path, error);
	return error;
}

static char *cannot_use(
	const char *path, const uint8_t *data, size_t bytes, int error, const char *problem)
{
	char *text;
	int n;

	if (error == -ENOMEM)
		n = asprintf(&text, "not enough memory for the profile '%s'", path);
	else if (monout_is_gmon(data, bytes))
		n = asprintf(&text,
			"cannot use '%s': it is a gmon.out, which gprof reads: gprof PROGRAM %s",
			path, path);
	else if (monout_seems(data, bytes))
		n = asprintf(&text,
			"cannot use '%s': it seems to be a mon.out: give its program, --program "
			"PROGRAM",
			path);
	else
		n = asprintf(&text, "cannot use '%s': %s; record or copy it again, or name another",
			path, problem ? problem : strerror(-error));
	return n < 0 ? NULL : text;
}

/*
 * Returns a message that the file was read but may be damaged. The caller frees it. NULL: @problem
 * is NULL, or out of memory.
 */
static char *doubt(const char *path, const char *problem)
{
	char *text;

	if (!problem || asprintf(&text, "'%s' may be damaged: %s", path, problem) < 0)
		return NULL;
	return text;
}

int file_read(const char *path, struct profile **ret_profile, char **ret_problem)
{
	const char *problem = NULL;
	uint8_t *data = NULL;
	size_t bytes = 0;
	int error = read_path(path, false, &data, &bytes);

	if (error < 0) {
		*ret_problem = cannot_read(path, error);
		return error;
	}
	error = pprof_read(data, bytes, ret_profile, &problem);
	*ret_problem =
		error < 0 ? cannot_use(path, data, bytes, error, problem) : doubt(path, problem);
	free(data);
	return error;
}

/* Waits until the pipe @fd takes PIPE_BUF bytes. -EINTR: the peer died (file_write_while()). */
static int await_room(int fd, int peer_fd)
{
	struct pollfd fds[2] = {{.fd = fd, .events = POLLOUT}, {.fd = peer_fd}};

	while (poll(fds, 2, -1) < 0) {
		if (errno != EINTR)
			return -errno;
	}
	return fds[0].revents ? 0 : -EINTR;
}

int file_write_fd(int fd, const void *from, size_t bytes, int peer_fd)
{
	const char *data = from;

	while (bytes) {
		int error = peer_fd < 0 ? 0 : await_room(fd, peer_fd);
		ssize_t n;

		if (error < 0)
			return error;
		n = write(fd, data, peer_fd < 0 || bytes < PIPE_BUF ? bytes : PIPE_BUF);
		if (n < 0 && errno != EINTR && (errno != EAGAIN || peer_fd < 0))
			return -errno;
		if (n > 0) {
			data += n;
			bytes -= (size_t)n;
		}
	}
	return 0;
}

/*
 * Blocks fatal signals while a regular file is written: a killed writer would leave its temporary
 * file behind. Does nothing for a pipe or device, because its reader may make the writer wait.
 * Returns whether signals are blocked.
 */
static bool hold_signals(const char *path, sigset_t *ret_before)
{
	static const int deadly[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
	struct stat st;
	sigset_t held;

	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
		return false;
	(void)sigemptyset(&held);
	for (size_t i = 0; i < sizeof(deadly) / sizeof(*deadly); i++)
		(void)sigaddset(&held, deadly[i]);
	return pthread_sigmask(SIG_BLOCK, &held, ret_before) == 0;
}

static int write_file(
	const char *path, const void *data, size_t bytes, int peer_fd, const char **ret_problem)
{
	struct outfile out;
	int error = outfile_begin(&out, path, peer_fd, ret_problem);

	if (error < 0)
		return error;
	error = file_write_fd(out.fd, data, bytes, out.fresh[0] ? -1 : peer_fd);
	if (error < 0)
		outfile_abandon(&out);
	else
		error = outfile_commit(&out);
	return error;
}

int file_write_while(
	const char *path, const void *data, size_t bytes, int peer_fd, const char **ret_problem)
{
	sigset_t before;
	bool held;
	int error;

	*ret_problem = NULL;
	if (!strcmp(path, "-"))
		return file_write_fd(STDOUT_FILENO, data, bytes, peer_fd);
	held = hold_signals(path, &before);
	error = write_file(path, data, bytes, peer_fd, ret_problem);
	if (held)
		(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	return error;
}

int file_write(const char *path, const void *data, size_t bytes)
{
	const char *problem;

	return file_write_while(path, data, bytes, -1, &problem);
}
