/* SPDX-License-Identifier: MIT */
/*
 * Mounts by ids that are never used again, which Linux has since 6.8. The ids of mountinfo and
 * fdinfo are used again: the next mount gets the id of the one that was unmounted last.
 */
#ifndef BASE_MOUNT_LIST_H
#define BASE_MOUNT_LIST_H

#include <stdbool.h>
#include <stdint.h>

/* Ids up to this one are those of mountinfo. The kernel begins to count the others behind it. */
#define MOUNT_LIST_REUSED_MOST UINT64_C(0x7fffffff)

/*
 * Lists the mounts below our root folder, each as the beginning of a line of mountinfo, with its
 * lasting id and without its parent: "4294967332 0 98:0". Asks no file system. Allocated; NULL: the
 * kernel has no such ids, or does not tell them or all mounts, or out of memory.
 */
char *mount_list_text(void);

/* The lasting id of the mount of an opened file; 0: unknown. */
uint64_t mount_list_id(int fd);

/* Is the mount with this lasting id still in our mount namespace? */
bool mount_list_lives(uint64_t id);

#endif
