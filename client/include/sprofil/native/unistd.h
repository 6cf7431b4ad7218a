/* SPDX-License-Identifier: MIT */
/* The system's <unistd.h>, with our profil() instead of glibc's. sprofil.h declares it, too. */
#pragma GCC system_header
#include_next <unistd.h>

#if !defined(SPROFIL_DIALECT_NATIVE) && defined(_UNISTD_H)
#ifdef SPROFIL_DIALECT
#error "one translation unit speaks one dialect: another profil() has been declared before"
#endif
#define SPROFIL_DIALECT "native"
#define SPROFIL_DIALECT_NATIVE

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define profil sprofil_native_profil
int profil(unsigned short *buff, size_t bufsiz, size_t offset, unsigned int scale);

#ifdef __cplusplus
}
#endif

#endif
