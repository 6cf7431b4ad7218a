/* SPDX-License-Identifier: MIT */
/* <mon.h> of AIX, for AIX programs on Linux: see sprofil-dialects(7). */
#ifndef SPROFIL_AIX_MON_H
#define SPROFIL_AIX_MON_H
#pragma GCC system_header /* suppresses warnings about parameter lists "()" */

/* Included before the macros below, which would rename the declarations in these headers. */
#include <sys/types.h>
#include <unistd.h> /* this dialect's, which declares profil() */

#ifndef SPROFIL_DIALECT_AIX
#error "one translation unit speaks one dialect: another unistd.h comes first on the include path"
#endif

#include "../mon_file.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An address needs 64 bits here; the system's own daddr_t (a disk address) has 32. */
typedef unsigned long sprofil_aix_daddr_t;
#define daddr_t sprofil_aix_daddr_t
typedef short short_t;
typedef int int_t;

struct prof {
	daddr_t p_low;   /* first address */
	daddr_t p_high;  /* address behind the last one; 0 ends the array */
	short_t *p_buff; /* counters */
	int_t p_bufsize; /* size of the counters in bytes */
	int_t p_scale;   /* the scale of profil(); -1: computed from the other fields */
};

#define monitor    sprofil_aix_monitor
#define monstartup sprofil_aix_monstartup
#define moncontrol sprofil_moncontrol
int monitor(int (*lowpc)(), int (*highpc)(), short *buffer, int bufsize, int nfunc);
int monstartup(int (*lowpc)(), int (*highpc)());
int moncontrol(int mode);

#ifdef __cplusplus
}
#endif

#endif
