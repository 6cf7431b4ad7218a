/* SPDX-License-Identifier: MIT */
/*
 * Opens files on behalf of the analyst, by kind (proto/opening.h), under the conditions below. Runs
 * in a process of its own (tools/sprofil-opener.c), which has the rights that the analyst has
 * dropped; tests and fuzzers call it in their own process.
 *
 * The rules protect against an analyst that an attacker controls:
 *
 *	files       regular ones of file systems that store files (regular.h)
 *	ELF         begins with "\177ELF", or no descriptor is passed: no key, no password
 *	memory      unwritable mappings of files, and the vdso, of processes that our supervisor
 *                  traces or has traced
 *	perf maps   of the user of such a process, or of root and readable by everybody
 *	jitdumps    the same, named jit-PID.dump, and begin with the format's magic
 *	sources     readable by everybody, or of the user of such a process; live view only
 *
 * libc only. Nothing here parses files.
 */
#ifndef OPENER_OPENINGS_H
#define OPENER_OPENINGS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "opener/mounts.h"
#include "proto/opening.h"

/* A process that was examined while it lived. */
struct noted {
	uint32_t pid, inner_pid; /* its pid in our namespace, and in its own */
	uid_t uid;               /* effective user */
	uint64_t start;          /* start time, from "stat", because pids are reused */
};

/* All zero: used in the requesting process itself, without these conditions. */
struct openings {
	pthread_mutex_t lock; /* of @noted: requests may be answered by several threads */
	bool guards; /* the requesting process, the analyst, is not trusted: the conditions hold */
	int supervisor;  /* guards: processes traced by this one may be accessed; 0 none */
	bool view;       /* guards: there is a live view */
	const char *log; /* path of the command's output, NULL none */
	struct noted *noted;
	size_t n, room;
	struct mounts mounts;
};

void openings_release(struct openings *openings);

/*
 * Answers one request, of any kind except those that write. Waits for file systems, and for pages.
 * @sender: the requesting process. ret_opened->fd is the caller's.
 */
void openings_answer(struct openings *openings, pid_t sender, const struct opening *what,
	struct opened *ret_opened);

/* Called by openings_answer() for each kind. A descriptor or -errno. */
int openings_mapped(const struct opening *what, struct opened *opened);
int openings_image(const struct opening *what);
int openings_vdso(const struct opening *what);
int openings_threads(uint32_t pid);
/* 0 or -errno. */
int openings_title(uint32_t pid, struct opened *opened);
int openings_perf_map(const struct noted *owner, bool live, struct opened *opened);
/* @opened->text is the path as the process names it. */
int openings_jitdump(const struct noted *owner, bool live, struct opened *opened);

/*
 * The known facts about a process, which is examined if it is not known yet. False: it is gone, or
 * not traced by the supervisor. *ret_lives: the process with that pid is still the known one.
 */
bool openings_process(
	struct openings *openings, uint32_t pid, struct noted *ret_noted, bool *ret_lives);

#endif
