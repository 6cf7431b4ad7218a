/* SPDX-License-Identifier: MIT */
/*
 * Opens files on behalf of the analyst, by kind (proto/opening.h), under the conditions below. Runs
 * in a process of its own (tools/sprofil-opener.c), which has the rights that the analyst has
 * dropped; tests and fuzzers call it in their own process.
 *
 * The conditions protect against an analyst that an attacker controls. It gets of
 *
 *	files       only regular ones, of file systems that store files (regular.h)
 *	ELF files   only those that begin with "\177ELF", so no key and no password
 *	memory      only what is not writable: mappings of files, the vdso, the first 4096 bytes of
 *	            code without a file, of processes that our supervisor traces or has traced
 *	perf maps   only those of the user of such a process, or of root if all may read them
 *	jitdumps    the same, if named jit-PID.dump and beginning with the format's magic
 *	sources     only those that all may read, or of the user of such a process, and only for
 *	            the live view
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

/* Facts about a process, read while it lived. */
struct noted {
	uint32_t pid, inner_pid; /* the process's pid in our namespace, and in its own */
	uid_t uid;               /* effective user */
	uint64_t start;          /* start time, from "stat", because pids are reused */
};

/*
 * What requests may open. All zero: anything, as the process opens files for itself, without an
 * opener.
 */
struct openings {
	pthread_mutex_t lock; /* of @noted: several threads may answer requests */
	bool guards;          /* the requesting process is not trusted: requests are checked */
	int supervisor;  /* with guards: pid of the supervisor, whose tracees may be accessed */
	bool view;       /* with guards: there is a live view */
	const char *log; /* path of the command's output; NULL: none */
	struct noted *noted;
	size_t n, room;
	struct mounts mounts;
};

void openings_release(struct openings *openings);

/*
 * Answers one request, of any kind except those that open files for writing (-ENOSYS). May wait
 * without limit for file systems and pages. @sender: the pid of the requesting process. The caller
 * owns ret_opened->fd.
 */
void openings_answer(struct openings *openings, pid_t sender, const struct opening *what,
	struct opened *ret_opened);

/*
 * Each of these functions answers requests of one kind, for openings_answer(). Returns a
 * descriptor, or -errno.
 */
int openings_mapped(const struct opening *what, struct opened *opened);
int openings_image(const struct opening *what);
int openings_vdso(const struct opening *what);
int openings_code(const struct opening *what);
int openings_threads(uint32_t pid);
/* Sets opened->text to the first argument of the process, its title. Returns 0 or -errno. */
int openings_title(uint32_t pid, struct opened *opened);
/*
 * Opens the perf map of @owner, and sets opened->text to its path. @live: the process lives, so its
 * root folder is searched first.
 */
int openings_perf_map(const struct noted *owner, bool live, struct opened *opened);
/*
 * Opens the jitdump of @owner at opened->text, its path as the process names it. @live: the process
 * lives, so its root folder is searched first.
 */
int openings_jitdump(const struct noted *owner, bool live, struct opened *opened);

/*
 * Sets *@ret_noted to the facts about the process @pid; reads them if they are not known yet.
 * False: the supervisor does not trace the process, or the process had ended before its facts were
 * read. *@ret_lives: it still lives.
 */
bool openings_process(
	struct openings *openings, uint32_t pid, struct noted *ret_noted, bool *ret_lives);

#endif
