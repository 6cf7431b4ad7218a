/* SPDX-License-Identifier: MIT */
/* Performs a call, from its arguments to its result. */
#include "client/client.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>

#include "client/include/sprofil/status.h"

#define ATTEMPTS 64 /* about 4 s with the pauses */
#define REFUSALS 4  /* a call fails after this many attempts with -EPERM */

static bool is_enabled(const struct client_call *call, const struct call_region *region)
{
	if (region->bytes < call->element)
		return false;
	return call->dialect == CALL_AIX ? (region->scale & 0xffff) != 0 : region->scale >= 2;
}

/* Can the region count? (AIX's ranges may be empty.) If none can, the call turns profiling off. */
static bool is_active(const struct client_call *call, const struct call_region *region)
{
	return is_enabled(call, region) && (!region->limit || region->limit > region->offset);
}

/* Would the region's buffer reach beyond the highest address? That is an error. */
static bool wraps_around(const struct call_region *region)
{
	return region->bytes && region->base > UINT64_MAX - (region->bytes - 1);
}

/* Returns 1 if any region is active, 0 if none is, or -errno. *@ret_last: the last region. */
static int check_table(const struct client_call *call, const struct client_pipe *pipe,
	struct call_region *ret_last)
{
	struct client_entries entries = {.count = 0};
	struct call_region region, before = {0};
	int active = 0, r, error = 0;

	for (uint32_t i = 0; i < call->count; i++) {
		r = client_region(call, pipe, &entries, i, &region);
		if (r < 0)
			return r; /* EFAULT takes precedence over EINVAL. */
		if (!error && call->check)
			error = call->check(call, i, &region, i ? &before : NULL);
		if (!error && is_enabled(call, &region) && wraps_around(&region))
			error = -EINVAL;
		active |= is_active(call, &region);
		before = region;
	}
	*ret_last = before;
	return error ? error : active;
}

static struct timeval tick_of(uint64_t ns)
{
	return (struct timeval){.tv_sec = (time_t)(ns / 1000000000),
		.tv_usec = (suseconds_t)(ns % 1000000000 / 1000)};
}

/* Can *@tick be written? Tries by writing back its content. */
static int probe_tick(const struct client_pipe *pipe, struct timeval *tick)
{
	struct timeval old;

	if (client_copy_in(pipe, &old, tick, sizeof(old)) < 0)
		return -EFAULT;
	return client_copy_out(pipe, tick, &old, sizeof(old));
}

static void nap(unsigned ms)
{
	struct timespec time = {0, (long)ms * 1000000};

	(void)nanosleep(&time, NULL);
}

/*
 * Turns profiling off after client_find() failed with @found. Nothing may be counted from here on,
 * as the program may free the memory. After setuid or chroot, or in another pid namespace
 * (TracerPid 0), the supervisor cannot be seen, but client_turn_off() reaches it (test: live_off).
 */
static int try_without_pipe(int found)
{
	int r;

	if (found == -EPERM) /* Another program traces us, as client_find() has seen. */
		return 0;
	r = client_turn_off();
	return r < 0 && found == -ENOENT ? 0 : r;
}

/*
 * Tries once to find or start the supervisor and to send it the request. Returns the call's result;
 * -EBUSY: another attempt may succeed, because a supervisor came or went meanwhile, or dropped our
 * table for another one.
 */
static int try_to_reach(const struct client_call *call, const struct client_pipe *pipe, bool off,
	struct client_reply *ret_reply)
{
	int fd, r;

	if (client_is_hidden()) {
		/* A signal turns off the whole process, so a thread's table needs the pipe. */
		bool by_pipe = !off || call->flags & CALL_THREAD;
		bool reached = by_pipe && client_ask_reach() == 0;

		if (off && !reached && client_turn_off() == 0)
			return 0;
		if (!off && !reached)
			return -EPERM;
	}
	fd = client_find();
	if (off && (fd == -ENOENT || fd == -ENODATA || fd == -EPERM || fd == -EACCES))
		return try_without_pipe(fd);
	if (fd == -ENOENT || fd == -ENODATA) {
		r = client_start();
		return r < 0 ? r : -EBUSY; /* Now the supervisor can be found. */
	}
	if (fd < 0)
		return fd == -EACCES ? -EPERM : fd;
	r = client_converse(fd, pipe, call, off, ret_reply);
	(void)close(fd);
	if (r != -EPIPE && r != -ESRCH)
		return r;
	client_forget();
	return -EBUSY;
}

