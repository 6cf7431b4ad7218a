/* SPDX-License-Identifier: MIT */
#include "supervisor/calls/service.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/kcmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/proc_file.h"
#include "supervisor/os/descriptor.h"
#include "supervisor/target/procfiles.h"

/*
 * Is @fd an anonymous pipe? The sender may have put any file there. AT_STATX_DONT_SYNC keeps
 * statx() from asking a file system in user space, or on another machine, which could take long to
 * answer.
 */
static bool is_pipe(const struct answerer *answerer, int fd, uint64_t *ret_inode)
{
	struct statx st;

	if (statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE | STATX_INO, &st) < 0)
		return false;
	*ret_inode = st.stx_ino;
	return S_ISFIFO(st.stx_mode) &&
		makedev(st.stx_dev_major, st.stx_dev_minor) == answerer->device;
}

/*
 * May the sender write to its descriptor @number, and is that the pipe @inode? One fdinfo file has
 * the access mode and the inode: "flags:\t0100001\n" (octal, as of open(2)), "ino:\t81234\n" (since
 * Linux 5.14).
 */
static bool sender_may_write(int tid, int number, uint64_t inode)
{
	const char *flags;
	char text[512];
	unsigned mode;

	(void)proc_file_read(text, sizeof(text), "/proc/%d/fdinfo/%d", tid, number);
	flags = proc_file_value(text, "flags");
	if (!flags || !proc_file_value(text, "ino"))
		return false;
	mode = (unsigned)strtoul(flags, NULL, 8) & O_ACCMODE;
	return (mode == O_WRONLY || mode == O_RDWR) && proc_file_number(text, "ino", 10) == inode;
}

/*
 * Opens the sender's answer pipe with the supervisor's rights. As the sender may have fewer rights,
 * it must itself be able to write to this pipe through its descriptor. The O_PATH descriptor @fd,
 * which does not open the pipe, holds the pipe during the checks: the sender cannot exchange it
 * (test: answer_with_rights_of_sender).
 */
static int open_pipe(const struct answerer *answerer, int tid, int number)
{
	char path[64];
	int fd, pipe_fd = -EBADF;
	uint64_t inode;

	(void)snprintf(path, sizeof(path), "/proc/%d/fd/%d", tid, number);
	fd = open(path, O_PATH | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (is_pipe(answerer, fd, &inode) && sender_may_write(tid, number, inode)) {
		(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		pipe_fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
		if (pipe_fd < 0)
			pipe_fd = -errno;
	}
	(void)close(fd);
	return pipe_fd;
}

/*
 * Copies the sender's descriptor (pidfd_getfd(), Linux 5.6), which is 7 us faster than to open the
 * pipe. Write to the copy only with RWF_NOWAIT: any other write may block, as the sender can clear
 * O_NONBLOCK. -EBADF: the descriptor is not a pipe to which the sender can write. -ENOTSUP: no copy
 * is possible, for example because @tid does not share the descriptor table of the first thread,
 * from which pidfd_getfd() copies.
 */
static int borrow_pipe(struct answerer *answerer, struct process *process, int tid, int number)
{
	uint64_t inode;
	int fd;

	if (tid != process->pid && syscall(SYS_kcmp, tid, process->pid, KCMP_FILES, 0, 0) != 0)
		return -ENOTSUP;
	/* To close a copy of another file could have effects in its driver or file system. */
	if (!descriptor_is(process->pid, number, "pipe:[", NULL))
		return -EBADF;
	fd = procfiles_of(answerer->files, process, PROCESS_PIDFD);
	if (fd < 0)
		return -ENOTSUP;
	fd = (int)syscall(SYS_pidfd_getfd, fd, number, 0);
	if (fd < 0)
		return -ENOTSUP;
	if (is_pipe(answerer, fd, &inode) && (fcntl(fd, F_GETFL) & O_ACCMODE) != O_RDONLY)
		return fd;
	descriptor_close(fd);
	return -EBADF;
}

void answer_send(struct answerer *answerer, struct process *process, int tid,
	const struct call_request *q, int error, const struct call_status *status)
{
	struct call_answer a = {.nonce = q->nonce,
		.error = error,
		.descriptor = -1,
		.tick_ns = call_period_ns(q->dialect, q->flags)};
	uint8_t data[CALL_ANSWER_BYTES + CALL_STATUS_BYTES];
	const struct iovec whole = {data, status ? sizeof(data) : CALL_ANSWER_BYTES};
	ssize_t sent = -1;
	int fd;

	/*
	 * The write is all or nothing, and does not block: if the sender has filled the pipe with
	 * other data, it gets no answer.
	 */
	(void)call_put_answer(data, sizeof(data), &a);
	if (status)
		(void)call_put_status(data + CALL_ANSWER_BYTES, CALL_STATUS_BYTES, status);
	fd = process && !answerer->cannot_borrow ? borrow_pipe(answerer, process, tid, q->answer)
						 : -ENOTSUP;
	if (fd >= 0) {
		sent = pwritev2(fd, &whole, 1, -1, RWF_NOWAIT);
		answerer->cannot_borrow = sent < 0 && errno == EOPNOTSUPP;
		(void)close(fd);
	}
	if (fd == -EBADF || (fd >= 0 && !answerer->cannot_borrow))
		return;
	fd = open_pipe(answerer, tid, q->answer);
	if (fd == -EMFILE) {
		/* The supervisor has no descriptor left: closes idle ones, then tries again. */
		(void)fds_keep(&answerer->files->fds, process, fd);
		fd = open_pipe(answerer, tid, q->answer);
	}
	if (fd < 0)
		return; /* The sender is gone, or wants no answer. */
	if (write(fd, whole.iov_base, whole.iov_len) < 0)
		errno = 0;
	(void)close(fd);
}
