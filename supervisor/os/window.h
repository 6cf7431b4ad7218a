/* SPDX-License-Identifier: MIT */
/*
 * The stop window: the time from the observation of a requested stop to the thread's resume. Only
 * the registers, the CPU time, a copy of the live stack, and counters in the target are accessed in
 * it: no allocation, no opening of files, no output, no look-up. If a system call must be
 * restarted, the window is left before that. Debug builds (-Dstop_window_checks) abort on anything
 * else.
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
