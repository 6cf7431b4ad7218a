/* SPDX-License-Identifier: MIT */
/*
 * sprofil_with(): sprofil() with a chosen tick, or for the calling thread only.
 *
 *	struct sprofil_options o = {sizeof(o), 250000, SPROFIL_THREAD, 0};
 *
 *	sprofil_with(&region, 1, NULL, PROF_UINT, &o);
 *
 * This profiles the calling thread, with a tick of 250 us of its CPU time.
 */
#ifndef SPROFIL_OPTIONS_H
#define SPROFIL_OPTIONS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SPROFIL_USER_ONLY 1 /* ticks in system calls are not counted */
/*
 * The table counts the calling thread only, besides the table of the process; each thread may have
 * one. The thread's table ends with the thread, at exec, and when the process's profiling is turned
 * off; a forked child does not inherit it.
 */
#define SPROFIL_THREAD 2
/*
 * Ticks are of each thread's elapsed time, not of its CPU time: a tick counts where the thread
 * runs, waits for a CPU, or is blocked (at its system call). A blocked thread's ticks are added
 * when another thread of the process runs at a tick, and by each call of this library.
 */
#define SPROFIL_WALL 4

struct sprofil_options {
	size_t size;      /* sizeof(struct sprofil_options) */
	uint64_t tick_ns; /* a tick: 100 us to 10 s, in steps of 10 us; 0: that of sprofil() */
	uint32_t flags;   /* SPROFIL_... */
	uint32_t zero;
};

/*
 * sprofil() of <sprofil/sprofil.h>, with @options. Same errors; EINVAL also for invalid options.
 * @profcnt 0 turns profiling off; with SPROFIL_THREAD, only that of this thread.
 */
struct prof;
struct timeval;
int sprofil_with(struct prof *profp, int profcnt, struct timeval *tvp, unsigned int flags,
	const struct sprofil_options *options);

#ifdef __cplusplus
}
#endif

#endif
