/* SPDX-License-Identifier: MIT */
/* Names of containers, without the help of a daemon. */
#ifndef TOOLS_CONTAINERS_H
#define TOOLS_CONTAINERS_H

#include <stdbool.h>

#include "supervisor/os/cgroup.h"

/* May @text be the beginning of an id? Hexadecimal digits, four of them at least. */
bool containers_is_id(const char *text);

/*
 * The id of the container called @name: podman tells it on the command line of its monitor
 * (conmon), docker in /var/lib/docker, which root can read. False: there is none, or it cannot be
 * known.
 */
bool containers_find(const char *name, char ret_id[CGROUP_ID_BYTES]);

/*
 * Of the command line of a conmon, words that end in NUL: "conmon", ... "-c", ID, ... "-n", NAME.
 * True: it is of the container @name.
 */
bool containers_read_monitor(
	const char *line, size_t bytes, const char *name, char ret_id[CGROUP_ID_BYTES]);

/* Is that the name in the text of a docker config.v2.json: …"Name":"/web"…? */
bool containers_is_named(const char *json, const char *name);

#endif
