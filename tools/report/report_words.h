/* SPDX-License-Identifier: MIT */
/* The words of sprofreport's command line besides options; the lists of reports and formats. */
#ifndef TOOLS_REPORT_REPORT_WORDS_H
#define TOOLS_REPORT_REPORT_WORDS_H

#include <stdio.h>

#include "tools/report/report_command.h"

/* Takes all words that are not options. 0, or EXIT_USAGE after a message. */
int report_words_take(struct command *command, int argc, char **argv);

bool report_words_name(const struct command *command, const char *name);

/* Lists reports, or formats of export, one a line, with their help. */
void report_words_list(FILE *out);
void report_words_list_formats(FILE *out);

/* Prints that @word is none of @words ("a|b|c"), and returns EXIT_USAGE. */
int report_words_refuse(const char *option, const char *word, const char *words);

#endif
