/* SPDX-License-Identifier: MIT */
/* How an answer reaches the sender of a request: through a pipe of its own, whose number it tells.
 */
#include "supervisor/calls/service.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/kcmp.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "supervisor/engine/engine_internal.h"

static bool is_pipe(const struct service *service, int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISFIFO(st.st_mode) && st.st_dev == service->device;
}

/*
 * Opens the sender's answer pipe. Only a pipe will do: anything else that the number may stand for
 * would be opened with our rights, not with the sender's.
 */
static int open_pipe(const struct service *service, int tid, int number)
{
	char path[64];
	int fd, pipe_fd = -EBADF;

	(void)snprintf(path, sizeof(path), "/proc/%d/fd/%d", tid, number);
	fd = open(path, O_PATH | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (is_pipe(service, fd)) {
		(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		pipe_fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
		if (pipe_fd < 0)
			pipe_fd = -errno;
	}
	(void)close(fd);
	return pipe_fd;
}

/*
 * A copy of the sender's own descriptor, negative if it cannot be had: 7 us sooner than a new one
 * (Linux 5.6). It may block, whatever its flags say now: it is for pwritev2() with RWF_NOWAIT only.
 * Descriptors are looked up in the process's first thread, which may have others than @tid.
 */
static int borrow_pipe(struct engine *engine, struct process *process, int tid, int number)
{
	int fd;

	if (tid != process->pid && syscall(SYS_kcmp, tid, process->pid, KCMP_FILES, 0, 0) != 0)
		return -1;
	if (process->pid_fd < 0) {
		fd = (int)syscall(SYS_pidfd_open, process->pid, 0);
		process->pid_fd = fds_keep(engine, process, fd < 0 ? -errno : fd);
	}
	if (process->pid_fd < 0)
		return -1;
	fd = (int)syscall(SYS_pidfd_getfd, process->pid_fd, number, 0);
	if (fd < 0 || is_pipe(&engine->service, fd))
		return fd;
	(void)close(fd);
	return -1;
}

void answer_send(struct engine *engine, struct process *process, int tid,
	const struct call_request *q, int error)
{
	struct service *service = &engine->service;
	struct call_answer a = {.nonce = q->nonce,
		.error = error,
		.descriptor = -1,
		.tick_ns = call_period_ns(q->dialect, q->flags)};
	uint8_t data[CALL_ANSWER_BYTES];
	const struct iovec whole = {data, sizeof(data)};
	ssize_t sent = -1;
	int fd;

	/* Atomic: all or nothing. Whoever filled the pipe with other things gets no answer. */
	(void)call_put_answer(data, sizeof(data), &a);
	fd = process && !service->cannot_borrow ? borrow_pipe(engine, process, tid, q->answer) : -1;
	if (fd >= 0) {
		sent = pwritev2(fd, &whole, 1, -1, RWF_NOWAIT);
		service->cannot_borrow = sent < 0 && errno == EOPNOTSUPP;
		(void)close(fd);
	}
	if (sent > 0)
		return;
	fd = open_pipe(service, tid, q->answer);
	if (fd == -EMFILE) {
		(void)fds_keep(engine, process, fd); /* makes room */
		fd = open_pipe(service, tid, q->answer);
	}
	if (fd < 0)
		return; /* it has gone, or does not want to know */
	if (write(fd, data, sizeof(data)) < 0)
		errno = 0;
	(void)close(fd);
}

void service_announce(const struct service *service, int fd, int error)
{
	struct call_answer a = {
		.error = error, .descriptor = service->write_fd, .inode = service->inode};
	uint8_t data[CALL_ANSWER_BYTES];

	if (fd < 0)
		return;
	(void)call_put_answer(data, sizeof(data), &a);
	if (write(fd, data, sizeof(data)) < 0)
		errno = 0; /* the program has gone meanwhile; its end comes by the wait */
	(void)close(fd);
}
