/* SPDX-License-Identifier: MIT */
/*
 * Shared by the files of libsprofil. Everything here is async-signal-safe: it makes system calls,
 * takes no locks, allocates nothing, and uses less than 16 KiB of stack. (Not so monitor.h and
 * all.h.)
 */
#ifndef CLIENT_CLIENT_H
#define CLIENT_CLIENT_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/time.h>

#include "proto/call.h"

#define CLIENT_ENTRY_BYTES 32 /* size of struct prof in every dialect */
#define CLIENT_ENTRIES     32 /* entries copied at a time */

#define CLIENT_PUBLIC __attribute__((visibility("default")))

/* One call of sprofil() or profil(). Zero-initialize, then fill in. */
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
	struct timeval *tick; /* NULL, or where the program wants the period; not trusted */
};

/*
 * Returns the number of the table now in force, see client_table(); 0: profiling was turned off, or
 * the call was about a thread's own table; -errno: nothing has changed, but after -ETIMEDOUT or
 * -EPERM the table may be in force all the same (sprofil(3)).
 */
int client_run(const struct client_call *call);
/* client_run() for profil(): one buffer of 16-bit counters. */
int client_run_buffer(enum call_dialect dialect, uint32_t flags, const void *buff, size_t bufsiz,
	size_t offset, unsigned scale);

/* client_run() for the native sprofil(). @more: request flags (enum call_flags) besides @flags. */
int dialects_native(
	const void *profp, int profcnt, struct timeval *tvp, unsigned flags, uint32_t more);

/* Returns -1 with errno if @r is -errno, otherwise 0. */
int client_result(int r);

#define CLIENT_STANDARD 3 /* number of standard descriptors */

/*
 * A pipe for safe access to memory that may be unmapped, or for the supervisor's answer; one pipe
 * is not used for both. While it is open, the thread cannot be cancelled, because its descriptors
 * would leak, and the standard descriptors that the program has closed are held, so that no other
 * descriptor of the call gets such a number. Closing the pipe restores errno. client_pipe_open()
 * returns 0 or -errno.
 */
struct client_pipe {
	int read_fd, write_fd;
	int standard[CLIENT_STANDARD]; /* @held descriptors that hold a number; -1: none */
	unsigned held;
	int cancel, error; /* what closing restores: thread's cancel state, errno */
};
int client_pipe_open(struct client_pipe *pipe);
void client_pipe_close(const struct client_pipe *pipe);

/*
 * These copy @bytes (at most 4096) from or to the caller's memory through an empty pipe: at a bad
 * address, the kernel returns EFAULT and raises no SIGSEGV. Return 0 or -EFAULT.
 */
int client_copy_in(const struct client_pipe *pipe, void *to, const void *from, size_t bytes);
int client_copy_out(const struct client_pipe *pipe, void *to, const void *from, size_t bytes);

/*
 * Copies the value of the environment variable @name (at most 30 bytes) to @to, which has @room
 * bytes. Returns the value's length; -ENOENT: not set, or unreadable; -ENOSPC: value too long.
 */
int client_environment(const char *name, char *to, size_t room);

/*
 * Opens the request pipe of the supervisor that traces us. -ENOENT: nobody traces us; -EPERM: the
 * tracer is no supervisor, but for example a debugger; -EACCES: we may not see the tracer's
 * descriptors; -ENODATA: there is no /proc; -EMFILE, -ENFILE: no descriptor is free for the search
 * or for the pipe.
 */
int client_find(void);

/*
 * Turns profiling off by a signal to this thread (proto/call.h, CALL_OFF_FIRST). 0: done, or no
 * supervisor was there. -EPERM: no signal can be used, or tgkill(2) failed.
 */
int client_turn_off(void);
/*
 * Asks the tracer, by a signal, whether it can access our memory. -EPERM: it cannot, perhaps
 * because we are not dumpable. 0: it can, or has not answered.
 */
int client_ask_reach(void);
/*
 * In a table of elapsed time, a blocked thread's ticks are written only at the next stop of a
 * thread of the process. client_note_elapsed() notes that this process has had such a table. From
 * then on, client_catch_up() makes the supervisor stop this thread now, by a status request
 * (CALL_STATUS).
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
 * Starts a helper that traces us. 0; -EPERM: not permitted, see client_refusal(); -EBUSY: another
 * supervisor traces us; or another -errno.
 */
int client_start(void);
/*
 * Returns why the last call that needed a helper failed with EPERM: SPROFIL_NO_HELPER,
 * SPROFIL_REFUSED or SPROFIL_FOREIGN_PROC; 0: it did not fail so, or profiling was turned on since.
 */
uint32_t client_refusal(void);
void client_note_refusal(uint32_t reason);
/*
 * Does /proc show this process under its own pid? 0: yes; -ENODATA: no, /proc is missing or of
 * another pid namespace; -EMFILE, -ENFILE: no descriptor is free to find out.
 */
int client_check_proc(void);

/* The supervisor's answer. A status follows an answer to CALL_STATUS or "off". */
struct client_reply {
	struct call_answer answer;
	bool has_status;
	struct call_status status;
};

/*
 * Sends the table, or with @off the request to turn off, and waits for the answer. Entries are
 * copied through @pipe, which is empty before and after. Returns the answer's result, 0 or -errno;
 * -EPIPE: the supervisor has ended; -ESRCH: the supervisor does not trace us; -ETIMEDOUT: no answer
 * came; or another -errno.
 */
int client_converse(int request_fd, const struct client_pipe *pipe, const struct client_call *call,
	bool off, struct client_reply *ret_reply);

/* Returns CLOCK_MONOTONIC in ms. */
uint64_t client_now_ms(void);
/*
 * poll() until that clock shows @until_ms: signals with handlers do not prolong it. Returns the
 * number of ready descriptors; 0: time is up; -1 with errno: poll() fails, other than by EINTR.
 */
int client_poll(struct pollfd *fds, unsigned n, uint64_t until_ms);

/*
 * For sprofil_status() and client_table(): client_note_on() notes that a table is in force, and
 * returns its number. client_note_off() notes that the table was turned off; @status is its final
 * status, or NULL if none came.
 */
int client_note_on(void);
void client_note_off(const struct call_status *status);
/*
 * Returns a number, greater than 0, that changes when a call puts a table of the process in force
 * or turns it off. While it equals a result of client_run(), the table of that client_run() is
 * neither replaced nor turned off. If calls overlap, the last to return counts. A forked child
 * inherits number and table.
 */
int client_table(void);
/* Do this process's calls say that a table of the process is in force? */
bool client_has_table(void);

/*
 * Reads region @i of the table. *@entries holds a block of entries, copied when needed; the caller
 * zeroes it before the first call. Returns 0, or -EFAULT: the table cannot be read.
 */
struct client_entries {
	uint8_t bytes[CLIENT_ENTRIES * CLIENT_ENTRY_BYTES];
	uint32_t first, count;
};
int client_region(const struct client_call *call, const struct client_pipe *pipe,
	struct client_entries *entries, uint32_t i, struct call_region *ret_region);

#endif
