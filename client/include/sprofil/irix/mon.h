/* SPDX-License-Identifier: MIT */
/* <mon.h> of IRIX, for IRIX programs on Linux: see sprofil-monitor(3). */
#ifndef SPROFIL_IRIX_MON_H
#define SPROFIL_IRIX_MON_H
#pragma GCC system_header /* suppresses warnings about parameter lists "()" */

#include <unistd.h> /* this dialect's, which declares profil() */

#ifndef SPROFIL_DIALECT_IRIX
#error "one translation unit speaks one dialect: another unistd.h comes first on the include path"
#endif

#include "../mon_file.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef unsigned short WORD; /* a counter; bufsize of monitor() is a number of these */

#define monitor sprofil_irix_monitor
void monitor(int (*lowpc)(), int (*highpc)(), WORD *buffer, int bufsize, int nfunc);

#define monstartup sprofil_irix_monstartup
#define moncontrol sprofil_moncontrol
void monstartup(int (*lowpc)(), int (*highpc)());
void moncontrol(int mode);

#ifdef __cplusplus
}
#endif

#endif
