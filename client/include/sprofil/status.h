/* SPDX-License-Identifier: MIT */
/*
 * How the profiling that sprofil() or profil() turned on stands, and so whether its counts can be
 * believed. For every dialect.
 *
 *	struct sprofil_state s;
 *
 *	sprofil(NULL, 0, NULL, 0);
 *	if (sprofil_status(&s, sizeof(s)) == 0 && s.lost + s.faulted + s.full > 0)
 *		warnx("the histogram is not whole");
 */
#ifndef SPROFIL_STATUS_H
#define SPROFIL_STATUS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SPROFIL_OFF   0 /* it was not turned on, or was turned off by a call */
#define SPROFIL_ON    1
#define SPROFIL_ENDED 2 /* it was turned on, and counts no more: see reason */

#define SPROFIL_NO_REASON 0
#define SPROFIL_FAULT     1 /* a counter was out of reach, and without it nothing is left to do */
#define SPROFIL_FULL      2 /* System V: a counter has reached 32767 */
#define SPROFIL_HIDDEN    3 /* this program's memory is out of reach: setuid, PR_SET_DUMPABLE */
#define SPROFIL_GONE      4 /* the supervisor has gone; the figures with it, they are 0 */

#define SPROFIL_DEAD_LISTED 14

/*
 * The figures are ticks since the table was put in force. The counters hold as many as @counted
 * says, less what the program itself did to them.
 */
struct sprofil_state {
	uint32_t state;
	uint32_t reason;    /* of SPROFIL_ENDED */
	uint64_t tick_ns;   /* CPU time of one tick; 0: there was no table */
	uint64_t counted;   /* went into the counters */
	uint64_t outside;   /* of addresses that no region has a counter for */
	uint64_t full;      /* found their counter full */
	uint64_t faulted;   /* their counter was not writable memory */
	uint64_t lost;      /* could not be counted in time */
	uint32_t regions;   /* in the table */
	uint32_t dead;      /* of them, turned off because a counter was not writable memory */
	int32_t supervisor; /* its process number, 0: there is none */
	uint32_t first_dead[SPROFIL_DEAD_LISTED]; /* numbers of the first dead regions */
	uint32_t zero;
};

/*
 * Fills in *@status, @size bytes: sizeof(struct sprofil_state). After "off" the figures are the
 * last of what was.
 *
 * Returns 0, or -1 with errno EFAULT, EINVAL (@size is none that was ever right), ENODATA (it was
 * turned off on a way that brings no figures: after setuid or chroot), EPERM (the supervisor cannot
 * be seen or cannot see us), EMFILE, ENFILE, ETIMEDOUT. Async-signal-safe and thread-safe.
 */
int sprofil_status(struct sprofil_state *status, size_t size);

#ifdef __cplusplus
}
#endif

#endif
