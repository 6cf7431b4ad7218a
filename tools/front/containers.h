/* SPDX-License-Identifier: MIT */
/* Looks up names of containers without asking a daemon. */
#ifndef TOOLS_FRONT_CONTAINERS_H
#define TOOLS_FRONT_CONTAINERS_H

#include <stdbool.h>

#include "supervisor/os/cgroup.h"

/* A container id may be abbreviated to its first digits: at least this many. */
enum { CONTAINERS_ID_LEAST = 4 };

/*
 * Can @text be the beginning of an id? True: it has at least CONTAINERS_ID_LEAST digits, all of
 * them hexadecimal.
 */
bool containers_is_id(const char *text);

/*
 * Finds the id of the container called @name. For podman's containers, it is on the command line of
 * the monitor (conmon); for docker's, it is in /var/lib/docker, which only root can read. False:
 * there is no such container, or it cannot be seen.
 */
bool containers_find(const char *name, char ret_id[CGROUP_ID_BYTES]);

/* Facts about a process whose name is conmon, from /proc. */
struct container_monitor {
	unsigned uid[4];      /* user ids: real, effective, saved, file system */
	unsigned owner, mode; /* owner and mode of its executable */
	char exe[4096];       /* path of the executable */
};

/*
 * May the command line of this conmon be trusted? Only if it is owned and run by root or by the
 * user @own_uid, writable by nobody else, and not set-user-ID: anybody can name a program conmon,
 * and can start a set-user-ID program by any name.
 */
bool containers_may_monitor(const struct container_monitor *monitor, unsigned own_uid);

/*
 * Parses the command line of a conmon, words that end in NUL: "conmon", ... "-c", ID, ... "-n",
 * NAME. True: NAME is @name, and *ret_id is ID.
 */
bool containers_read_monitor(
	const char *line, size_t bytes, const char *name, char ret_id[CGROUP_ID_BYTES]);

/* Does @json, a config.v2.json of docker, name its container @name (…"Name":"/web"…)? */
bool containers_is_named(const char *json, const char *name);

#endif
