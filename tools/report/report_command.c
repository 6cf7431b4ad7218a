/* SPDX-License-Identifier: MIT */
#include "tools/report/report_command.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/command_line.h"
#include "base/text.h"
#include "tools/help/help.h"
#include "tools/report/report_words.h"

/* The beginning of a list item in a message. */
#define LIST_ROW "\n    "

void complain_list(const char *text)
{
	size_t bytes;

	for (bool first = true; *text; first = false, text += bytes) {
		const char *next = strstr(text + 1, LIST_ROW);
		char *line;

		bytes = next ? (size_t)(next - text) : strlen(text);
		line = strndup(text, bytes);
		if (line && first)
			complain("%s", line);
		if (line && !first) {
			text_put(line + 1, stderr);
			(void)fputc('\n', stderr);
		}
		free(line);
	}
}

static void print_help(void)
{
	puts("usage: sprofreport [REPORT] [OPTION...] [FILE...]\n"
	     "       sprofreport callers FUNC [OPTION...] [FILE...]\n"
	     "       sprofreport annotate FUNC [OPTION...] [FILE...]\n"
	     "       sprofreport diff [OPTION...] A B, or A1 A2... -- B1 B2...\n"
	     "       sprofreport merge [-o OUT] FILE...\n"
	     "       sprofreport merge --by rank|host|process FILE...\n"
	     "       sprofreport export --format FORMAT [-o OUT] [OPTION...] [FILE...]\n"
	     "       sprofreport export --format svg --diff [OPTION...] A B\n\n"
	     "REPORT is one of");
	report_words_list(stdout);
	puts("\nFUNC is the name of a function, or a RE that matches only one\n\n"
	     "FORMAT of export is one of");
	report_words_list_formats(stdout);
	fputs(help_sprofreport, stdout);
}

static int take_from(void *command, char *word)
{
	return report_moment_take(word, &((struct command *)command)->span.from) ? 0 : -EINVAL;
}

static int take_to(void *command, char *word)
{
	return report_moment_take(word, &((struct command *)command)->span.to) ? 0 : -EINVAL;
}

static int take_source_path(void *command, char *word)
{
	int r = source_files_add(&((struct command *)command)->sources, word);

	if (r == -ENOSPC)
		complain("--source-path '%s': %d of them are as many as there may be", word,
			SOURCE_PATHS_MOST);
	else if (r < 0)
		complain("--source-path '%s' is neither OLD=NEW nor a folder", word);
	return r < 0;
}

static int take_help(void *command, char *word)
{
	(void)word;
	print_help();
	((struct command *)command)->done = true;
	return 1;
}

static int take_version(void *command, char *word)
{
	(void)word;
	puts("sprofreport " SPROFIL_VERSION);
	((struct command *)command)->done = true;
	return 1;
}

#define NOT_A_TIME "is not a time; give it as 2.5s, 500ms, 1m, or -2s before the end"
#define AT(member) .at = offsetof(struct command, member)

static const struct option_row rows[] = {
	{"format", 0, OPTION_TEXT, AT(format)},
	{"sort", 0, OPTION_SWITCH, AT(options.sort_by_total), .words = "self|total"},
	{"limit", 0, OPTION_COUNT, AT(options.limit), NULL, NULL,
		"is not a whole number; 0 is for all rows", .most = UINT32_MAX},
	{"min-pct", 0, OPTION_DECIMAL, AT(options.min_percent), NULL, NULL,
		"is not a number from 0 to 100", .most = 100},
	{"width", 0, OPTION_COUNT, AT(options.width), NULL, NULL, "is not a number from 0 to 10000",
		.most = 10000},
	{"focus", 0, OPTION_TEXT, AT(options.focus)},
	{"object", 0, OPTION_TEXT, AT(options.object)},
	{"thread", 0, OPTION_TEXT, AT(options.thread)},
	{"split", 0, OPTION_CHOICE, AT(options.split), .words = "none|process|thread"},
	{"value", 0, OPTION_TEXT, AT(options.value)},
	{"no-inline", 0, OPTION_FLAG, AT(options.no_inline)},
	{"no-demangle", 0, OPTION_FLAG, AT(options.no_demangle)},
	{"bottom-up", 0, OPTION_FLAG, AT(options.bottom_up)},
	{"icicle", 0, OPTION_FLAG, AT(options.icicle)},
	{"by", 0, OPTION_CHOICE, AT(by), .words = "time|share|rank|host|process|thread|object"},
	{"paths", 0, OPTION_FLAG, AT(options.paths)},
	{"debuginfod", 0, OPTION_FLAG, AT(options.fetch)},
	{"diff", 0, OPTION_FLAG, AT(sides)},
	{"fail-above", 0, OPTION_DECIMAL, AT(options.fail_above), NULL, NULL,
		"is not a number from 0 to 1000000", .most = 1000000},
	{"program", 0, OPTION_TEXT, AT(program)},
	{"from", 0, OPTION_TAKE, .take = take_from, NULL, NOT_A_TIME},
	{"to", 0, OPTION_TAKE, .take = take_to, NULL, NOT_A_TIME},
	{"instructions", 0, OPTION_CHOICE, AT(options.instructions), .words = "hot|all|none"},
	{"source-path", 0, OPTION_TAKE, .take = take_source_path},
	{"color", 0, OPTION_CHOICE, AT(color), .words = "auto|always|never"},
	{"output", 'o', OPTION_TEXT, AT(output)},
	{"help", 'h', OPTION_DO, .take = take_help},
	{"version", 0, OPTION_DO, .take = take_version},
};

