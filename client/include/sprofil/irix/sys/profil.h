/* SPDX-License-Identifier: MIT */
/* <sys/profil.h> of IRIX, for IRIX programs on Linux: see sprofil-dialects(7). */
#ifndef __SYS_PROFIL_H
#define __SYS_PROFIL_H

#include <stddef.h>
#include <sys/time.h>
#include <sys/types.h>
#include <unistd.h> /* this dialect's, which declares profil() */

#ifndef SPROFIL_DIALECT_IRIX
#error "one translation unit speaks one dialect: another unistd.h comes first on the include path"
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef unsigned long __psunsigned_t;

struct prof {
	void *pr_base;         /* the counters */
	unsigned pr_size;      /* size of the counters in bytes */
	__psunsigned_t pr_off; /* address of the first instruction */
	unsigned pr_scale;     /* counter bytes per text byte, times 65536 */
};

#define PROF_USHORT 1
#define PROF_UINT   2
#define PROF_FAST   4

#define PROFIL_MAX 65536

#define sprofil sprofil_irix_sprofil
int sprofil(struct prof *profp, int profcnt, struct timeval *tvp, unsigned int flags);

#ifdef __cplusplus
}
#endif

#endif
