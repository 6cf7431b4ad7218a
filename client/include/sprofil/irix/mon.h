/* SPDX-License-Identifier: MIT */
/* <mon.h> of IRIX, for its programs on Linux: see monitor(3) of sprofil. */
#ifndef SPROFIL_IRIX_MON_H
#define SPROFIL_IRIX_MON_H
#pragma GCC system_header /* parameters of old function types */

#include <unistd.h> /* of this dialect: profil() */

#ifndef SPROFIL_DIALECT_IRIX
#error "one translation unit speaks one dialect: another unistd.h comes first on the include path"
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define MON_OUT "mon.out"

typedef unsigned short WORD; /* a counter; the unit of bufsize */

/* What the buffer begins with, and the file. */
struct hdr {
	char *lpc; /* lowest address */
	char *hpc; /* behind the highest */
	int nfns;  /* number of struct cnt behind this */
	unsigned short hz, scale; /* ticks in a second; as of profil() */
};

struct cnt {
	char *fnpc; /* a function */
	long mcnt;  /* calls of it */
};

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
