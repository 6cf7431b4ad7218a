/* SPDX-License-Identifier: MIT */
/*
 * The stop window: from the observation of a tick stop to its resume. Only the registers, the CPU
 * time, a copy of the live stack and the counters are accessed in it, and a disturbed call is
 * restarted: no allocation, no opening of files, no output, no look-up. Debug builds
 * (-Dstop_window_checks) abort on anything else.
 */
#ifndef SUPERVISOR_WINDOW_H
#define SUPERVISOR_WINDOW_H

#ifdef SPROFIL_STOP_WINDOW_CHECKS
void window_enter(void);
void window_leave(void);
/* Aborts with @what in the message if the stop window is open. */
void window_forbid(const char *what);
#else
static inline void window_enter(void)
{
}
static inline void window_leave(void)
{
}
static inline void window_forbid(const char *what)
{
	(void)what;
}
#endif

#endif
