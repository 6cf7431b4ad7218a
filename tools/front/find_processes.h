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
 * All processes whose name (comm, at most 15 bytes) or whose executable's last path component is
 * @name. Those that have ended, but have not been waited for by their parent, are only counted. 0,
 * or -errno; finding none is not an error.
 */
int find_processes_by_name(const char *name, struct process_list *list, size_t *ret_ended);

/* All processes of a cgroup; @name as for cgroup_is_in(). */
int find_processes_by_cgroup(const char *name, struct process_list *list);

/*
 * All processes of a container: by the beginning of its id, or by its name according to podman's
 * monitor and docker's files (the latter only for root), or by the name of a container of LXC or
 * systemd-nspawn. -ENOTUNIQ: the ids of several containers begin with @name; @ret_ids has two of
 * them. With another result, the contents of @ret_ids are undefined.
 */
int find_processes_by_container(
	const char *name, struct process_list *list, char ret_ids[2][CGROUP_ID_BYTES]);

/*
 * The live descendants of @pid, without itself. A process whose parent has ended is no longer a
 * descendant.
 */
int find_processes_below(int pid, struct process_list *list);

#endif
