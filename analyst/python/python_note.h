/* SPDX-License-Identifier: MIT */
#ifndef ANALYST_PYTHON_NOTE_H
#define ANALYST_PYTHON_NOTE_H

struct profile;

#include <stdbool.h>

/*
 * If at least 5 % of the CPU time is in a Python interpreter whose stacks name no function of
 * Python, adds a note, about the process with most of that time, that says how to get names.
 * @shown: frames of Python were searched for (--python). To be called after all naming. -ENOMEM.
 */
int python_note(struct profile *profile, bool shown);

#endif