/* Returns -EPERM. If profiling was to be turned on and no reason is noted: SPROFIL_REFUSED. */
static int refuse(bool off)
{
	if (!off && !client_refusal())
		client_note_refusal(SPROFIL_REFUSED);
	return -EPERM;
}

/*
 * Repeats attempts while supervisors come and go. Pauses grow, as many threads may do this at once.
 * -EPERM counts only after REFUSALS attempts: a supervisor that is ending looks like a foreign
 * tracer, because its /proc/PID disappears before TracerPid does.
 */
static int reach(const struct client_call *call, const struct client_pipe *pipe, bool off,
	struct client_reply *ret_reply)
{
	unsigned refused = 0, wait_ms = 0;

	if (!off)
		client_note_refusal(SPROFIL_NO_REASON);
	for (unsigned i = 0; i < ATTEMPTS; i++) {
		int r = try_to_reach(call, pipe, off, ret_reply);

		/* A hidden process got no answer: the supervisor could not read the seal. */
		if (r == -ETIMEDOUT && client_is_hidden())
			return refuse(off);
		if (r == -EPERM ? ++refused == REFUSALS : r != -EBUSY)
			return r == -EPERM ? refuse(off) : r;
		if (i == 0)
			continue; /* No pause: usually the supervisor was just started. */
		if (wait_ms < 64)
			wait_ms = wait_ms ? 2 * wait_ms : 1;
		nap(wait_ms);
	}
	return refuse(off);
}

/* Copies a table of one entry, the common case, only once: sets @call->one and no table. */
static int perform(struct client_call *call, const struct client_pipe *pipe)
{
	struct client_reply reply = {
		.answer.tick_ns = call_period_ns(call->dialect, call->flags), .has_status = false};
	struct call_region last;
	int r = check_table(call, pipe, &last);
	int table = 0;
	struct timeval tick;
	bool off = r == 0;

	if (r < 0)
		return r;
	if (call->count == 1) {
		call->table = NULL;
		call->one = last;
	}
	if (call->tick && probe_tick(pipe, call->tick) < 0)
		return -EFAULT;
	client_catch_up(pipe);
	r = reach(call, pipe, off, &reply);
	if (r < 0)
		return r;
	if (call->flags & CALL_WALL)
		client_note_elapsed();
	if (call->flags & CALL_THREAD)
		; /* A thread's own table: the process's table, and its status, are unchanged. */
	else if (off)
		client_note_off(reply.has_status ? &reply.status : NULL);
	else
		table = client_note_on();
	if (call->tick) {
		tick = tick_of(reply.answer.tick_ns);
		r = client_copy_out(pipe, call->tick, &tick, sizeof(tick));
	}
	return r < 0 ? r : table;
}

/*
 * Turns profiling off by a signal after a call failed with @error for want of descriptors: the
 * program may free its buffers even so, as most calls of the manuals cannot fail. Other calls, and
 * those for a thread's table or with a table in the caller's memory, just fail. Returns 0 or
 * @error.
 */
static int run_without_descriptors(const struct client_call *call, int error)
{
	struct call_region last;

	if ((call->table && call->count) || call->flags & CALL_THREAD ||
		check_table(call, NULL, &last) != 0 || client_turn_off() < 0)
		return error;
	client_note_off(NULL);
	return 0;
}

int client_run(const struct client_call *call)
{
	struct client_call own = *call;
	struct client_pipe pipe;
	int r = client_pipe_open(&pipe);

	if (r == 0) {
		r = perform(&own, &pipe);
		client_pipe_close(&pipe);
	}
	return r == -EMFILE || r == -ENFILE ? run_without_descriptors(call, r) : r;
}
