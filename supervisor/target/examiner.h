/* SPDX-License-Identifier: MIT */
/*
 * A thread that examines executables of the target. The file system of such a file may be served by
 * the target itself (FUSE), and the server may be in a ptrace-stop. So the tracing thread never
 * accesses these files, and waits for no answer without a limit. (test: test_fuse.sh)
 */
#ifndef SUPERVISOR_EXAMINER_H
#define SUPERVISOR_EXAMINER_H

#include <stdbool.h>

struct image;

enum examiner_kind {
	EXAMINER_TRACES,    /* does the program call ptrace, by the names in its file? */
	EXAMINER_PRIVILEGE, /* does the process lack the privileges that its file would give? */
};

/* A question, allocated with malloc() by the caller of examiner_ask(). */
struct examiner_question {
	enum examiner_kind kind;
	int pid;
	const struct image *image; /* borrowed; not read by the examiner */
	int fd;                    /* descriptor (O_PATH) of the executable; owned */
	char status[4096];         /* EXAMINER_PRIVILEGE: /proc/PID/status of the process */
	bool yes;                  /* the answer */
};

struct examiner {
	bool failed; /* the thread cannot be started */
	int socket;  /* connection to the thread; valid if @started */
	bool started;
	unsigned asked; /* questions not answered yet */
};

/*
 * Never blocks. True: the examiner owns @question until examiner_answer() returns it. False: it is
 * not asked, and stays the caller's.
 */
bool examiner_ask(struct examiner *examiner, struct examiner_question *question);
/* Returns the next answered question, owned by the caller; NULL: none within @most_ms. */
struct examiner_question *examiner_answer(struct examiner *examiner, int most_ms);
/* Closes the question's descriptor and frees it. */
void examiner_forget(struct examiner_question *question);
/* Closes the connection to the thread, which ends by itself once it is idle. */
void examiner_release(struct examiner *examiner);

/*
 * Does a process with this /proc/PID/status lack privileges that its executable would give it, by
 * the file's mode, owner and group? @capabilities: the file has file capabilities. Pure.
 */
bool examiner_lost_privilege(
	const char *status, unsigned mode, unsigned uid, unsigned gid, bool capabilities);

#endif
