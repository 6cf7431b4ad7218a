/* SPDX-License-Identifier: MIT */
/* <sys/profil.h> of HP-UX, for HP-UX programs on Linux: see sprofil-dialects(7). */
#ifndef __SYS_PROFIL_H
#define __SYS_PROFIL_H

#include <stddef.h>
#include <sys/time.h>
#include <unistd.h> /* this dialect's, which declares profil() */

#ifndef SPROFIL_DIALECT_HPUX
#error "one translation unit speaks one dialect: another unistd.h comes first on the include path"
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct prof {
	void *pr_base;         /* the counters */
	unsigned int pr_size;  /* size of the counters in bytes */
	void *pr_offset;       /* address of the first instruction */
	unsigned int pr_scale; /* counter bytes per text byte, times 65536 */
};

#define PROF_USHORT 1
#define PROF_UINT   2
#define PROF_UINT64 8

#define _SC_PROFIL_MAX 0x5350 /* maximum entries of a table */

#define sprofil sprofil_hpux_sprofil
int sprofil(struct prof *profp, int profcnt, struct timeval *tvp, unsigned int flags);
#define sysconf sprofil_sysconf /* knows _SC_PROFIL_MAX */
long sysconf(int name);

#ifdef __cplusplus
}
#endif

#endif
