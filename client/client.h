/* SPDX-License-Identifier: MIT */
/*
 * What the files of libsprofil share. Everything here is async-signal-safe: system calls and the
 * stack only, no locks, no allocation. About 8 KiB of stack are needed. (What is built on it for
 * convenience is not: monitor.h, all.h.)
 */
#ifndef CLIENT_CLIENT_H
#define CLIENT_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/time.h>

#include "proto/call.h"

#define CLIENT_ENTRY_BYTES 32 /* struct prof of every dialect */
#define CLIENT_ENTRIES     32 /* entries that are copied at a time */

#define CLIENT_PUBLIC __attribute__((visibility("default")))

/* One call. Zero-initialize, then fill in. */
struct client_call {
	enum call_dialect dialect;
	uint32_t flags; /* enum call_flags */
	unsigned element;
	uint32_t count;
	const void *table; /* @count entries in the caller's memory, not to be trusted; or NULL: */
	struct call_region one; /* the only region */
	/* Makes a region of an entry of the table. */
	void (*decode)(const uint8_t entry[CLIENT_ENTRY_BYTES], struct call_region *ret_region);
	/* 0 or -EINVAL: region @i; @before is the one before it, NULL for the first. */
	int (*check)(const struct client_call *call, uint32_t i, const struct call_region *region,
		const struct call_region *before);
	struct timeval *tick; /* where to tell the period, or NULL; not to be trusted */
};

/* Performs the call: 0 or -errno. Nothing has changed when it fails. */
int client_run(const struct client_call *call);

/*
 * sprofil() of the native dialect, with @more flags of the request (dialects.c). 0 or -errno.
 */
int dialects_native(
	const void *profp, int profcnt, struct timeval *tvp, unsigned flags, uint32_t more);

/* Turns 0 or -errno into what a C function returns. */
int client_result(int r);

/*
 * A pipe that serves as a safe way to and from memory that may not be there, and for the answer.
 * While it is open the thread is not cancelled, for that would leave the descriptors behind; after
 * it errno is what it was before.
 */
struct client_pipe {
	int read_fd, write_fd;
	int cancel, error;
};
int client_pipe_open(struct client_pipe *pipe);
void client_pipe_close(const struct client_pipe *pipe);

/*
 * Copies between the caller's memory and ours (@bytes <= 4096) through an empty pipe: the kernel
 * says EFAULT where a dereference would be a SIGSEGV.
 */
int client_copy_in(const struct client_pipe *pipe, void *to, const void *from, size_t bytes);
int client_copy_out(const struct client_pipe *pipe, void *to, const void *from, size_t bytes);

/*
 * The value of the environment variable @name (at most 30 bytes) to @to, which has @room bytes. Its
 * length; -ENOENT: there is none; -ENOSPC: it does not fit.
 */
int client_environment(const char *name, char *to, size_t room);

/*
 * Opens the request pipe of the supervisor that traces us. -ENOENT: nobody traces us; -EPERM:
 * somebody else does (a debugger); -EACCES: somebody does, but we may not see who; -ENODATA: it
 * cannot be told (no /proc).
 */
int client_find(void);

/*
 * Turns profiling off by a signal to this thread (proto/call.h, CALL_OFF_FIRST). 0: no supervisor
 * counts for this process any more. -EPERM: there is no signal to be had for it.
 */
int client_turn_off(void);
/*
 * Asks the tracer by such a signal whether it can reach our memory. -EPERM: it cannot, as when we
 * are not dumpable. 0: it can, or that is not known.
 */
int client_ask_reach(void);
/*
 * The supervisor keeps what blocked threads owe to a table of elapsed time until a thread of the
 * process stops. client_note_elapsed(): there is such a table. client_catch_up(): if there was one,
 * has this thread stopped, by a question (CALL_STATUS).
 */
void client_note_elapsed(void);
void client_catch_up(const struct client_pipe *pipe);
/* Not dumpable: a supervisor of the same user cannot look into us. */
bool client_is_hidden(void);
/* The supervisor that was found last, 0: none. */
int client_supervisor(void);
/* What is remembered of the supervisor is wrong. */
void client_forget(void);
/* Remembers where the request pipe is. */
void client_remember(uint32_t pid, int descriptor, uint64_t inode);

/* Starts a helper that traces us. 0, or -EPERM where that is refused. */
int client_start(void);

/* What the supervisor answers; with a status to CALL_STATUS and to "off". */
struct client_reply {
	struct call_answer answer;
	bool has_status;
	struct call_status status;
};

/*
 * Talks to the supervisor: sends the table (with @off: the request to turn off) and waits for the
 * answer. -EPIPE: the supervisor died; -ESRCH: it does not trace us.
 */
int client_converse(int request_fd, const struct client_pipe *pipe, const struct client_call *call,
	bool off, struct client_reply *ret_reply);

/*
 * For sprofil_status(). client_note_on(): a table is in force. client_note_off(): none is any more;
 * @status is what the supervisor told of the last one, NULL nothing.
 */
void client_note_on(void);
void client_note_off(const struct call_status *status);

/* Region @i of the table; entries are copied some at a time into @entries (zeroed at first). */
struct client_entries {
	uint8_t bytes[CLIENT_ENTRIES * CLIENT_ENTRY_BYTES];
	uint32_t first, count;
};
int client_region(const struct client_call *call, const struct client_pipe *pipe,
	struct client_entries *entries, uint32_t i, struct call_region *ret_region);

#endif
