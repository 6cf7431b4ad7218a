/* SPDX-License-Identifier: MIT */
/*
 * Lasting ids of mounts, which Linux (6.8 and later) never gives out twice. The ids in mountinfo
 * and fdinfo do not last: after an unmount, the kernel gives the same id to another mount.
 */
#ifndef BASE_MOUNT_LIST_H
#define BASE_MOUNT_LIST_H

#include <stdbool.h>
#include <stdint.h>

/* The ids of mountinfo are at most this; lasting ids are greater. */
#define MOUNT_LIST_REUSED_MOST UINT64_C(0x7fffffff)

/*
 * Lists the mounts below our root folder, a line each: lasting id, 0, device ("4294967332 0 98:0").
 * Sends no request to a file system. The caller frees the text. NULL: the kernel has no lasting
 * ids, the list is not complete, or memory is short.
 */
char *mount_list_text(void);

/* Returns the lasting id of the mount on which an opened file is; 0: unknown. */
uint64_t mount_list_id(int fd);

/* Is the mount with this lasting id still in our mount namespace? */
bool mount_list_lives(uint64_t id);

#endif
