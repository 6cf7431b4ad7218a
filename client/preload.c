/* SPDX-License-Identifier: MIT */
/*
 * libsprofil-preload.so: glibc's names, for binaries that were linked against glibc only. The
 * start-up code of -pg programs calls an internal name of glibc, which cannot be preloaded.
 */
#include "client/client.h"
#include "client/dialects.h"

int sprofil(const void *profp, int profcnt, struct timeval *tvp, unsigned flags);
int profil(unsigned short *buff, size_t bufsiz, size_t offset, unsigned scale);

CLIENT_PUBLIC int sprofil(const void *profp, int profcnt, struct timeval *tvp, unsigned flags)
{
	return sprofil_glibc_sprofil(profp, profcnt, tvp, flags);
}

CLIENT_PUBLIC int profil(unsigned short *buff, size_t bufsiz, size_t offset, unsigned scale)
{
	return sprofil_glibc_profil(buff, bufsiz, offset, scale);
}