/*
 * Formats that export samples, not a report's rows. Options that choose rows have no effect on
 * them.
 */
#define ALL_SAMPLES " pprof folded speedscope firefox callgrind gmon perf-script "

/* An option, and names of reports and formats. */
struct option_reports {
	const char *name, *reports;
};

/* Options that have an effect only in these reports and formats. */
static const struct option_reports only_in[] = {
	{"bottom-up", " tree svg html "},
	{"icicle", " svg html "},
	{"instructions", " annotate "},
	{"source-path", " annotate html "},
	{"sort", " flat lines tree callers diff html csv json "},
	{"split", " flat lines tree timeline folded svg html csv json "},
};

/* Options that have an effect in all reports and formats but these. */
static const struct option_reports not_in[] = {
	{"limit", " annotate summary merge" ALL_SAMPLES},
	{"min-pct", " summary merge" ALL_SAMPLES},
	{"value", " summary merge pprof "},
	{"focus", " summary "},
	{"object", " summary "},
	{"thread", " summary "},
	{"no-inline", " summary merge pprof gmon "},
	{"no-demangle", " summary merge pprof gmon "},
};

/* Refuses options without effect. */
static int check_reports(const struct command *command, const struct option_set *given)
{
	const char *report = command->report ? command->report->name
		: command->merges            ? "merge"
					     : command->export_format->name;
	char name[40];

	(void)snprintf(name, sizeof(name), " %s ", report);
	for (size_t i = 0; i < sizeof(only_in) / sizeof(*only_in); i++) {
		const char *reports = only_in[i].reports;

		if (strstr(reports, name) || !command_line_given(given, only_in[i].name))
			continue;
		complain("--%s does nothing in '%s': it is for%.*s", only_in[i].name, report,
			(int)strlen(reports) - 1, reports);
		return EXIT_USAGE;
	}
	for (size_t i = 0; i < sizeof(not_in) / sizeof(*not_in); i++) {
		if (!strstr(not_in[i].reports, name) || !command_line_given(given, not_in[i].name))
			continue;
		complain("--%s does nothing in '%s'", not_in[i].name, report);
		return EXIT_USAGE;
	}
	if (command_line_given(given, "sort") && !command->options.sort_by_total &&
		(report_words_name(command, "tree") || report_words_name(command, "callers"))) {
		complain("'%s' is always sorted by total: leave --sort self out", report);
		return EXIT_USAGE;
	}
	return 0;
}

/*
 * Refuses options without effect. --diff has no --split and no --bottom-up. A table of --by
 * process, thread or object has its own rows and order: no --split, no --sort.
 */
static int check_form(const struct command *command, const struct option_set *given)
{
	static const char *const of_sides[] = {"split", "bottom-up"};
	static const char *const of_tables[] = {"split", "sort"};
	bool is_table = command->options.balance_by >= REPORT_BY_PROCESS;
	const char *const *option = command->sides ? of_sides : of_tables;

	for (size_t i = 0; (command->sides || is_table) && i < 2; i++) {
		if (!command_line_given(given, option[i]))
			continue;
		complain("--%s does nothing with %s", option[i],
			command->sides ? "--diff" : "--by");
		return EXIT_USAGE;
	}
	return 0;
}

/*
 * Refuses a value of --by that the report cannot use. process, thread and object are for flat;
 * rank, host and process for merge.
 */
static int check_by(const struct command *command)
{
	enum report_by by = command->options.balance_by;

	if (by && by <= REPORT_BY_HOST && !report_words_name(command, "balance")) {
		complain("--by rank and host are for merge: sprofreport merge --by rank FILE...");
		return EXIT_USAGE;
	}
	if (by >= REPORT_BY_THREAD && !report_words_name(command, "flat")) {
		complain("--by thread and object are for flat: sprofreport flat --by thread");
		return EXIT_USAGE;
	}
	if (by == REPORT_BY_PROCESS && !report_words_name(command, "flat") &&
		!report_words_name(command, "balance")) {
		complain("--by process is for flat and merge: sprofreport flat --by process; the "
			 "others have --split process");
		return EXIT_USAGE;
	}
	return 0;
}

