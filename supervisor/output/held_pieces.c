/* SPDX-License-Identifier: MIT */
#include "supervisor/output/held_pieces.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int held_pieces_begin(struct held_pieces *pieces)
{
	int fd = memfd_create("sprofil-piece", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0)
		return -errno;
	if (pieces->n == PIECES_HELD) {
		(void)close(pieces->piece[0].fd);
		memmove(pieces->piece, pieces->piece + 1,
			(PIECES_HELD - 1) * sizeof(*pieces->piece));
		pieces->n--;
	}
	pieces->piece[pieces->n++] = (struct held_piece){.fd = fd};
	return 0;
}

size_t held_pieces_list(const struct held_pieces *pieces, int ret_fd[PIECES_HELD])
{
	size_t n = 0;

	if (!pieces->n)
		return 0;
	ret_fd[n++] = pieces->piece[pieces->n - 1].fd;
	for (size_t i = 0; i + 1 < pieces->n; i++)
		ret_fd[n++] = pieces->piece[i].fd;
	return n;
}

void held_pieces_set_writer(struct held_pieces *pieces, int pid)
{
	if (pieces->n)
		pieces->piece[pieces->n - 1].pid = pid;
}

void held_pieces_writer_gone(struct held_pieces *pieces, int pid)
{
	for (size_t i = 0; i < pieces->n; i++) {
		if (pieces->piece[i].pid == pid)
			(void)fcntl(pieces->piece[i].fd, F_ADD_SEALS, F_SEAL_WRITE);
	}
}

void held_pieces_release(struct held_pieces *pieces)
{
	while (pieces->n)
		(void)close(pieces->piece[--pieces->n].fd);
}
