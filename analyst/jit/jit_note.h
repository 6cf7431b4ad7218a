/* SPDX-License-Identifier: MIT */
#ifndef ANALYST_JIT_NOTE_H
#define ANALYST_JIT_NOTE_H

struct profile;

/*
 * Adds notes on how to get names for generated code. Three processes get one at most: those with
 * the most CPU time in nameless generated code, each at least 5 % of all CPU time. To be called
 * after all naming. -ENOMEM.
 */
int jit_note_unnamed(struct profile *profile);

#endif
