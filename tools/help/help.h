/* SPDX-License-Identifier: MIT */
/* What --help prints: the text files of this folder. */
#ifndef TOOLS_HELP_HELP_H
#define TOOLS_HELP_HELP_H

extern const char help_sprofrun[], help_sproftop[], help_sprofserve[];
/* Printed after the lists of reports and formats. */
extern const char help_sprofreport[];

#endif
