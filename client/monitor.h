/* SPDX-License-Identifier: MIT */
/*
 * monitor(3) and related functions: one histogram of the program's text, made by profil() of the
 * dialect, and its file. Like the originals, they are neither thread-safe nor async-signal-safe.
 */
#ifndef CLIENT_MONITOR_H
#define CLIENT_MONITOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/call.h"

/*
 * The layout of monitor()'s buffer, in which the program may read its counters: a struct hdr, a
 * struct cnt for each function, then the counters, all in the machine's own byte order. A mon.out
 * has the same layout.
 *
 *   hdr         0  lowest address           u64   in a mon.out: as in the ELF file
 *               8  behind the highest one   u64   in a mon.out: as in the ELF file
 *              16  number of cnt            i32
 *              20  ticks per second         u16
 *              22  scale of profil          u16
 *   cnt         0  address of a function    u64   0: unused
 *               8  calls of the function    i64
 *   counters    0  by address               u16 each, up to the end
 *
 * From the lowest address to behind the highest one there are w words of 2 bytes (rounded up). For
 * n <= w counters, the scale is floor((65536 n - 1) / w).
 */
#define MONITOR_HDR_BYTES 24
#define MONITOR_CNT_BYTES 16

struct monitor {
	enum call_dialect dialect;
	uint64_t low, high;
	uint32_t functions; /* number of struct cnt */
	const void *cells;  /* the struct cnt */
	const void *counter;
	size_t counters;
	unsigned element; /* bytes of a counter: 2 or 4 */
	uint16_t scale;   /* of profil(), for counters of 2 bytes */
};

/* Returns the ticks per second of CPU time that the dialect's profil() counts. */
uint16_t monitor_hz(enum call_dialect dialect);

/* These write mon.out or gmon.out; PROFDIR or GMON_OUT_PREFIX sets the path. 0 or -errno. */
int monitor_write_mon(const struct monitor *monitor);
int monitor_write_gmon(const struct monitor *monitor);

/* Is PROFDIR set and empty, in the dialect System V, IRIX or native? Then nothing is profiled. */
bool monitor_is_unwanted(enum call_dialect dialect);

/* Exported by libsprofil. The dialects' headers define macros such as monitor for these names. */
int sprofil_hpux_monitor(
	void (*lowpc)(void), void (*highpc)(void), void *buffer, int bufsize, int nfunc);
int sprofil_irix_monitor(
	void (*lowpc)(void), void (*highpc)(void), void *buffer, int bufsize, int nfunc);
int sprofil_aix_monitor(
	void (*lowpc)(void), void (*highpc)(void), void *buffer, int bufsize, int nfunc);
int sprofil_sysv_monitor(
	void (*lowpc)(void), void (*highpc)(void), void *buffer, int bufsize, int nfunc);
int sprofil_native_monitor(
	void (*lowpc)(void), void (*highpc)(void), void *buffer, int bufsize, int nfunc);
int sprofil_irix_monstartup(unsigned long lowpc, unsigned long highpc);
int sprofil_aix_monstartup(unsigned long lowpc, unsigned long highpc);
int sprofil_glibc_monstartup(unsigned long lowpc, unsigned long highpc);
int sprofil_native_monstartup(unsigned long lowpc, unsigned long highpc);
int sprofil_moncontrol(int mode);
int sprofil_mcleanup(void);

#endif
