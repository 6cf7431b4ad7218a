/* SPDX-License-Identifier: MIT */
/* Finds a process's perf map, which anybody may have put there. */
#ifndef ANALYST_JIT_OPEN_H
#define ANALYST_JIT_OPEN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Whose map it is. */
struct jit_owner {
	uint32_t pid, inner_pid; /* as we see it, as it sees itself */
	uid_t uid;               /* of the process, or ours where it is not known */
	bool live;               /* its own root folder may be looked into */
};

/* Reads /proc/PID/status while the process lives. */
struct jit_owner jit_owner_of(uint32_t pid, bool live);

/*
 * /tmp/perf-PID.map, of the process's own root folder or of ours. A descriptor, or -errno. It must
 * be a regular file, no link, of the process's user, or of root and not kept from others: else a
 * link or hard link could make us read what its maker may not.
 */
int jit_open_map(const struct jit_owner *owner);

#endif
