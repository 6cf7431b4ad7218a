/* SPDX-License-Identifier: MIT */
#ifndef ANALYST_PYTHON_NOTE_H
#define ANALYST_PYTHON_NOTE_H

struct profile;

#include <stdbool.h>

/*
 * Adds a note on how to get names if at least 5 % of the CPU time is in a Python interpreter whose
 * stacks name no function of Python. The note is about the process with most of that time. @shown:
 * functions of Python were searched for (--python). To be called after everything else has been
 * named. -ENOMEM.
 */
int python_note(struct profile *profile, bool shown);

#endif
