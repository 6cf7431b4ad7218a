/* SPDX-License-Identifier: MIT */
#ifndef ANALYST_JIT_NOTE_H
#define ANALYST_JIT_NOTE_H

struct profile;

/*
 * Adds a note for each process that spent at least 5 % of all CPU time in generated code without a
 * name: how to get names. At most three notes, the greatest part first. To be called after
 * everything else has been named. -ENOMEM.
 */
int jit_note_unnamed(struct profile *profile);

#endif
