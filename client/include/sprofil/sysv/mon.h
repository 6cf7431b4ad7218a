/* SPDX-License-Identifier: MIT */
/* <mon.h> of System V, for System V programs on Linux: see sprofil-monitor(3). */
#ifndef SPROFIL_SYSV_MON_H
#define SPROFIL_SYSV_MON_H
#pragma GCC system_header /* suppresses warnings about parameter lists "()" */

#include <unistd.h> /* this dialect's, which declares profil() */

#ifndef SPROFIL_DIALECT_SYSV
#error "one translation unit speaks one dialect: another unistd.h comes first on the include path"
#endif

#include "../mon_file.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef unsigned short WORD; /* a counter; bufsize of monitor() is a number of these */

#define monitor sprofil_sysv_monitor
void monitor(int (*lowpc)(), int (*highpc)(), WORD *buffer, int bufsize, int nfunc);

#ifdef __cplusplus
}
#endif

#endif
