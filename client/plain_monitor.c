/* SPDX-License-Identifier: MIT */
/*
 * monitor and related functions by their plain names (plain.c). They are in a file of their own,
 * because a program with its own monitor() may call profil(). Programs of glibc's dialect keep
 * glibc's monstartup and moncontrol, which belong to the code that -pg adds.
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
