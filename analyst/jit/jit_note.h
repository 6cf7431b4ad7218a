/* SPDX-License-Identifier: MIT */
#ifndef ANALYST_JIT_NOTE_H
#define ANALYST_JIT_NOTE_H

struct profile;

/*
 * Adds a note for each process that spent a good part of the time in generated code without a name:
 * how to get names. At most three notes, greatest part first. Call after everything else has been
 * named. -ENOMEM.
 */
int jit_note_unnamed(struct profile *profile);

#endif
