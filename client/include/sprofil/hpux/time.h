/* SPDX-License-Identifier: MIT */
/* The system's <time.h> with HP-UX's sprofil and profil, if it is included as a whole. */
#pragma GCC system_header
#include_next <time.h>

#if !defined(SPROFIL_HPUX_TIME) && defined(_TIME_H)
#define SPROFIL_HPUX_TIME
#include <sys/profil.h>
#endif
