/* SPDX-License-Identifier: MIT */
/*
 * The functions that libsprofil exports. The header of each dialect defines the macros profil and
 * sprofil, which stand for these functions. @profp is a void pointer, as struct prof differs.
 */
#ifndef CLIENT_DIALECTS_H
#define CLIENT_DIALECTS_H

#include <stddef.h>
#include <sys/time.h>

int sprofil_native_sprofil(const void *profp, int profcnt, struct timeval *tvp, unsigned flags);
int sprofil_native_profil(unsigned short *buff, size_t bufsiz, size_t offset, unsigned scale);
int sprofil_hpux_sprofil(const void *profp, int profcnt, struct timeval *tvp, unsigned flags);
int sprofil_hpux_profil(unsigned short *buff, size_t bufsiz, size_t offset, unsigned scale);
int sprofil_irix_sprofil(const void *profp, int profcnt, struct timeval *tvp, unsigned flags);
int sprofil_irix_profil(unsigned short *buff, size_t bufsiz, size_t offset, unsigned scale);
int sprofil_glibc_sprofil(const void *profp, int profcnt, struct timeval *tvp, unsigned flags);
int sprofil_glibc_profil(unsigned short *buff, size_t bufsiz, size_t offset, unsigned scale);
void sprofil_aix_profil(void *buff, size_t bufsiz, size_t offset, unsigned scale);
void sprofil_sysv_profil(unsigned short *buff, size_t bufsiz, size_t offset, unsigned scale);

/* sysconf() that supports _SC_PROFIL_MAX. */
long sprofil_sysconf(int name);

#endif
