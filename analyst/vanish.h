/* SPDX-License-Identifier: MIT */
/* Mapped files that are truncated while this process reads them. */
#ifndef ANALYST_VANISH_H
#define ANALYST_VANISH_H

/*
 * From now on a mapped file whose pages are gone (it was truncated, or overwritten in place) reads
 * as zeros, which parsers must handle anyway, instead of ending the process with SIGBUS.
 */
void vanish_survive(void);

#endif
