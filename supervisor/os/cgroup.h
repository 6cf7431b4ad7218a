/* SPDX-License-Identifier: MIT */
/*
 * Control groups of processes, and the containers that they tell of. What is read is the text of
 * /proc/PID/cgroup: a line for each hierarchy, "0::/system.slice/nginx.service" (version 2) or
 * "4:memory:/docker/8f3c…" (version 1). Names in it are chosen by users.
 */
#ifndef SUPERVISOR_CGROUP_H
#define SUPERVISOR_CGROUP_H

#include <stdbool.h>
#include <stddef.h>

enum { CGROUP_ID_BYTES = 65, CGROUP_TEXT_BYTES = 16384 };

/* The text of a process, NUL-terminated. -errno. */
int cgroup_read(int pid, char text[CGROUP_TEXT_BYTES]);

/*
 * Is the process in the cgroup @name, or below it, in any hierarchy? With a slash at the beginning
 * @name is a path, as in /proc/PID/cgroup or below /sys/fs/cgroup; else one name of a path:
 * "nginx.service". An empty name means none.
 */
bool cgroup_is_in(const char *text, const char *name);

/*
 * The container that a line names: the first 64 hexadecimal digits that stand alone, as docker,
 * podman, containerd and CRI-O have them ("/docker/ID", "docker-ID.scope", "libpod-ID.scope",
 * "cri-containerd-ID.scope", "/kubepods/…/ID"). False: none.
 */
bool cgroup_container(const char *text, char ret_id[CGROUP_ID_BYTES]);

/* Is it in the container that LXC or systemd-nspawn call @name? ("lxc.payload.NAME",
 * "/lxc/NAME", "machine-NAME.scope", "systemd-nspawn@NAME.service") */
bool cgroup_is_of_machine(const char *text, const char *name);

#endif
