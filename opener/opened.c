/* SPDX-License-Identifier: MIT */
#include "opener/opened.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

void opened_describe(struct opened *opened, const struct stat *st)
{
	opened->device = st->st_dev;
	opened->inode = st->st_ino;
	opened->bytes = (uint64_t)st->st_size;
	opened->mtime_ns =
		(uint64_t)st->st_mtim.tv_sec * 1000000000U + (uint64_t)st->st_mtim.tv_nsec;
}

int opened_elf(int fd, const struct stat *st, struct opened *opened)
{
	char magic[4];

	if (fd < 0)
		return fd;
	opened_describe(opened, st);
	if (pread(fd, magic, sizeof(magic), 0) == sizeof(magic) &&
		memcmp(magic, "\177ELF", sizeof(magic)) == 0)
		return fd;
	(void)close(fd);
	opened->flags |= OPENED_NO_ELF;
	return -ENOEXEC;
}
