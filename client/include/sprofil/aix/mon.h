/* SPDX-License-Identifier: MIT */
/* <mon.h> of AIX, for its programs on Linux: see sprofil-dialects(7). */
#ifndef SPROFIL_AIX_MON_H
#define SPROFIL_AIX_MON_H

#ifdef SPROFIL_DIALECT
#error "one translation unit speaks one dialect: another profil.h has been included before"
#endif
#define SPROFIL_DIALECT "aix"

/* Both declare things that go by the names below; they come first. */
#include <stddef.h>
#include <sys/types.h>
#include <unistd.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An address needs 64 bits here; the system's own daddr_t (a disk address) has 32. */
typedef unsigned long sprofil_aix_daddr_t;
#define daddr_t sprofil_aix_daddr_t
typedef short short_t;
typedef int int_t;

struct prof {
	daddr_t p_low;   /* first address */
	daddr_t p_high;  /* behind the last; 0 ends the array */
	short_t *p_buff; /* counters */
	int_t p_bufsize; /* their size in bytes */
	int_t p_scale;   /* as in the first form, or -1: computed */
};

/*
 * profil(shortbuff, bufsiz, offset, scale) or profil(profbuff, -1, 0, 0), hence the void pointer;
 * offset is as wide as an address.
 */
#define profil sprofil_aix_profil
void profil(void *buff, size_t bufsiz, size_t offset, unsigned int scale);

#ifdef __cplusplus
}
#endif

#endif
