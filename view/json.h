/* SPDX-License-Identifier: MIT */
#ifndef VIEW_JSON_H
#define VIEW_JSON_H

#include <stdio.h>

/* @text as a JSON string, quotes included. Bytes that are not UTF-8 become U+FFFD. */
void json_string(FILE *out, const char *text);

#endif
