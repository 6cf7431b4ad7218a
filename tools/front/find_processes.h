/* SPDX-License-Identifier: MIT */
/* Finds processes by name, ancestor, cgroup or container. Reads /proc. */
#ifndef TOOLS_FRONT_FIND_PROCESSES_H
#define TOOLS_FRONT_FIND_PROCESSES_H

#include <stddef.h>

#include "supervisor/os/cgroup.h"

/* Pids are appended, and freed by the caller. Our own process is never added. */
struct process_list {
	int *pid; /* NULL: none was ever added */
	size_t n, room;
};

/*
 * Adds all processes whose name (comm, at most 15 bytes) or whose executable's last path component
 * is @name. Those that have ended, but have not been waited for by their parent, are only counted.
 * 0, or -errno; finding none is not an error.
 */
int find_processes_by_name(const char *name, struct process_list *list, size_t *ret_ended);

/* Adds all processes of a cgroup; @name as for cgroup_is_in(). 0 or -errno. */
int find_processes_by_cgroup(const char *name, struct process_list *list);

/*
 * Adds all processes of a container. @name is the beginning of its id; or its name, according to
 * podman's monitor and docker's files (the latter only for root); or the name of a container of LXC
 * or systemd-nspawn. 0 or -errno; -ENOTUNIQ: the ids of several containers begin with @name, and
 * @ret_ids has two of them. With another result, the contents of @ret_ids are undefined.
 */
int find_processes_by_container(
	const char *name, struct process_list *list, char ret_ids[2][CGROUP_ID_BYTES]);

/*
 * Adds the live descendants of @pid, but not @pid itself. A process whose parent has ended is no
 * longer a descendant. 0 or -errno.
 */
int find_processes_below(int pid, struct process_list *list);

#endif
