/* SPDX-License-Identifier: MIT */
#include "base/mount_list.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* From linux/mount.h and linux/stat.h of Linux 6.8; equal on all architectures. */
#ifndef SYS_statmount
#define SYS_statmount 457
#endif
#ifndef SYS_listmount
#define SYS_listmount 458
#endif
#define LIST_FROM_ROOT     UINT64_C(0xffffffffffffffff) /* LSMT_ROOT */
#define ASK_DEVICE         UINT64_C(1)                  /* STATMOUNT_SB_BASIC */
#define ASK_LASTING_ID     0x4000u                      /* STATX_MNT_ID_UNIQUE */
#define REQUEST_BYTES      24u                          /* MNT_ID_REQ_SIZE_VER0 */
#define IDS_AT_ONCE        64
#define MOUNTS_LISTED_MOST 100000u

/*
 * struct mnt_id_req. @param is, for listmount, the last id of the block that was read before; for
 * statmount, the mask of wanted fields.
 */
struct request {
	uint32_t size, spare;
	uint64_t id, param;
};

/* The first fields of struct statmount, and room for the others, which are not used. */
struct described {
	uint32_t size, spare;
	uint64_t mask;
	uint32_t major, minor;
	uint64_t rest[61];
};

/* Gets a mount's device. False with errno ENOENT: no such mount; another errno: call failed. */
static bool describe(uint64_t id, struct described *ret_described)
{
	struct request request = {.size = REQUEST_BYTES, .id = id, .param = ASK_DEVICE};

	errno = 0;
	return syscall(SYS_statmount, &request, ret_described, sizeof(*ret_described), 0u) == 0 &&
		(ret_described->mask & ASK_DEVICE);
}

/* Writes a line for each mount. Returns their number, or 0 if the list is not complete. */
static size_t write_lines(FILE *to)
{
	struct request request = {.size = REQUEST_BYTES, .id = LIST_FROM_ROOT};
	uint64_t ids[IDS_AT_ONCE];
	size_t lines = 0;
	long n;

	while ((n = syscall(SYS_listmount, &request, ids, (size_t)IDS_AT_ONCE, 0u)) > 0) {
		if (lines >= MOUNTS_LISTED_MOST)
			return 0;
		for (long i = 0; i < n; i++) {
			struct described described;

			if (describe(ids[i], &described)) {
				(void)fprintf(to, "%llu 0 %u:%u\n", (unsigned long long)ids[i],
					described.major, described.minor);
				lines++;
			} else if (errno != ENOENT) {
				return 0;
			}
		}
		request.param = ids[n - 1];
	}
	return n == 0 ? lines : 0;
}

static uint64_t id_of(int fd, const char *path)
{
	struct statx st = {0};

	if (statx(fd, path, AT_EMPTY_PATH | AT_STATX_DONT_SYNC, ASK_LASTING_ID, &st) < 0 ||
		!(st.stx_mask & ASK_LASTING_ID))
		return 0;
	return st.stx_mnt_id;
}

char *mount_list_text(void)
{
	char *text = NULL;
	size_t bytes = 0, lines = 0;
	/* The list is useful only if the kernel also tells the lasting id of a file's mount. */
	FILE *to = id_of(AT_FDCWD, "/") ? open_memstream(&text, &bytes) : NULL;

	if (!to)
		return NULL;
	lines = write_lines(to);
	if (fclose(to) == 0 && lines)
		return text;
	free(text);
	return NULL;
}

uint64_t mount_list_id(int fd)
{
	return id_of(fd, "");
}

bool mount_list_lives(uint64_t id)
{
	struct described described;

	return describe(id, &described);
}
