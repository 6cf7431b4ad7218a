/* SPDX-License-Identifier: MIT */
/*
 * The system's <sys/gmon.h>, with our monstartup(), moncontrol() and _mcleanup() instead of
 * glibc's. The start-up code of -pg programs still calls glibc's functions, by internal names.
 */
#pragma GCC system_header
#include_next <sys/gmon.h>

#ifndef SPROFIL_GLIBC_SYS_GMON_H
#define SPROFIL_GLIBC_SYS_GMON_H

#ifdef __cplusplus
extern "C" {
#endif

#define monstartup sprofil_glibc_monstartup
#define moncontrol sprofil_moncontrol
#define _mcleanup  sprofil_mcleanup
void monstartup(unsigned long lowpc, unsigned long highpc);
void moncontrol(int mode);
void _mcleanup(void);

#ifdef __cplusplus
}
#endif

#endif
