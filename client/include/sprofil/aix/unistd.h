/* SPDX-License-Identifier: MIT */
/*
 * <unistd.h>: the system's, followed by the profil() of AIX. glibc declares its own there, so a
 * program may take the declaration from here or from <mon.h>.
 */
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

/*
 * profil(shortbuff, bufsiz, offset, scale) or profil(profbuff, -1, 0, 0), hence the void pointer.
 * @offset is as wide as an address.
 */
#define profil sprofil_aix_profil
void profil(void *buff, size_t bufsiz, size_t offset, unsigned int scale);

#ifdef __cplusplus
}
#endif

#endif
