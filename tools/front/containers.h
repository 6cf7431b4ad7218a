/* SPDX-License-Identifier: MIT */
/* Looks up names of containers without asking a daemon. */
#ifndef TOOLS_FRONT_CONTAINERS_H
#define TOOLS_FRONT_CONTAINERS_H

#include <stdbool.h>

#include "supervisor/os/cgroup.h"

/* An abbreviated container id has at least this many digits. */
enum { CONTAINERS_ID_LEAST = 4 };

/* Can @text be the beginning of an id: at least CONTAINERS_ID_LEAST digits, all hexadecimal? */
bool containers_is_id(const char *text);

/*
 * Finds the id of the container @name. For podman, name and id are on the command line of the
 * container's monitor (conmon). For docker, they are in /var/lib/docker, which only root can read.
 * False: there is no container @name, or this process cannot read its name.
 */
bool containers_find(const char *name, char ret_id[CGROUP_ID_BYTES]);

/* What /proc says about a process with the name conmon. */
struct container_monitor {
	unsigned uid[4];      /* real, effective, saved, file system */
	unsigned owner, mode; /* of the executable */
	char exe[4096];       /* path of the executable */
};

/*
 * May the command line of this conmon be trusted? Anybody can call a program conmon, and can start
 * a set-user-ID program with any command line. So the executable must be called conmon, belong to
 * root or @own_uid, be writable by its owner only, and be neither set-user-ID nor set-group-ID. The
 * process must run as root or @own_uid.
 */
bool containers_may_monitor(const struct container_monitor *monitor, unsigned own_uid);

/*
 * Parses a conmon's command line, a sequence of NUL-terminated words: "conmon", ... "-c", ID, ...
 * "-n", NAME. True: NAME equals @name, and ID is copied to @ret_id. False: NAME differs, a word is
 * missing, or ID is not 64 hexadecimal digits.
 */
bool containers_read_monitor(
	const char *line, size_t bytes, const char *name, char ret_id[CGROUP_ID_BYTES]);

/* Does @json, a config.v2.json of docker, have the container name @name ("Name":"/web")? */
bool containers_is_named(const char *json, const char *name);

#endif
