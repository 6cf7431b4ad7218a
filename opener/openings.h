/* SPDX-License-Identifier: MIT */
/*
 * Opens files for the analyst, by kind (proto/opening.h), in a process of its own
 * (tools/sprofil-opener.c) with the rights that the analyst has dropped. Even an analyst that an
 * attacker controls gets only these:
 *
 *	files       regular ones, of file systems that store files (regular.h)
 *	ELF files   those that begin with "\177ELF", so no key and no password
 *	memory      what is not writable, of processes that our supervisor traces or has
 *	            traced: mappings of files, the vdso, 4096 bytes of code without a file
 *	perf maps   those of a traced process's user, or of root if all may read them
 *	jitdumps    likewise, if named jit-PID.dump and beginning with the format's magic
 *	sources     only for the live view, of a traced process's user or readable by all
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

/* What requests may open. All 0: anything, as the process opens files for itself. */
struct openings {
	pthread_mutex_t lock; /* protects @noted, as several threads answer requests */
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
 * Answers a request of any kind; -ENOSYS if it is for writing. May wait without limit for file
 * systems and pages. @sender: pid of the requesting process. The caller owns ret_opened->fd.
 */
void openings_answer(struct openings *openings, pid_t sender, const struct opening *what,
	struct opened *ret_opened);

/* openings_answer() calls one of these for each request. They return a descriptor or -errno. */
int openings_mapped(const struct opening *what, struct opened *opened);
int openings_image(const struct opening *what);
int openings_vdso(const struct opening *what);
int openings_code(const struct opening *what);
int openings_threads(uint32_t pid);
/* Sets opened->text to the first argument of the process, its title. Returns 0 or -errno. */
int openings_title(uint32_t pid, struct opened *opened);
/* Opens @owner's perf map, and sets opened->text to its path. @live: first tries @owner's root. */
int openings_perf_map(const struct noted *owner, bool live, struct opened *opened);
/* Opens @owner's jitdump opened->text. If @live, first tries that path below @owner's root. */
int openings_jitdump(const struct noted *owner, bool live, struct opened *opened);

/*
 * Sets *@ret_noted to the facts about process @pid, read anew if it lives. *@ret_lives: it lives.
 * False: the supervisor does not trace the process, or it ended before its facts were read.
 */
bool openings_process(
	struct openings *openings, uint32_t pid, struct noted *ret_noted, bool *ret_lives);

#endif
