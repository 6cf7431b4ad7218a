/* SPDX-License-Identifier: MIT */
/*
 * Threads that touch pages of the target. A process may have to deliver such a page: a file system
 * in user space (FUSE), a server of userfaultfd. That process may be stopped now, so the tracing
 * thread waits for the courier for COURIER_WAIT_NS at most, and then does without the page; the
 * courier keeps waiting. A courier writes nothing, so a late page does no harm. (test:
 * test_undelivered.sh)
 */
#ifndef SUPERVISOR_COURIER_H
#define SUPERVISOR_COURIER_H

#include <stdbool.h>
#include <stdint.h>

#define COURIER_WAIT_NS 5000000
/* No further courier is started while this many wait for pages. */
#define COURIERS_MOST 8

/* COURIER_AWAY: the courier waits for a page. */
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
 * Has a courier touch @pages pages of @tid's process, from address @at on. Returns the number of
 * pages before the first that cannot be read (with @write: that cannot be written to without
 * waiting for a process). -ETIMEDOUT: a page is not there yet, or no courier is free; another
 * -errno: no page can be read. *@away is the number (from 1 on) of the courier that still waits for
 * a page of this process: until it is back, no other is sent. 0: no courier waits. May run in the
 * stop window, but a courier's first use creates a thread.
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
