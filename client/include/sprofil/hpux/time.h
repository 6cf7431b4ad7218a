/* SPDX-License-Identifier: MIT */
/*
 * <time.h> of HP-UX declares sprofil and profil. The system's header is included first; while
 * another header includes it for some of its types only, nothing is added.
 */
#pragma GCC system_header
#include_next <time.h>

#if !defined(SPROFIL_HPUX_TIME) && defined(_TIME_H)
#define SPROFIL_HPUX_TIME
#include <sys/profil.h>
#endif
