/* SPDX-License-Identifier: MIT */
/* <mon.h> of HP-UX, for HP-UX programs on Linux: see sprofil-monitor(3). */
#ifndef SPROFIL_HPUX_MON_H
#define SPROFIL_HPUX_MON_H
#pragma GCC system_header /* suppresses warnings about parameter lists "()" */

#include <unistd.h> /* this dialect's, which declares profil() */

#ifndef SPROFIL_DIALECT_HPUX
#error "one translation unit speaks one dialect: another unistd.h comes first on the include path"
#endif

#include "../mon_file.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef unsigned short WORD; /* a counter; bufsize of monitor() is a number of these */

#define monitor sprofil_hpux_monitor
void monitor(void (*lowpc)(), void (*highpc)(), WORD *buffer, int bufsize, int nfunc);

#ifdef __cplusplus
}
#endif

#endif
