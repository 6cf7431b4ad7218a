/* SPDX-License-Identifier: MIT */
/*
 * profil and sprofil by their plain names. A program without the header that selects a dialect uses
 * these names, and the linker would take glibc's functions. Compiled once per dialect (DIALECT,
 * PLAIN_VOID, PLAIN_SPROFIL) into an archive that is linked before libsprofil. The names are hidden
 * in the program, so other libraries keep glibc's.
 */
#include "client/dialects.h"

#define JOIN_(a, b, c)     a##b##c
#define JOIN(a, b, c)      JOIN_(a, b, c)
#define OF_DIALECT(suffix) JOIN(sprofil_, DIALECT, suffix)

#ifdef PLAIN_VOID
void profil(void *buff, size_t bufsiz, size_t offset, unsigned scale);

void profil(void *buff, size_t bufsiz, size_t offset, unsigned scale)
{
	OF_DIALECT(_profil)(buff, bufsiz, offset, scale);
}
#else
int profil(unsigned short *buff, size_t bufsiz, size_t offset, unsigned scale);

int profil(unsigned short *buff, size_t bufsiz, size_t offset, unsigned scale)
{
	return OF_DIALECT(_profil)(buff, bufsiz, offset, scale);
}
#endif

#ifdef PLAIN_SPROFIL
int sprofil(const void *profp, int profcnt, struct timeval *tvp, unsigned flags);

int sprofil(const void *profp, int profcnt, struct timeval *tvp, unsigned flags)
{
	return OF_DIALECT(_sprofil)(profp, profcnt, tvp, flags);
}
#endif
