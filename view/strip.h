/* SPDX-License-Identifier: MIT */
/* A heat strip: one character for each interval of time, a higher block for a larger share. */
#ifndef VIEW_STRIP_H
#define VIEW_STRIP_H

#include <stdbool.h>
#include <stdio.h>

/* Returns the character for a share of 0 to 1 (more counts as 1): a blank for 0. */
const char *strip_character(double share, bool ascii);

/* Prints the character, with @color in the colour of its heat. */
void strip_put(double share, bool ascii, bool color, FILE *out);

#endif
