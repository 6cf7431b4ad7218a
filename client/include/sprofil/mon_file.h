/* SPDX-License-Identifier: MIT */
/* What the <mon.h> of AIX, HP-UX, IRIX and System V have in common: the file of monitor(). */
#ifndef SPROFIL_MON_FILE_H
#define SPROFIL_MON_FILE_H

#define MON_OUT "mon.out"

/* What the buffer of monitor() begins with, and its file. */
struct hdr {
	char *lpc; /* lowest address */
	char *hpc; /* behind the highest */
	int nfns;  /* number of struct cnt behind this */
	unsigned short hz, scale; /* ticks in a second; as of profil() */
};

struct cnt {
	char *fnpc; /* a function */
	long mcnt;  /* how often it was called */
};

#endif
