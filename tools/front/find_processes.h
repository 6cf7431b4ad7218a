/* SPDX-License-Identifier: MIT */
/* Finds processes by name, ancestor, cgroup or container, in /proc. */
#ifndef TOOLS_FRONT_FIND_PROCESSES_H
#define TOOLS_FRONT_FIND_PROCESSES_H

#include <stddef.h>

#include "supervisor/os/cgroup.h"

/* Pids are appended; the caller frees them. Our own process is never added. */
struct process_list {
	int *pid; /* NULL: none was ever added */
	size_t n, room;
};

/*
 * Adds the processes called @name: by comm (at most 15 bytes), or by the executable's last path
 * component. Zombies are only counted. 0, also if none is found, or -errno.
 */
int find_processes_by_name(const char *name, struct process_list *list, size_t *ret_ended);

/* Adds the processes of a cgroup; @name as for cgroup_is_in(). 0 or -errno. */
int find_processes_by_cgroup(const char *name, struct process_list *list);

/*
 * Adds the processes of a container. @name: the beginning of its id; its name, from podman's
 * monitor or docker's files (root only); or its name in LXC or systemd-nspawn. 0 or -errno.
 * -ENOTUNIQ: several ids begin with @name, and @ret_ids has two; otherwise @ret_ids is undefined.
 */
int find_processes_by_container(
	const char *name, struct process_list *list, char ret_ids[2][CGROUP_ID_BYTES]);

/* Adds @pid's live descendants, except those whose parent has ended. 0 or -errno. */
int find_processes_below(int pid, struct process_list *list);

#endif
