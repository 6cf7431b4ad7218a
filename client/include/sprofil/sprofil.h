/* SPDX-License-Identifier: MIT */
/*
 * sprofil(3): a histogram of where this program spends its CPU time. Another process writes it into
 * the program's memory: the program gets no signals, and runs no profiler code.
 *
 *	unsigned short counts[4096];
 *	struct prof region = {counts, sizeof(counts), (unsigned long)&first_function, 0x8000};
 *
 *	sprofil(&region, 1, NULL, PROF_USHORT);		from here on it counts
 *	...
 *	sprofil(NULL, 0, NULL, 0);			no count comes after this
 *
 * This is the native interface: it has all that IRIX and HP-UX have. A program written for HP-UX,
 * IRIX, AIX, System V or glibc uses the header of that system instead: sprofil-dialects(7).
 */
#ifndef SPROFIL_SPROFIL_H
#define SPROFIL_SPROFIL_H

#include <stddef.h>
#include <sys/time.h>
#include <unistd.h>

#include <sprofil/options.h> /* sprofil_with(): a chosen tick, a thread's own table */
#include <sprofil/status.h> /* sprofil_status(): can the counts be believed? */

#if defined(__SYS_PROFIL_H) || defined(_PROFIL_H) || \
	(defined(SPROFIL_DIALECT) && !defined(SPROFIL_DIALECT_NATIVE))
#error "one translation unit speaks one dialect: another profil.h has been included before"
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct prof {
	void *pr_base;         /* the counters */
	unsigned int pr_size;  /* size of the counters in bytes */
	unsigned long pr_off;  /* address of the first instruction */
	unsigned int pr_scale; /* counter bytes per text byte, times 65536 */
};

/* Flags: one of the first three, which sets the width of the counters; PROF_FAST may be added. */
#define PROF_USHORT 1 /* unsigned short */
#define PROF_UINT   2 /* unsigned int */
#define PROF_UINT64 8 /* uint64_t */
#define PROF_FAST   4 /* one count per millisecond of CPU time, not per clock tick (10 ms) */

#define PROFIL_MAX     65536  /* maximum entries of a table */
#define _SC_PROFIL_MAX 0x5350 /* sysconf(_SC_PROFIL_MAX) is PROFIL_MAX */

/*
 * Starts counting in the @profcnt regions of @profp, which replace those of an earlier call. *@tvp,
 * if not NULL, is set to the CPU time of one count. @profcnt 0 turns profiling off. *@profp is
 * copied; the buffers in it must stay valid until profiling is turned off.
 *
 * Returns 0, or -1 with errno E2BIG, EINVAL, EACCES, EFAULT, EPERM, EMFILE, ENFILE, ENOMEM, EAGAIN,
 * ETIMEDOUT. Then nothing has changed, except perhaps after EPERM or ETIMEDOUT (see sprofil(3)).
 * Async-signal-safe and thread-safe.
 */
#define sprofil sprofil_native_sprofil
int sprofil(struct prof *profp, int profcnt, struct timeval *tvp, unsigned int flags);

/*
 * Starts counting in one region with unsigned short counters: @buff, of @bufsiz bytes, for the
 * text at the address @offset. @scale (as pr_scale) 0 or 1, or @bufsiz 0, turns profiling off.
 * Returns 0, or -1 with errno. profil is a macro, because <unistd.h> of glibc declares a profil()
 * whose buffer must not be NULL.
 */
#ifndef SPROFIL_DIALECT_NATIVE /* defined if sprofil/native/unistd.h is included */
#define SPROFIL_DIALECT "native"
#define SPROFIL_DIALECT_NATIVE
#define profil sprofil_native_profil
int profil(unsigned short *buff, size_t bufsiz, size_t offset, unsigned int scale);
#endif

/* sysconf() that supports _SC_PROFIL_MAX, too. */
#define sysconf sprofil_sysconf
long sysconf(int name);

#ifdef __cplusplus
}
#endif

#endif
