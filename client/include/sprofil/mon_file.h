/* SPDX-License-Identifier: MIT */
/* What the <mon.h> of AIX, HP-UX, IRIX and System V have in common: the file of monitor(). */
#ifndef SPROFIL_MON_FILE_H
#define SPROFIL_MON_FILE_H

#define MON_OUT "mon.out"

/* The beginning of the buffer of monitor(), and of its file. */
struct hdr {
	char *lpc; /* lowest address */
	char *hpc; /* behind the highest address */
	int nfns;  /* number of struct cnt that follow */
	unsigned short hz, scale; /* hz: ticks per second; scale: as in profil() */
};

struct cnt {
	char *fnpc; /* address of a function */
	long mcnt;  /* number of calls */
};

#endif
