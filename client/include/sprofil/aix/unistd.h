/* SPDX-License-Identifier: MIT */
/* The system's <unistd.h>, but with AIX's profil(). AIX's <mon.h> includes this file. */
#pragma GCC system_header
#include_next <unistd.h>

#if !defined(SPROFIL_DIALECT_AIX) && defined(_UNISTD_H)
#ifdef SPROFIL_DIALECT
#error "one translation unit speaks one dialect: another profil() has been declared before"
#endif
#define SPROFIL_DIALECT "aix"
#define SPROFIL_DIALECT_AIX

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Called as profil(shortbuff, bufsiz, offset, scale) or profil(profbuff, -1, 0, 0). */
#define profil sprofil_aix_profil
void profil(void *buff, size_t bufsiz, size_t offset, unsigned int scale);

#ifdef __cplusplus
}
#endif

#endif
