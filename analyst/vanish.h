/* SPDX-License-Identifier: MIT */
#ifndef ANALYST_VANISH_H
#define ANALYST_VANISH_H

/* From now on, lost pages of mapped files (truncated, overwritten) read as zeros: no SIGBUS. */
void vanish_survive(void);

#endif
