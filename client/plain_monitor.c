/* SPDX-License-Identifier: MIT */
/*
 * monitor and its kin by their own names, as plain.c has profil: for programs that declare them
 * themselves, or not at all. A file of its own, because old programs that bring a monitor() along
 * call profil all the same. glibc has monstartup and moncontrol, and for its programs they stay its
 * own: what -pg adds belongs to them.
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
