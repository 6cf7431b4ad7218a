/* SPDX-License-Identifier: MIT */
/*
 * <time.h> of HP-UX, which declares sprofil and profil. The system's <time.h> is included first.
 * Nothing is added to it if another system header includes it for some of its types only.
 */
#pragma GCC system_header
#include_next <time.h>

#if !defined(SPROFIL_HPUX_TIME) && defined(_TIME_H)
#define SPROFIL_HPUX_TIME
#include <sys/profil.h>
#endif
