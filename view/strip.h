/* SPDX-License-Identifier: MIT */
/* A heat strip: a character for each part of the time, the higher the more there was. */
#ifndef VIEW_STRIP_H
#define VIEW_STRIP_H

#include <stdbool.h>
#include <stdio.h>

/* The character for a share of 0 to 1 (more is 1): nothing is a blank. */
const char *strip_character(double share, bool ascii);

/* Prints it, with @color in that of its heat. */
void strip_put(double share, bool ascii, bool color, FILE *out);

#endif
