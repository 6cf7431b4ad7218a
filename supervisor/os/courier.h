/* SPDX-License-Identifier: MIT */
/*
 * Threads that touch pages of the target. A page may have to be delivered by a process: a file
 * system in user space (FUSE), a server of userfaultfd. That process may be one that is stopped
 * now, so the tracing thread waits for a courier for COURIER_WAIT_NS at most, and then does without
 * the page; the courier keeps waiting, and another one is started. A courier writes nothing, so a
 * late page does no harm. (test: test_undelivered.sh)
 */
#ifndef SUPERVISOR_COURIER_H
#define SUPERVISOR_COURIER_H

#include <stdbool.h>
#include <stdint.h>

#define COURIER_WAIT_NS 5000000
/* With this many couriers waiting for pages, no further one is started. */
#define COURIERS_MOST 8

/* COURIER_AWAY: the courier waits for a page. */
enum courier_state { COURIER_NONE, COURIER_IDLE, COURIER_AWAY };

/* Zeroed: no courier has been started. */
struct couriers {
	struct courier {
		enum courier_state state;
		int socket; /* to the thread; valid unless COURIER_NONE */
	} courier[COURIERS_MOST];
	uint64_t given_up; /* times that a page was not there in time */
};

/*
 * Touches @pages pages of the process of @tid, from address @at on, until one of them cannot be
 * read, or written to if @write is set. Returns how many can be used without waiting for another
 * process; -ETIMEDOUT: a page is not there yet; another -errno: none can be read. *@away is 0, or
 * the number (from 1 on) of the courier that still waits for a page of this process: meanwhile, no
 * other one is sent.
 *
 * May run in the stop window, except that the first use of a courier creates a thread.
 */
int couriers_send(struct couriers *couriers, unsigned *away, int tid, uint64_t at, unsigned pages,
	bool write);
/* Ends idle couriers at once, others when they have got their page. */
void couriers_release(struct couriers *couriers);

/*
 * Can a shared mapping of this device be written to without waiting for another process?
 * @mountinfo: the text of a /proc/PID/mountinfo, "36 35 98:0 / /mnt rw,noatime master:1 - ext4
 * /dev/sda rw\n". Pure.
 */
bool courier_may_write(const char *mountinfo, unsigned major, unsigned minor);

#endif
