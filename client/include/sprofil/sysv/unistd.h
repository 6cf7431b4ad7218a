/* SPDX-License-Identifier: MIT */
/* The system's <unistd.h> with System V's profil(), which returns nothing, instead of glibc's. */
#pragma GCC system_header
#include_next <unistd.h>

#if !defined(SPROFIL_DIALECT_SYSV) && defined(_UNISTD_H)
#ifdef SPROFIL_DIALECT
#error "one translation unit speaks one dialect: another profil() has been declared before"
#endif
#define SPROFIL_DIALECT "sysv"
#define SPROFIL_DIALECT_SYSV

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define profil sprofil_sysv_profil
void profil(unsigned short *buff, size_t bufsiz, size_t offset, unsigned int scale);

#ifdef __cplusplus
}
#endif

#endif
