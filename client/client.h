/* SPDX-License-Identifier: MIT */
/*
 * Shared by the files of libsprofil. Everything here is async-signal-safe: only system calls and
 * the stack, no locks, no allocation. About 8 KiB of stack are needed. (The convenience functions
 * on top, monitor.h and all.h, are not async-signal-safe.)
 */
#ifndef CLIENT_CLIENT_H
#define CLIENT_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/time.h>

#include "proto/call.h"

#define CLIENT_ENTRY_BYTES 32 /* size of struct prof in every dialect */
#define CLIENT_ENTRIES     32 /* entries copied at a time */

#define CLIENT_PUBLIC __attribute__((visibility("default")))

/* One call. Zero-initialize, then fill in. */
struct client_call {
	enum call_dialect dialect;
	uint32_t flags; /* enum call_flags */
	unsigned element;
	uint32_t count;
	const void *table;      /* @count entries in the caller's memory, not trusted; NULL: @one */
	struct call_region one; /* the only region, if @table is NULL */
	/* Converts an entry of the table to a region. */
	void (*decode)(const uint8_t entry[CLIENT_ENTRY_BYTES], struct call_region *ret_region);
	/* Checks region @i; @before is the region before it, NULL for the first. 0 or -EINVAL. */
	int (*check)(const struct client_call *call, uint32_t i, const struct call_region *region,
		const struct call_region *before);
	struct timeval *tick; /* where to write the period, or NULL; not trusted */
};

/*
 * Performs the call. Returns the number of the table that is now in force, see client_table(); 0:
 * the call has turned profiling off, or was about the table of a thread; or -errno: nothing has
 * changed, except perhaps if it is -ETIMEDOUT or -EPERM (sprofil(3)).
 */
int client_run(const struct client_call *call);
/* Performs profil() by client_run(): one buffer of 16-bit counters. Same result. */
int client_run_buffer(enum call_dialect dialect, uint32_t flags, const void *buff, size_t bufsiz,
	size_t offset, unsigned scale);

/*
 * Performs sprofil() of the native dialect; @more: further flags of the request (dialects.c).
 * Result as of client_run().
 */
int dialects_native(
	const void *profp, int profcnt, struct timeval *tvp, unsigned flags, uint32_t more);

/* Converts -errno to the result of a C function, -1 with errno, and others to 0. */
int client_result(int r);

/*
 * A pipe through which memory that may not be mapped is accessed safely, or through which the
 * supervisor answers a request; never both. While it is open, the thread cannot be cancelled,
 * because a cancellation would leak the descriptors. Closing it restores errno. client_pipe_open():
 * 0 or -errno.
 */
struct client_pipe {
	int read_fd, write_fd;
	int cancel, error; /* to be restored: the cancel state of the thread, errno */
};
int client_pipe_open(struct client_pipe *pipe);
void client_pipe_close(const struct client_pipe *pipe);

/*
 * Copy @bytes, 4096 at most, from or to the caller's memory through an empty pipe: where a
 * dereference would raise SIGSEGV, the kernel returns EFAULT. 0 or -EFAULT.
 */
int client_copy_in(const struct client_pipe *pipe, void *to, const void *from, size_t bytes);
int client_copy_out(const struct client_pipe *pipe, void *to, const void *from, size_t bytes);

/*
 * Copies the value of the environment variable @name (at most 30 bytes) to @to, which has @room
 * bytes. Returns the length of the value; -ENOENT: not set; -ENOSPC: it does not fit.
 */
int client_environment(const char *name, char *to, size_t room);

/*
 * Opens the request pipe of the supervisor that traces us. -ENOENT: no tracer; -EPERM: another
 * program traces us (a debugger); -EACCES: there is a tracer, but we may not see which; -ENODATA:
 * unknown (no /proc).
 */
int client_find(void);

/*
 * Turns profiling off by a signal to this thread (proto/call.h, CALL_OFF_FIRST). 0: no supervisor
 * counts for this process any more. -EPERM: no suitable signal.
 */
int client_turn_off(void);
/*
 * Asks the tracer whether it can access our memory; the question is a signal, as in
 * client_turn_off(). -EPERM: it cannot, for example because we are not dumpable. 0: it can, or that
 * is unknown.
 */
int client_ask_reach(void);
/*
 * In a table of elapsed time, the ticks of a blocked thread appear only at the next stop of some
 * thread of the process. client_note_elapsed(): such a table is in force. client_catch_up(): if
 * such a table was in force, makes the supervisor stop this thread, by a status request
 * (CALL_STATUS), so that the ticks are written now.
 */
void client_note_elapsed(void);
void client_catch_up(const struct client_pipe *pipe);
/* Are we not dumpable? Then a supervisor of the same user cannot access our memory. */
bool client_is_hidden(void);
/* Returns the pid of the supervisor found last; 0: none. */
int client_supervisor(void);
/* Forgets the last supervisor found. */
void client_forget(void);
/* Remembers the request pipe of the supervisor @pid, for client_find(). */
void client_remember(uint32_t pid, int descriptor, uint64_t inode);

/*
 * Starts a helper that traces us. 0; -EPERM: that is not permitted, see client_refusal(); -EBUSY:
 * another supervisor traces us; or another -errno.
 */
int client_start(void);
/*
 * Returns why the last call that needed a helper failed with EPERM: SPROFIL_NO_HELPER,
 * SPROFIL_REFUSED or SPROFIL_FOREIGN_PROC; 0: it did not fail, or profiling was turned on since.
 */
uint32_t client_refusal(void);
void client_note_refusal(uint32_t reason);
/*
 * Checks that /proc shows this process under its own pid. 0: it does; -ENODATA: /proc is missing,
 * or belongs to another pid namespace; -EMFILE, -ENFILE: unknown.
 */
int client_check_proc(void);

/* The supervisor's answer, and the status that follows it for CALL_STATUS and for "off". */
struct client_reply {
	struct call_answer answer;
	bool has_status;
	struct call_status status;
};

/*
 * Sends the table (with @off: the request to turn off) to the supervisor and waits for its answer.
 * Entries are copied through @pipe, which is empty before and after. Returns 0, or a -errno that
 * the answer has or that the dialogue met: -EPIPE: the supervisor has ended; -ESRCH: it does not
 * trace us; -ETIMEDOUT: there was no answer; -EMFILE, -ENFILE.
 */
int client_converse(int request_fd, const struct client_pipe *pipe, const struct client_call *call,
	bool off, struct client_reply *ret_reply);

/*
 * For sprofil_status() and client_table(). client_note_on(): a table is in force; returns its
 * number. client_note_off(): none is in force any more; @status: what the supervisor said of the
 * last one; NULL: nothing.
 */
int client_note_on(void);
void client_note_off(const struct call_status *status);
/*
 * Returns a number, greater than 0, that changes whenever a call puts a table of the process in
 * force or turns it off. As long as it is the number of a table, as client_run() has returned it,
 * that table was neither replaced nor turned off. Of calls of several threads at the same time, the
 * one that returns last counts as the last. A forked child inherits the number with the table.
 */
int client_table(void);
/* Is a table of the process in force, as far as its calls tell? */
bool client_has_table(void);

/*
 * Reads region @i of the table. Entries are copied in blocks into @entries, which is zeroed before
 * the first call. 0 or -EFAULT.
 */
struct client_entries {
	uint8_t bytes[CLIENT_ENTRIES * CLIENT_ENTRY_BYTES];
	uint32_t first, count;
};
int client_region(const struct client_call *call, const struct client_pipe *pipe,
	struct client_entries *entries, uint32_t i, struct call_region *ret_region);

#endif
