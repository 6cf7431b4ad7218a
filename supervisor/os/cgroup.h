/* SPDX-License-Identifier: MIT */
/*
 * Control groups of processes, and the containers that they identify. Input is the text of
 * /proc/PID/cgroup: a line per hierarchy, "0::/system.slice/nginx.service" (version 2) or
 * "4:memory:/docker/8f3c…" (version 1). Users choose the names, so they are not trusted.
 */
#ifndef SUPERVISOR_CGROUP_H
#define SUPERVISOR_CGROUP_H

#include <stdbool.h>
#include <stddef.h>

enum { CGROUP_ID_BYTES = 65, CGROUP_TEXT_BYTES = 16384 };

/* Reads the text of /proc/PID/cgroup, NUL-terminated. 0, or -errno if the file cannot be read. */
int cgroup_read(int pid, char text[CGROUP_TEXT_BYTES]);

/*
 * Is the process in the cgroup @name, or below it, in any hierarchy? With a leading slash, @name is
 * a path as in /proc/PID/cgroup or below /sys/fs/cgroup; otherwise a component: "nginx.service". An
 * empty @name matches nothing.
 */
bool cgroup_is_in(const char *text, const char *name);

/*
 * Finds the container to which the process belongs. Its ID is the first run of exactly 64
 * hexadecimal digits with no letter or digit beside it, as used by docker, podman, containerd and
 * CRI-O ("/docker/ID", "docker-ID.scope", "libpod-ID.scope", "cri-containerd-ID.scope",
 * "/kubepods/…/ID"). False: there is none.
 */
bool cgroup_container(const char *text, char ret_id[CGROUP_ID_BYTES]);

/*
 * Is the process in the container @name of LXC or systemd-nspawn? ("lxc.payload.NAME", "/lxc/NAME",
 * "machine-NAME.scope", "systemd-nspawn@NAME.service")
 */
bool cgroup_is_of_machine(const char *text, const char *name);

/* Has the freezer stopped the process? @root is where cgroups are mounted: "/sys/fs/cgroup". */
bool cgroup_is_frozen(const char *text, const char *root);

#endif
