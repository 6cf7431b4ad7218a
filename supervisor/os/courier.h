/* SPDX-License-Identifier: MIT */
/*
 * Couriers: threads that touch pages of the target in place of the tracing thread.
 *
 * A page may be missing in memory until a process delivers it: a file system in user space (FUSE),
 * or a server of userfaultfd. That process may be stopped just now. So the tracing thread waits for
 * the courier for at most COURIER_WAIT_NS, and then does without the page, while the courier keeps
 * waiting. A courier writes nothing, so it does no harm if the page comes later. (test:
 * test_undelivered.sh)
 */
#ifndef SUPERVISOR_COURIER_H
#define SUPERVISOR_COURIER_H

#include <stdbool.h>
#include <stdint.h>

#define COURIER_WAIT_NS 5000000
/* No further courier is started while this many wait for pages. */
#define COURIERS_MOST 8

/* NONE: not started yet. IDLE: waits for a request. AWAY: waits for a page. */
enum courier_state { COURIER_NONE, COURIER_IDLE, COURIER_AWAY };

/* Zeroed: no courier has been started. */
struct couriers {
	struct courier {
		enum courier_state state;
		int socket; /* connection to the thread; valid unless COURIER_NONE */
	} courier[COURIERS_MOST];
	uint64_t given_up; /* number of times that a page was not there in time */
};

/*
 * Has a courier touch @pages pages of @tid's process, from address @at on. May run in the stop
 * window, but a courier's first use creates a thread.
 *
 * Returns the number of pages before the first one that cannot be read; with @write, before the
 * first one that cannot be written to without waiting for a process. -ETIMEDOUT: a page has not
 * come yet, or no courier is free. Another -errno: the first page cannot be read.
 *
 * *@away belongs to the process: the number, from 1 on, of a courier that still waits for one of
 * its pages; 0: none does. Until that courier is back, no other is sent.
 */
int couriers_send(struct couriers *couriers, unsigned *away, int tid, uint64_t at, unsigned pages,
	bool write);
/* Ends idle couriers at once, others when their page has come. */
void couriers_release(struct couriers *couriers);

/*
 * Can a shared mapping of this device be written to without waiting for a process? @mountinfo: text
 * of /proc/PID/mountinfo, "36 35 98:0 / /mnt rw,noatime master:1 - ext4 /dev/sda rw\n". Pure.
 */
bool courier_may_write(const char *mountinfo, unsigned major, unsigned minor);

#endif
