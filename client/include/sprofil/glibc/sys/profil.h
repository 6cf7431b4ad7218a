/* SPDX-License-Identifier: MIT */
/* <sys/profil.h> with the structure and the values of glibc's: see sprofil-dialects(7). */
#ifndef _PROFIL_H
#define _PROFIL_H 1

#ifdef SPROFIL_DIALECT
#error "one translation unit speaks one dialect: another profil.h has been included before"
#endif
#define SPROFIL_DIALECT "glibc"

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

struct prof {
	void *pr_base;          /* buffer base */
	size_t pr_size;         /* buffer size */
	size_t pr_off;          /* pc offset */
	unsigned long pr_scale; /* pc scaling */
};

enum {
	PROF_USHORT = 0,     /* 16-bit counters */
	PROF_UINT = 1 << 0,  /* 32-bit counters */
	PROF_FAST = 1 << 1,  /* a count each millisecond */
	PROF_UINT64 = 1 << 3 /* 64-bit counters: an addition */
};

int sprofil(struct prof *profp, int profcnt, struct timeval *tvp, unsigned int flags)
	SPROFIL_NAMED("sprofil_glibc_sprofil");
/* By a macro: <unistd.h> of glibc declares a profil() whose buffer must not be NULL. */
#define profil sprofil_glibc_profil
int profil(unsigned short *buff, size_t bufsiz, size_t offset, unsigned int scale);

#ifdef __cplusplus
}
#endif

#endif