/*
 * Divides the files into two sides. With "--", the files before it are side A, and the @behind
 * files after it are side B. Without "--", there must be two files, one for each side. Refuses
 * options that need another report.
 */
static int take_sides(struct command *command, int behind, bool has_by)
{
	bool wants_sides = command->report ? command->report->print_sides != NULL : command->sides;
	int status = check_by(command);

	if (status)
		return status;
	if (command->options.fetch && !report_words_name(command, "doctor")) {
		complain("--debuginfod is for doctor: sprofreport doctor --debuginfod FILE; later "
			 "runs of sprofrun find what it got");
		return EXIT_USAGE;
	}
	if (command->sides && (command->report || !command->export_format->write_sides)) {
		complain("--diff is for flame graphs of two sides: sprofreport export --format svg "
			 "--diff A B; the report is sprofreport diff A B");
		return EXIT_USAGE;
	}
	if ((!wants_sides && has_by && !command->options.balance_by) ||
		(!(command->report && wants_sides) &&
			(command->options.has_fail_above || command->options.paths))) {
		complain("%s for diff: sprofreport diff A B",
			command->options.has_fail_above  ? "--fail-above is"
				: command->options.paths ? "--paths is"
							 : "--by time and --by share are");
		return EXIT_USAGE;
	}
	if (!wants_sides)
		return 0;
	if (!behind || behind == command->files)
		behind = command->files == 2 ? 1 : 0;
	if (!behind) {
		complain("diff compares two sides: sprofreport diff A B, or of several runs each "
			 "sprofreport diff A1 A2 A3 -- B1 B2 B3");
		return EXIT_USAGE;
	}
	command->files_a = command->files - behind;
	for (int i = command->files_a; i < command->files; i++) {
		if (command->file[i][0] == '-' && command->file[i][1] &&
			access(command->file[i], F_OK) < 0) {
			complain("behind -- all words are files, %s too: options come before the "
				 "files, as in sprofreport diff %s A -- B",
				command->file[i], command->file[i]);
			return EXIT_USAGE;
		}
	}
	return 0;
}

/* Counts the arguments after "--". */
static int count_behind(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--"))
			return argc - i - 1;
	}
	return 0;
}

/* Sets what depends on whether an option was given, whatever its value. */
static void settle(struct command *command, const struct option_set *given)
{
	command->has_width = command_line_given(given, "width");
	command->has_min_percent = command_line_given(given, "min-pct");
	command->options.has_fail_above = command_line_given(given, "fail-above");
	if (command_line_given(given, "split"))
		command->options.programs = false;
	command->options.by_share = command->by == 1;
	command->options.balance_by = (enum report_by)(command->by > 1 ? command->by - 1 : 0);
}

/*
 * Refuses an unknown option. @word: the argument read last; optopt: the unknown letter in @word, or
 * 0.
 */
static void refuse_option(const struct option_set *set, const char *word)
{
	const char *likely = command_line_likely(set, 1, word);
	const char letter[3] = {'-', (char)optopt};

	complain("%s is not an option%s%s; see sprofreport --help", optopt ? letter : word,
		likely ? "; there is --" : "", likely ? likely : "");
}

int command_parse(struct command *command, int argc, char **argv)
{
	struct option_set given = {OPTION_ROWS(rows), command, 0};
	int status, behind = count_behind(argc, argv);
	const struct option_row *row;

	opterr = 0;
	switch (command_line_parse(&given, 1, ":", argc, argv, &row)) {
	case COMMAND_LINE_DONE: break;
	case COMMAND_LINE_ENDED: return command->done ? 0 : EXIT_USAGE;
	case COMMAND_LINE_WRONG:
		if (!row->wrong)
			return report_words_refuse(row->name, optarg, row->words);
		complain("--%s '%s' %s", row->name, optarg, row->wrong);
		return EXIT_USAGE;
	case COMMAND_LINE_NO_VALUE:
		complain("%s wants a value; see sprofreport --help", argv[optind - 1]);
		return EXIT_USAGE;
	default: refuse_option(&given, argv[optind - 1]); return EXIT_USAGE;
	}
	settle(command, &given);
	status = report_words_take(command, argc - optind, argv + optind);
	if (!status)
		status = check_reports(command, &given);
	if (!status)
		status = check_form(command, &given);
	return status ? status : take_sides(command, behind, command_line_given(&given, "by"));
}
