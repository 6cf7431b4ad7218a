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
 * Adds the processes called @name, by comm (at most 15 bytes) or by the executable's last path
 * component. Zombies called @name are not added: *@ret_ended is their number. Returns 0, even if no
 * process is found; or -errno.
 */
int find_processes_by_name(const char *name, struct process_list *list, size_t *ret_ended);

/* Adds the processes of a cgroup; @name as for cgroup_is_in(). 0 or -errno. */
int find_processes_by_cgroup(const char *name, struct process_list *list);

/*
 * Adds the processes of a container. @name is the container's name in podman or docker (docker's
 * are found by root only), its name in LXC or systemd-nspawn, or the beginning of its id; the first
 * of these that fits counts. Returns 0 or -errno. -ENOTUNIQ: the ids of several containers begin
 * with @name, and @ret_ids has two of these ids. With any other result @ret_ids is undefined.
 */
int find_processes_by_container(
	const char *name, struct process_list *list, char ret_ids[2][CGROUP_ID_BYTES]);

/* Adds @pid's live descendants, except those whose parent has ended. 0 or -errno. */
int find_processes_below(int pid, struct process_list *list);

#endif
