/* SPDX-License-Identifier: MIT */
/* The command line of sprofreport. */
#ifndef TOOLS_REPORT_REPORT_COMMAND_H
#define TOOLS_REPORT_REPORT_COMMAND_H

#include "base/standard.h"
#include "tools/inspector/source_files.h"
#include "tools/report/report_span.h"
#include "view/export/export.h"
#include "view/report/report.h"

enum { EXIT_FAILED = 1, EXIT_USAGE = 2 };

enum when { WHEN_AUTO, WHEN_ALWAYS, WHEN_NEVER };

struct command {
	struct report_options options;
	const struct report *report;               /* NULL: the command is an export */
	const struct export_format *export_format; /* NULL: the command is a report */
	const char *format, *output;
	/* program whose mon.out files (profile/monout.h) are read; NULL: the files are profiles */
	const char *program;
	struct source_files sources;
	char **file;
	int files;
	int files_a; /* for a report of two sides: number of files of side A, which come first */
	struct report_span span;
	unsigned by; /* index of the word of --by */
	enum when color;
	bool merges; /* merges all files, in the native format */
	bool sides;  /* export of two sides */
	bool has_min_percent, has_width;
	bool done; /* --help or --version was given */
};

/* Parses the command line; handles --help and --version. 0, or an exit status after a message. */
int command_parse(struct command *command, int argc, char **argv);

/* Prints "sprofreport: …" on stderr. */
#define complain(...) standard_complain("sprofreport", __VA_ARGS__)
/* Prints a message that contains a list, an item of the list in each line. */
void complain_list(const char *text);

#endif
