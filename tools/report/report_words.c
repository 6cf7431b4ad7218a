/* SPDX-License-Identifier: MIT */
#include "tools/report/report_words.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/command_line.h"
#include "base/text.h"
#include "view/report/report.h"

void report_words_list(FILE *out)
{
	const struct report *report;

	for (size_t i = 0; (report = report_at(i)); i++)
		fprintf(out, "  %-16s  %s%s\n", report->name, report->help, i ? "" : " (default)");
	fprintf(out, "  %-16s  %s\n", "merge", "all files as one profile");
	fprintf(out, "  %-16s  %s\n", "export", "a file for other programs");
}

void report_words_list_formats(FILE *out)
{
	const struct export_format *format;

	for (size_t i = 0; (format = export_at(i)); i++)
		fprintf(out, "  %-16s  %s\n", format->name, format->help);
}

int report_words_refuse(const char *option, const char *word, const char *words)
{
	char all[100];
	size_t n = 0;

	for (const char *p = words; *p && n + 2 < sizeof(all); p++) {
		all[n++] = *p == '|' ? ',' : *p;
		if (*p == '|')
			all[n++] = ' ';
	}
	complain("--%s '%s' is not known; there is %.*s", option, word, (int)n, all);
	return EXIT_USAGE;
}

/*
 * Sets the format of the export: the one that --format names or, without --format, that of the
 * output file's suffix.
 */
static int take_export_format(struct command *command)
{
	const char *name = command->format;
	const char *dot = command->output ? strrchr(text_basename(command->output), '.') : NULL;

	if (command->merges && name) {
		complain("merge writes the native format: sprofreport export --format %s FILE... "
			 "merges, too",
			name);
		return EXIT_USAGE;
	}
	if (command->merges)
		command->export_format = export_at(0);
	else if (name)
		command->export_format = export_find(name);
	else if (command->output)
		command->export_format = export_find_for_file(command->output);
	if (command->export_format)
		return 0;
	if (name)
		complain("--format '%s' is not known to export; there is", name);
	else if (dot && dot > text_basename(command->output))
		complain("no format's name ends in %s: give --format FORMAT, one of", dot);
	else
		complain("export to which format? Give --format FORMAT, one of");
	report_words_list_formats(stderr);
	return EXIT_USAGE;
}

static int take_report_format(struct command *command)
{
	static const char formats[] = "text|tsv|csv|json";
	int chosen = command->format ? command_line_word(formats, command->format) : 0;

	if (command->format && strcmp(command->format, "csv") != 0 &&
		strcmp(command->format, "json") != 0 && export_find(command->format)) {
		complain("--format %s is one of export: sprofreport export --format %s FILE",
			command->format, command->format);
		return EXIT_USAGE;
	}
	if (chosen < 0)
		return report_words_refuse("format", command->format, formats);
	command->options.format = (enum report_format)chosen;
	if (!command->has_min_percent && command->options.format == REPORT_TEXT) {
		command->options.min_percent = command->report->text_min_percent;
		command->options.with_self = !command->options.sort_by_total;
	}
	return 0;
}

/*
 * Takes the first word if it names a report. Returns the number of words taken, 1 or 0. -1, after a
 * message: the word is probably a misspelt report, as it consists of small letters, and there is no
 * file of that name.
 */
static int take_report(struct command *command, int argc, char **argv)
{
	command->report = report_at(0);
	if (argc && (!strcmp(argv[0], "export") || !strcmp(argv[0], "merge"))) {
		command->report = NULL;
		command->merges = argv[0][0] == 'm';
		if (command->merges && command->options.balance_by) {
			command->merges = false;
			command->report = report_find("balance");
		}
		return 1;
	}
	if (argc && report_find(argv[0])) {
		command->report = report_find(argv[0]);
		return 1;
	}
	if (argc && !argv[0][strspn(argv[0], "abcdefghijklmnopqrstuvwxyz")] &&
		access(argv[0], F_OK) < 0) {
		complain("there is no report '%s', and no file; the reports are", argv[0]);
		report_words_list(stderr);
		return -1;
	}
	return 0;
}

/* Returns the words before the file for a proposed command line: "callers FUNC sprof.pb.gz". */
static const char *words_before_file(const struct command *command)
{
	if (command->options.function)
		return " FUNC";
	if (command->report)
		return command->report->print_sides ? " OLD.pb.gz" : "";
	return command->merges ? " -o OUT" : " --format FORMAT";
}

static bool is_report_word(const char *word)
{
	return report_find(word) || !strcmp(word, "export") || !strcmp(word, "merge");
}

/*
 * Reorders "FILE tree" to "tree FILE": moves the report's name before the files, with the
 * function's name if the report needs one. A word that names an existing file is not taken for a
 * report.
 */
static void put_report_first(int argc, char **argv)
{
	int at = 0, words = 1;

	while (at < argc && access(argv[at], F_OK) == 0 && !is_report_word(argv[at]))
		at++;
	if (!at || at == argc || !is_report_word(argv[at]) || access(argv[at], F_OK) == 0)
		return;
	words += report_find(argv[at]) && report_find(argv[at])->wants_function && at + 1 < argc;
	for (int i = 0; i < words; i++) {
		char *word = argv[at + i];

		memmove(argv + i + 1, argv + i, (size_t)at * sizeof(*argv));
		argv[i] = word;
	}
}

/* sprofrun writes this file, and a report reads it, if no file is given. */
static char default_file[] = "sprof.pb.gz";
static char *default_files[] = {default_file, NULL};

bool report_words_name(const struct command *command, const char *name)
{
	return command->report && strcmp(command->report->name, name) == 0;
}

/* May the report read the default file, and does that file exist? */
static bool has_default(const struct command *command)
{
	return (command->report ? !command->report->print_sides : !command->merges) &&
		!command->program && !report_words_name(command, "balance") && !command->sides &&
		access(default_file, F_OK) == 0;
}

int report_words_take(struct command *command, int argc, char **argv)
{
	int words, status;
	const char *name;

	put_report_first(argc, argv);
	words = take_report(command, argc, argv);
	if (words < 0)
		return EXIT_USAGE;
	status = command->report ? take_report_format(command) : take_export_format(command);
	if (status)
		return status;
	name = command->report ? command->report->name : command->merges ? "merge" : "export";
	if (command->report && command->report->wants_function) {
		if (argc <= words) {
			complain("%s%s which function? sprofreport %s FUNC sprof.pb.gz", name,
				strcmp(name, "callers") != 0 ? "" : " of", name);
			return EXIT_USAGE;
		}
		command->options.function = argv[words++];
		if (argc <= words && access(command->options.function, F_OK) == 0) {
			complain("'%s' is a file, and stands where the function's name is wanted: "
				 "sprofreport %s FUNC %s",
				command->options.function, name, command->options.function);
			return EXIT_USAGE;
		}
	}
	if (argc <= words && has_default(command)) {
		command->file = default_files;
		command->files = 1;
		return 0;
	}
	if (argc <= words) {
		complain(
			"no profile is named%s; sprofrun writes sprof.pb.gz if not told otherwise: "
			"sprofreport %s%s sprof.pb.gz",
			access(default_file, F_OK) == 0 ? "" : ", and sprof.pb.gz is not here",
			name, words_before_file(command));
		return EXIT_USAGE;
	}
	command->file = argv + words;
	command->files = argc - words;
	return 0;
}
