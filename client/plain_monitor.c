/* SPDX-License-Identifier: MIT */
/*
 * monitor and related functions by their plain names, as plain.c has profil: for programs that
 * declare them themselves, or not at all. A separate file, because old programs with a monitor() of
 * their own still call profil. glibc has monstartup and moncontrol, and programs of its dialect
 * keep these: the code added by -pg belongs to them.
 */
#include "client/monitor.h"

#define JOIN_(a, b, c)     a##b##c
#define JOIN(a, b, c)      JOIN_(a, b, c)
#define OF_DIALECT(suffix) JOIN(sprofil_, DIALECT, suffix)

#ifdef PLAIN_MONITOR
int monitor(void (*lowpc)(void), void (*highpc)(void), void *buffer, int bufsize, int nfunc);

int monitor(void (*lowpc)(void), void (*highpc)(void), void *buffer, int bufsize, int nfunc)
{
	return OF_DIALECT(_monitor)(lowpc, highpc, buffer, bufsize, nfunc);
}
#endif

#ifdef PLAIN_MONSTARTUP
int monstartup(unsigned long lowpc, unsigned long highpc);
int moncontrol(int mode);

int monstartup(unsigned long lowpc, unsigned long highpc)
{
	return OF_DIALECT(_monstartup)(lowpc, highpc);
}

int moncontrol(int mode)
{
	return sprofil_moncontrol(mode);
}
#endif
