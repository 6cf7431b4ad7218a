/* SPDX-License-Identifier: MIT */
#ifndef ANALYST_JIT_NOTE_H
#define ANALYST_JIT_NOTE_H

struct profile;

/*
 * Of processes that took a good part of the time in code which they generated and which has no
 * name, a note each: what would name it. At most three, the greatest first. To be called when all
 * that can be named is. -ENOMEM.
 */
int jit_note_unnamed(struct profile *profile);

#endif
