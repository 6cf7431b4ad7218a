/* SPDX-License-Identifier: MIT */
/*
 * <unistd.h>: the system's, followed by the profil() of HP-UX. glibc declares its own there, so a
 * program may take the declaration from here or from <time.h> and <sys/profil.h>.
 */
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
