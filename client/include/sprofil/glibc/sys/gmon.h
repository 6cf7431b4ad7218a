/* SPDX-License-Identifier: MIT */
/*
 * <sys/gmon.h>: the system's, followed by monstartup(), moncontrol() and _mcleanup() of libsprofil,
 * which replace glibc's. Programs compiled with -pg still use glibc's: their start-up code calls
 * internal names.
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
