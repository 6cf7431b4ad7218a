/* SPDX-License-Identifier: MIT */
/*
 * <sys/gmon.h>: the system's, and then monstartup(), moncontrol() and _mcleanup() of libsprofil in
 * place of glibc's. Programs compiled with -pg have glibc's own all the same: their start-up calls
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
