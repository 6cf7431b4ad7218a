/* SPDX-License-Identifier: MIT */
#include "tools/analyst/pieces.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "profile/file.h"
#include "profile/pprof.h"
#include "profile/profile.h"

/*
 * A piece is complete when its memory file is sealed (F_SEAL_WRITE). The seal of an incomplete one
 * is checked every 10 ms, for 10 s.
 */
#define LOOK_NS    10000000L
#define LOOKS_MOST 1000

int pieces_keep(int fd, const struct profile *profile)
{
	uint8_t *data;
	size_t bytes;
	int r = pprof_write(profile, &data, &bytes);

	if (r < 0)
		return r;
	r = file_write_fd(fd, data, bytes, -1);
	if (r == 0 && fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) < 0)
		r = -errno;
	free(data);
	return r;
}

static void await_seal(int fd)
{
	const struct timespec pause = {0, LOOK_NS};

	for (int i = 0; i < LOOKS_MOST; i++) {
		int seals = fcntl(fd, F_GET_SEALS);

		if (seals < 0 || seals & F_SEAL_WRITE)
			return;
		(void)nanosleep(&pause, NULL);
	}
}

static int read_piece(int fd, struct profile **ret_profile)
{
	struct stat st;
	void *data;
	int r;

	await_seal(fd);
	if (fstat(fd, &st) < 0)
		return -errno;
	if (st.st_size <= 0)
		return -EBADMSG;
	data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (data == MAP_FAILED)
		return -errno;
	r = pprof_read(data, (size_t)st.st_size, ret_profile, NULL);
	(void)munmap(data, (size_t)st.st_size);
	return r;
}

int pieces_join(
	const struct pieces *pieces, const struct profile *last, struct profile **ret_profile)
{
	struct profile *all, *piece;
	int r = profile_new(&all);

	for (size_t i = 0; i < pieces->before && r == 0; i++) {
		r = read_piece(pieces->before_fd[i], &piece);
		if (r == 0) {
			r = profile_merge(all, piece);
			profile_free(piece);
		} else if (r != -ENOMEM) {
			r = profile_add_note(all, "a piece of --ring was lost: its analyst died");
		}
		r = r > 0 ? 0 : r;
	}
	if (r == 0)
		r = profile_merge(all, last);
	if (r < 0) {
		profile_free(all);
		return r;
	}
	*ret_profile = all;
	return 0;
}
