/* SPDX-License-Identifier: MIT */
/* Files that are made shorter while we read them. */
#ifndef ANALYST_VANISH_H
#define ANALYST_VANISH_H

/*
 * From now on a mapped file whose pages are gone (it was truncated, or copied over in place) reads
 * as zeros, which parsers must survive anyway, instead of ending the process with SIGBUS.
 */
void vanish_survive(void);

#endif
