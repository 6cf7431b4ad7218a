/* SPDX-License-Identifier: MIT */
/* <sys/profil.h> of IRIX, for its programs on Linux: see sprofil-dialects(7). */
#ifndef __SYS_PROFIL_H
#define __SYS_PROFIL_H

#ifdef SPROFIL_DIALECT
#error "one translation unit speaks one dialect: another profil.h has been included before"
#endif
#define SPROFIL_DIALECT "irix"

#include <stddef.h>
#include <sys/time.h>
#include <sys/types.h>
#include <unistd.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __cplusplus
#define SPROFIL_NAMED(name) noexcept __asm__(name)
#else
#define SPROFIL_NAMED(name) __asm__(name)
#endif

typedef unsigned long __psunsigned_t;

struct prof {
	void *pr_base;         /* buffer base */
	unsigned pr_size;      /* buffer size */
	__psunsigned_t pr_off; /* pc offset */
	unsigned pr_scale;     /* pc scaling */
};

#define PROF_USHORT 1
#define PROF_UINT   2
#define PROF_FAST   4

#define PROFIL_MAX 65536

int sprofil(struct prof *profp, int profcnt, struct timeval *tvp, unsigned int flags)
	SPROFIL_NAMED("sprofil_irix_sprofil");
/* By a macro: <unistd.h> of glibc declares a profil() whose buffer must not be NULL. */
#define profil sprofil_irix_profil
int profil(unsigned short *buff, size_t bufsiz, size_t offset, unsigned int scale);

#ifdef __cplusplus
}
#endif

#endif
