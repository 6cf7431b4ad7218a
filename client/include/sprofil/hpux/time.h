/* SPDX-License-Identifier: MIT */
/*
 * <time.h> of HP-UX declares sprofil and profil. The system's own comes first; while it is being
 * read for another header that wants a part of it only, nothing is added.
 */
#pragma GCC system_header
#include_next <time.h>

#if !defined(SPROFIL_HPUX_TIME) && defined(_TIME_H)
#define SPROFIL_HPUX_TIME
#include <sys/profil.h>
#endif
