/* SPDX-License-Identifier: MIT */
/*
 * A thread that examines executables of the target. The file system of such a file may be provided
 * by the target itself (FUSE), whose server may stand still in a stop: the tracing thread therefore
 * never asks one. This thread may wait for as long as it takes; the tracing thread does not wait
 * for it. (test: test_fuse.sh)
 */
#ifndef SUPERVISOR_EXAMINER_H
#define SUPERVISOR_EXAMINER_H

#include <stdbool.h>

struct image;

enum examiner_kind {
	EXAMINER_TRACES,    /* does the program call ptrace, judging by the names in its file? */
	EXAMINER_PRIVILEGE, /* does the process lack the privileges that its file would give? */
};

/* A question, allocated by whoever asks it. */
struct examiner_question {
	enum examiner_kind kind;
	int pid;
	const struct image *image; /* borrowed; not read by the examiner */
	int fd;                    /* of the executable, O_PATH; owned */
	char status[4096];         /* EXAMINER_PRIVILEGE: /proc/PID/status of the process */
	bool yes;                  /* the answer */
};

struct examiner {
	bool failed;    /* the thread cannot be started */
	int socket;     /* to the thread; valid if @started */
	bool started;   /* false in a zeroed structure: not yet */
	unsigned asked; /* answers to come */
};

/* Never blocks. True: @question is the examiner's until it is answered. */
bool examiner_ask(struct examiner *examiner, struct examiner_question *question);
/* The next answer, owned by the caller; NULL: none within @most_ms. */
struct examiner_question *examiner_answer(struct examiner *examiner, int most_ms);
/* Closes and frees. */
void examiner_forget(struct examiner_question *question);
/* The thread ends by itself once it is idle. */
void examiner_release(struct examiner *examiner);

/*
 * Does a process with this /proc/PID/status lack the privileges that its file of this mode and
 * owner would give? @capabilities: the file has some. Pure.
 */
bool examiner_lost_privilege(
	const char *status, unsigned mode, unsigned uid, unsigned gid, bool capabilities);

#endif
