/* SPDX-License-Identifier: MIT */
/* Which processes are meant: by name, by kinship, by cgroup, by container. From /proc. */
#ifndef TOOLS_PROCESSES_H
#define TOOLS_PROCESSES_H

#include <stddef.h>

#include "supervisor/os/cgroup.h"

/* Pids are appended to, and freed by the caller. Our own process is never among them. */
struct process_list {
	int *pid; /* NULL: none was ever added */
	size_t n, room;
};

/*
 * All processes whose name (comm, 15 bytes of it) or whose executable's last part is @name. Those
 * that have ended, and that their parent has not waited for, are counted only. 0, or -errno; none
 * is no error.
 */
int processes_by_name(const char *name, struct process_list *list, size_t *ret_ended);

/* All processes of a cgroup, as cgroup_is_in() takes its name. */
int processes_by_cgroup(const char *name, struct process_list *list);

/*
 * All processes of a container: by the beginning of its id, or by its name as podman's monitor and
 * docker's files tell it (the latter to root alone), or of LXC or systemd-nspawn. -ENOTUNIQ: the
 * ids of several containers begin so.
 */
int processes_by_container(const char *name, struct process_list *list);

/*
 * Descendants of @pid that live, without itself. A process whose parent ended meanwhile is nobody's
 * descendant any more.
 */
int processes_below(int pid, struct process_list *list);

#endif
