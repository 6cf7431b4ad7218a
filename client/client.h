/* SPDX-License-Identifier: MIT */
/*
 * Shared by the files of libsprofil. Everything here is async-signal-safe: system calls and about 8
 * KiB of stack, no locks, no allocation. (monitor.h and all.h are not.)
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
	struct timeval *tick; /* where the program wants the period, not trusted; or NULL */
};

/*
 * Returns the number of the table now in force, see client_table(); 0: profiling was turned off, or
 * the call was about a thread's own table; -errno: nothing has changed, except perhaps with
 * -ETIMEDOUT or -EPERM (sprofil(3)).
 */
int client_run(const struct client_call *call);
/* client_run() for profil(): one buffer of 16-bit counters. */
int client_run_buffer(enum call_dialect dialect, uint32_t flags, const void *buff, size_t bufsiz,
	size_t offset, unsigned scale);

/* client_run() for the native sprofil(). @more are flags of the request beside those of @flags. */
int dialects_native(
	const void *profp, int profcnt, struct timeval *tvp, unsigned flags, uint32_t more);

/* Returns -1 with errno if @r is -errno, otherwise 0. */
int client_result(int r);

/*
 * A pipe for safe access to memory that may be unmapped, or for the supervisor's answer; never for
 * both. While it is open, the thread cannot be cancelled, as that would leak the descriptors.
 * Closing it restores errno. client_pipe_open(): 0 or -errno.
 */
struct client_pipe {
	int read_fd, write_fd;
	int cancel, error; /* to be restored: the cancel state of the thread, errno */
};
int client_pipe_open(struct client_pipe *pipe);
void client_pipe_close(const struct client_pipe *pipe);

/*
 * Copy @bytes (at most 4096) from or to the caller's memory through an empty pipe: at a bad address
 * the kernel returns EFAULT instead of raising SIGSEGV. 0 or -EFAULT.
 */
int client_copy_in(const struct client_pipe *pipe, void *to, const void *from, size_t bytes);
int client_copy_out(const struct client_pipe *pipe, void *to, const void *from, size_t bytes);

/*
 * Copies the value of the environment variable @name (at most 30 bytes) to @to, which has @room
 * bytes. Returns the length of the value; -ENOENT: not set; -ENOSPC: it does not fit.
 */
int client_environment(const char *name, char *to, size_t room);

/*
 * Opens the request pipe of the supervisor that traces us. -ENOENT: nobody traces us; -EPERM: not
 * a supervisor, but for example a debugger traces us; -EACCES: we may not see who does; -ENODATA:
 * there is no /proc; -EMFILE, -ENFILE: no descriptor is free.
 */
int client_find(void);

/*
 * Turns profiling off by a signal to this thread (proto/call.h, CALL_OFF_FIRST). 0: no supervisor
 * counts for this process any more. -EPERM: no suitable signal.
 */
int client_turn_off(void);
/*
 * Asks the tracer, by a signal, whether it can access our memory. -EPERM: it cannot, perhaps
 * because we are not dumpable. 0: it can, or that is unknown.
 */
int client_ask_reach(void);
/*
 * In a table of elapsed time, a blocked thread's ticks are written only at the next stop of a
 * thread of the process. client_note_elapsed() notes that there is such a table. If there was one,
 * client_catch_up() makes the supervisor stop this thread now, by a status request (CALL_STATUS).
 */
void client_note_elapsed(void);
void client_catch_up(const struct client_pipe *pipe);
/* Are we not dumpable? Then a supervisor of the same user cannot access our memory. */
bool client_is_hidden(void);
/* Returns the pid of the supervisor that was found last; 0: none was found. */
int client_supervisor(void);
void client_forget(void);
/* Notes the request pipe of the supervisor @pid for client_find(). */
void client_remember(uint32_t pid, int descriptor, uint64_t inode);

/*
 * Starts a helper that traces us. 0; -EPERM: not permitted (client_refusal()); -EBUSY: another
 * supervisor traces us; or another -errno.
 */
int client_start(void);
/*
 * Returns why the last call that needed a helper failed with EPERM: SPROFIL_NO_HELPER,
 * SPROFIL_REFUSED or SPROFIL_FOREIGN_PROC; 0: it did not fail, or profiling was turned on since.
 */
uint32_t client_refusal(void);
void client_note_refusal(uint32_t reason);
/*
 * Does /proc show this process under its own pid? 0: yes; -ENODATA: /proc is missing, or of another
 * pid namespace; -EMFILE, -ENFILE: unknown.
 */
int client_check_proc(void);

/* The supervisor's answer, and the status that follows it for CALL_STATUS and for "off". */
struct client_reply {
	struct call_answer answer;
	bool has_status;
	struct call_status status;
};

/*
 * Sends the table, or with @off the request to turn off, and waits for the answer. Entries are
 * copied through @pipe, which is empty before and after. Returns the answer's 0 or -errno; -EPIPE:
 * the supervisor has ended; -ESRCH: it does not trace us; -ETIMEDOUT: no answer; or another -errno.
 */
int client_converse(int request_fd, const struct client_pipe *pipe, const struct client_call *call,
	bool off, struct client_reply *ret_reply);

/*
 * These are for sprofil_status() and client_table(). client_note_on() notes that a table is in
 * force, and returns its number. client_note_off() notes that it was turned off, with its final
 * @status, or NULL.
 */
int client_note_on(void);
void client_note_off(const struct call_status *status);
/*
 * Returns a number, greater than 0, that changes whenever a call puts a table of the process in
 * force or turns it off. While it equals a result of client_run(), that table was neither replaced
 * nor turned off. Of simultaneous calls, the one that returns last counts. A forked child inherits
 * the number with the table.
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
