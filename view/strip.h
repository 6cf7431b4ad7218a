/* SPDX-License-Identifier: MIT */
/* A heat strip: one character for each interval of time, a higher block for a larger share. */
#ifndef VIEW_STRIP_H
#define VIEW_STRIP_H

#include <stdbool.h>
#include <stdio.h>

/* @share: 0 (a blank) to 1; more counts as 1. */
const char *strip_character(double share, bool ascii);

void strip_put(double share, bool ascii, bool color, FILE *out);

#endif
