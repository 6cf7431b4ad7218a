/* SPDX-License-Identifier: MIT */
/* <sys/profil.h> of HP-UX, for its programs on Linux: see sprofil-dialects(7). */
#ifndef __SYS_PROFIL_H
#define __SYS_PROFIL_H

#ifdef SPROFIL_DIALECT
#error "one translation unit speaks one dialect: another profil.h has been included before"
#endif
#define SPROFIL_DIALECT "hpux"

#include <stddef.h>
#include <sys/time.h>
#include <unistd.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __cplusplus
#define SPROFIL_NAMED(name) noexcept __asm__(name)
#else
#define SPROFIL_NAMED(name) __asm__(name)
#endif

struct prof {
	void *pr_base;         /* buffer base */
	unsigned int pr_size;  /* buffer size */
	void *pr_offset;       /* pc offset */
	unsigned int pr_scale; /* pc scaling */
};

#define PROF_USHORT 1
#define PROF_UINT   2
#define PROF_UINT64 8

#define _SC_PROFIL_MAX 0x5350 /* most entries of one table */

int sprofil(struct prof *profp, int profcnt, struct timeval *tvp, unsigned int flags)
	SPROFIL_NAMED("sprofil_hpux_sprofil");
/* By a macro: <unistd.h> of glibc declares a profil() whose buffer must not be NULL. */
#define profil sprofil_hpux_profil
int profil(unsigned short *buff, size_t bufsiz, size_t offset, unsigned int scale);
long sysconf(int name) SPROFIL_NAMED("sprofil_sysconf");

#ifdef __cplusplus
}
#endif

#endif
