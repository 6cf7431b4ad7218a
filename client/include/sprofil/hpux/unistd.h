/* SPDX-License-Identifier: MIT */
/* The system's <unistd.h>, with HP-UX's profil() instead of glibc's. <time.h> declares it, too. */
#pragma GCC system_header
#include_next <unistd.h>

#if !defined(SPROFIL_DIALECT_HPUX) && defined(_UNISTD_H)
#ifdef SPROFIL_DIALECT
#error "one translation unit speaks one dialect: another profil() has been declared before"
#endif
#define SPROFIL_DIALECT "hpux"
#define SPROFIL_DIALECT_HPUX

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define profil sprofil_hpux_profil
int profil(unsigned short *buff, size_t bufsiz, size_t offset, unsigned int scale);

#ifdef __cplusplus
}
#endif

#endif
