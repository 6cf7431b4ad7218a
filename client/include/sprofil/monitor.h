/* SPDX-License-Identifier: MIT */
/*
 * sprofil-monitor(3): the program's own histogram, in a mon.out for sprofreport or a gmon.out for
 * gprof.
 *
 *	extern char __executable_start, etext;
 *
 *	monstartup((unsigned long)&__executable_start, (unsigned long)&etext);
 *	...
 *	mcleanup();				writes gmon.out: gprof -p PROGRAM gmon.out
 *
 * The native interface. Programs written for HP-UX, IRIX, AIX, System V or glibc use the header of
 * that system: sprofil-dialects(7).
 */
#ifndef SPROFIL_MONITOR_H
#define SPROFIL_MONITOR_H

#ifdef __cplusplus
extern "C" {
#endif

/*
 * All functions return -1 with errno on failure: EINVAL (the range is empty, or the buffer too
 * small for it), ENOMEM, an error of sprofil(), or, if a file is written, one of open() or write().
 * The functions are neither thread-safe nor async-signal-safe.
 */

/*
 * Counts in @buffer, which has @bufsize words of 2 bytes: a header of 24 bytes, 16 bytes (that stay
 * 0) for each of @nfunc functions, and the counters. @lowpc below 4096 stands for the beginning of
 * the program. @lowpc NULL turns counting off and writes mon.out.
 */
#define monitor sprofil_native_monitor
int monitor(void (*lowpc)(void), void (*highpc)(void), void *buffer, int bufsize, int nfunc);

/* Counts in a buffer of its own: one counter for each 4 bytes from @lowpc up to @highpc. */
#define monstartup sprofil_native_monstartup
int monstartup(unsigned long lowpc, unsigned long highpc);

/* @mode 0 suspends counting, any other value resumes it. Returns the previous state: 0 or 1. */
#define moncontrol sprofil_moncontrol
int moncontrol(int mode);

/* Turns counting off and writes gmon.out. */
#define mcleanup sprofil_mcleanup
int mcleanup(void);

#ifdef __cplusplus
}
#endif

#endif
