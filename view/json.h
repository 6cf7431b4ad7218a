/* SPDX-License-Identifier: MIT */
#ifndef VIEW_JSON_H
#define VIEW_JSON_H

#include <stdio.h>

/* Prints @text as a JSON string with quotes; invalid UTF-8 becomes U+FFFD. */
void json_string(FILE *out, const char *text);

#endif
