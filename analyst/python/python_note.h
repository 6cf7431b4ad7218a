/* SPDX-License-Identifier: MIT */
#ifndef ANALYST_PYTHON_NOTE_H
#define ANALYST_PYTHON_NOTE_H

struct profile;

#include <stdbool.h>

/*
 * Adds a note if a good part of the time is in a Python interpreter whose stacks name no function
 * of Python: how to get names. @shown: they were looked for. One note, of the process with most of
 * that time. Call after everything else has been named. -ENOMEM.
 */
int python_note(struct profile *profile, bool shown);

#endif
