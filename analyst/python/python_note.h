/* SPDX-License-Identifier: MIT */
#ifndef ANALYST_PYTHON_NOTE_H
#define ANALYST_PYTHON_NOTE_H

struct profile;

#include <stdbool.h>

/*
 * Adds a note that says how to get the names of Python's functions. The note is about the process
 * with the most CPU time in a Python interpreter whose stacks name no function of Python. There is
 * no note if this time is less than 5 % of all CPU time, or not more than the process's time in
 * stacks that name one. @shown: frames of Python were searched for (--python). To be called after
 * all naming. -ENOMEM.
 */
int python_note(struct profile *profile, bool shown);

#endif
