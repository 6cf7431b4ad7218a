/* SPDX-License-Identifier: MIT */
/*
 * profil and sprofil by their own names, for a program that declares them itself or, older than
 * prototypes, not at all: no header can lead it to its dialect, and the linker would take glibc's.
 * Compiled once for each dialect (DIALECT, PLAIN_VOID, PLAIN_SPROFIL) into an archive that is
 * linked before libsprofil. In the program they are hidden: other libraries keep glibc's.
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
