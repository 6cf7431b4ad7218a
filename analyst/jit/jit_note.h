/* SPDX-License-Identifier: MIT */
#ifndef ANALYST_JIT_NOTE_H
#define ANALYST_JIT_NOTE_H

struct profile;

/*
 * Adds notes on how to get names, for the three processes with most CPU time in nameless generated
 * code, if it is at least 5 % of all. To be called after all naming. -ENOMEM.
 */
int jit_note_unnamed(struct profile *profile);

#endif
