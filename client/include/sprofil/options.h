/* SPDX-License-Identifier: MIT */
/*
 * sprofil_with(): sprofil() with a tick of one's own, and for a part of what is run.
 *
 *	struct sprofil_options o = {sizeof(o), 250000, SPROFIL_THREAD, 0};
 *
 *	sprofil_with(&region, 1, NULL, PROF_UINT, &o);		this thread, each 250 us of its CPU
 *time
 */
#ifndef SPROFIL_OPTIONS_H
#define SPROFIL_OPTIONS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SPROFIL_USER_ONLY 1 /* ticks inside of system calls are not counted */
/*
 * The table is the calling thread's. It counts beside that of the process, which stays; so each
 * thread may have one. The thread's end, exec, and turning off that of the process end it too; a
 * forked child has none.
 */
#define SPROFIL_THREAD 2
/*
 * A tick is a length of time that passes, of each thread, not of its CPU time: counted where the
 * thread runs, waits for a CPU, or is blocked (at its system call). What blocked threads owe comes
 * into the counters when a thread of the process runs at a tick, and with each call of sprofil_...
 */
#define SPROFIL_WALL 4

struct sprofil_options {
	size_t size;      /* sizeof(struct sprofil_options) */
	uint64_t tick_ns; /* length of a tick, 100 us to 10 s in steps of 10 us; 0: by the flags */
	uint32_t flags;   /* SPROFIL_... */
	uint32_t zero;
};

/*
 * As sprofil() of <sprofil/sprofil.h>, with its errors, and EINVAL for options that are none,
 * EOPNOTSUPP for SPROFIL_THREAD of a thread, not the first, in a pid namespace other than the
 * supervisor's. @profcnt 0 turns off: with SPROFIL_THREAD what this thread has.
 */
struct prof;
struct timeval;
int sprofil_with(struct prof *profp, int profcnt, struct timeval *tvp, unsigned int flags,
	const struct sprofil_options *options);

#ifdef __cplusplus
}
#endif

#endif
