/* SPDX-License-Identifier: MIT */
/*
 * The state of the profiling that sprofil() or profil() turned on, in every dialect: are its counts
 * complete?
 *
 *	struct sprofil_state s;
 *
 *	sprofil(NULL, 0, NULL, 0);
 *	if (sprofil_status(&s, sizeof(s)) == 0 && s.lost + s.faulted + s.full > 0)
 *		warnx("the histogram is not complete");
 */
#ifndef SPROFIL_STATUS_H
#define SPROFIL_STATUS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SPROFIL_OFF   0 /* not turned on, or turned off by a call */
#define SPROFIL_ON    1
#define SPROFIL_ENDED 2 /* turned on, but no longer counting: see reason */

#define SPROFIL_NO_REASON 0
#define SPROFIL_FAULT     1 /* a counter (AIX, System V), or one in each region, is inaccessible */
#define SPROFIL_FULL      2 /* System V: a counter has reached 32767 */
#define SPROFIL_HIDDEN    3 /* this program's memory is inaccessible: setuid, PR_SET_DUMPABLE */
#define SPROFIL_GONE      4 /* the supervisor has ended; its figures are lost, and 0 here */

/* Only with SPROFIL_OFF: why the last call to turn profiling on failed with EPERM. */
#define SPROFIL_NO_HELPER    5 /* sprofil-supervisor cannot be started: is its path right? */
#define SPROFIL_REFUSED      6 /* we may not be traced: Yama, seccomp, a debugger, not dumpable */
#define SPROFIL_FOREIGN_PROC 7 /* /proc is missing, or shows another pid namespace */

#define SPROFIL_DEAD_LISTED 14

/*
 * The figures are ticks since the table came into force. The sum of the counters is @counted, apart
 * from changes made by the program itself.
 */
struct sprofil_state {
	uint32_t state;
	uint32_t reason;    /* why it has ended (before it was turned off, too), or a call failed */
	uint64_t tick_ns;   /* length of a tick; 0: there was no table */
	uint64_t counted;   /* ticks that were added to counters */
	uint64_t outside;   /* ticks at addresses for which no region has a counter */
	uint64_t full;      /* ticks whose counter was full */
	uint64_t faulted;   /* ticks whose counter was not writable memory */
	uint64_t lost;      /* ticks that were not counted, or not in time */
	uint32_t regions;   /* number of regions in the table */
	uint32_t dead;      /* number of regions turned off: a counter was not writable memory */
	int32_t supervisor; /* process id of the supervisor; 0: none */
	uint32_t first_dead[SPROFIL_DEAD_LISTED]; /* indexes of the first @dead of them, else 0 */
	uint32_t zero;
};

/*
 * Fills in *@status. @size: sizeof(struct sprofil_state). After profiling was turned off, the
 * figures are the final ones.
 *
 * Returns 0, or -1 with errno EFAULT; EINVAL: @size is not 8 to 256; ENODATA: profiling was turned
 * off without final figures (after setuid, chroot or PR_SET_DUMPABLE, without a free descriptor, or
 * because the supervisor had ended); EPERM: profiling was not turned off, and the supervisor cannot
 * be seen or cannot access our memory; EMFILE, ENFILE, ETIMEDOUT. Async-signal-safe and
 * thread-safe.
 */
int sprofil_status(struct sprofil_state *status, size_t size);

#ifdef __cplusplus
}
#endif

#endif
