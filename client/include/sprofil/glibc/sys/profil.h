/* SPDX-License-Identifier: MIT */
/* <sys/profil.h> with the structure and the values of glibc's: see sprofil-dialects(7). */
#ifndef _PROFIL_H
#define _PROFIL_H 1

#include <stddef.h>
#include <sys/time.h>
#include <sys/types.h>
#include <unistd.h> /* this dialect's, which declares profil() */

#ifndef SPROFIL_DIALECT_GLIBC
#error "one translation unit speaks one dialect: another unistd.h comes first on the include path"
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct prof {
	void *pr_base;          /* the counters */
	size_t pr_size;         /* size of the counters in bytes */
	size_t pr_off;          /* address of the first instruction */
	unsigned long pr_scale; /* counter bytes per text byte, times 65536 */
};

enum {
	PROF_USHORT = 0,     /* 16-bit counters */
	PROF_UINT = 1 << 0,  /* 32-bit counters */
	PROF_FAST = 1 << 1,  /* one count per millisecond */
	PROF_UINT64 = 1 << 3 /* 64-bit counters: an extension */
};

#define sprofil sprofil_glibc_sprofil
int sprofil(struct prof *profp, int profcnt, struct timeval *tvp, unsigned int flags);

#ifdef __cplusplus
}
#endif

#endif
