/* SPDX-License-Identifier: MIT */
#include "tools/help/help.h"
#include "tools/report/report_command.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/standard.h"
#include "base/text.h"
#include "view/report/report.h"

enum option_id {
	OPTION_FORMAT = 256,
	OPTION_SORT,
	OPTION_LIMIT,
	OPTION_MIN_PCT,
	OPTION_WIDTH,
	OPTION_FOCUS,
	OPTION_OBJECT,
	OPTION_THREAD,
	OPTION_SPLIT,
	OPTION_VALUE,
	OPTION_NO_INLINE,
	OPTION_NO_DEMANGLE,
	OPTION_BOTTOM_UP,
	OPTION_ICICLE,
	OPTION_BY,
	OPTION_PATHS,
	OPTION_FAIL_ABOVE,
	OPTION_FROM,
	OPTION_TO,
	OPTION_DIFF,
	OPTION_DEBUGINFOD,
	OPTION_INSTRUCTIONS,
	OPTION_SOURCE_PATH,
	OPTION_COLOR,
	OPTION_PROGRAM,
	OPTION_VERSION,
};

static const struct option long_options[] = {
	{"format", required_argument, NULL, OPTION_FORMAT},
	{"sort", required_argument, NULL, OPTION_SORT},
	{"limit", required_argument, NULL, OPTION_LIMIT},
	{"min-pct", required_argument, NULL, OPTION_MIN_PCT},
	{"width", required_argument, NULL, OPTION_WIDTH},
	{"focus", required_argument, NULL, OPTION_FOCUS},
	{"object", required_argument, NULL, OPTION_OBJECT},
	{"thread", required_argument, NULL, OPTION_THREAD},
	{"split", required_argument, NULL, OPTION_SPLIT},
	{"value", required_argument, NULL, OPTION_VALUE},
	{"no-inline", no_argument, NULL, OPTION_NO_INLINE},
	{"no-demangle", no_argument, NULL, OPTION_NO_DEMANGLE},
	{"bottom-up", no_argument, NULL, OPTION_BOTTOM_UP},
	{"icicle", no_argument, NULL, OPTION_ICICLE},
	{"by", required_argument, NULL, OPTION_BY},
	{"paths", no_argument, NULL, OPTION_PATHS},
	{"debuginfod", no_argument, NULL, OPTION_DEBUGINFOD},
	{"diff", no_argument, NULL, OPTION_DIFF},
	{"fail-above", required_argument, NULL, OPTION_FAIL_ABOVE},
	{"program", required_argument, NULL, OPTION_PROGRAM},
	{"from", required_argument, NULL, OPTION_FROM},
	{"to", required_argument, NULL, OPTION_TO},
	{"instructions", required_argument, NULL, OPTION_INSTRUCTIONS},
	{"source-path", required_argument, NULL, OPTION_SOURCE_PATH},
	{"color", required_argument, NULL, OPTION_COLOR},
	{"output", required_argument, NULL, 'o'},
	{"help", no_argument, NULL, 'h'},
	{"version", no_argument, NULL, OPTION_VERSION},
	{NULL, 0, NULL, 0},
};

/* How a row of a list in a message begins. */
#define LIST_ROW "\n    "

void complain(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	standard_complain("sprofreport", format, args);
	va_end(args);
}

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

static void list_reports(FILE *out)
{
	const struct report *report;

	for (size_t i = 0; (report = report_at(i)); i++)
		fprintf(out, "  %-16s  %s%s\n", report->name, report->help, i ? "" : " (default)");
	fprintf(out, "  %-16s  %s\n", "merge", "all files as one profile");
	fprintf(out, "  %-16s  %s\n", "export", "a file for other programs");
}

static void list_formats(FILE *out)
{
	const struct export_format *format;

	for (size_t i = 0; (format = export_at(i)); i++)
		fprintf(out, "  %-16s  %s\n", format->name, format->help);
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
	list_reports(stdout);
	puts("\nFUNC is the name of a function, or a RE that matches only one\n\n"
	     "FORMAT of export is one of");
	list_formats(stdout);
	fputs(help_sprofreport, stdout);
}

/* The bit of an option without a letter. */
static uint64_t bit_of(int id)
{
	return id >= OPTION_FORMAT ? UINT64_C(1) << (id - OPTION_FORMAT) : 0;
}

/* The index of @word among @words (few and short), or -1 and a message. */
static int choose(const char *option, const char *word, const char *const *words)
{
	char all[100];
	size_t n = 0;

	for (int i = 0; words[i]; i++) {
		if (!strcmp(words[i], word))
			return i;
	}
	for (int i = 0; words[i]; i++)
		n += (size_t)snprintf(all + n, sizeof(all) - n, "%s %s", i ? "," : "", words[i]);
	complain("--%s '%s' is not known; there is%s", option, word, all);
	return -1;
}

static int take_choice(struct command *command, int id, const char *word)
{
	static const char *const sorts[] = {"self", "total", NULL};
	static const char *const splits[] = {"none", "process", "thread", NULL};
	static const char *const bys[] = {
		"time", "share", "rank", "host", "process", "thread", "object", NULL};
	static const char *const instructions[] = {"hot", "all", "none", NULL};
	static const char *const whens[] = {"auto", "always", "never", NULL};
	int chosen;

	switch (id) {
	case OPTION_SORT:
		chosen = choose("sort", word, sorts);
		command->options.sort_by_total = chosen > 0;
		break;
	case OPTION_SPLIT:
		chosen = choose("split", word, splits);
		command->options.split = (enum report_split)(chosen < 0 ? 0 : chosen);
		command->options.programs = false;
		break;
	case OPTION_BY:
		chosen = choose("by", word, bys);
		command->options.by_share = chosen == 1;
		command->options.balance_by = (enum report_by)(chosen > 1 ? chosen - 1 : 0);
		break;
	case OPTION_INSTRUCTIONS:
		chosen = choose("instructions", word, instructions);
		command->options.instructions = (enum report_instructions)(chosen < 0 ? 0 : chosen);
		break;
	default:
		chosen = choose("color", word, whens);
		command->color = (enum when)(chosen < 0 ? 0 : chosen);
		break;
	}
	return chosen < 0 ? EXIT_USAGE : 0;
}

static int take_number(const char *option, const char *word, double most, double *ret_number)
{
	char *end;
	double number = strtod(word, &end);

	if (end == word || *end || !(number >= 0 && number <= most)) {
		complain("--%s '%s' is not a number from 0 to %.0f", option, word, most);
		return EXIT_USAGE;
	}
	*ret_number = number;
	return 0;
}

static int take_limit(struct command *command, const char *word)
{
	double number;
	int status;

	if (strspn(word, "0123456789") != strlen(word)) {
		complain("--limit '%s' is not a whole number; 0 is for all rows", word);
		return EXIT_USAGE;
	}
	status = take_number("limit", word, 4294967295.0, &number);
	if (!status)
		command->options.limit = (unsigned)number;
	return status;
}

static int take_width(struct command *command, const char *word)
{
	double number = 0;
	int status = take_number("width", word, 10000, &number);

	command->options.width = (unsigned)number;
	command->has_width = true;
	return status;
}

static int take_moment(const char *option, const char *word, struct report_moment *moment)
{
	if (report_moment_take(word, moment))
		return 0;
	complain("--%s '%s' is not a time; give it as 2.5s, 500ms, 1m, or -2s before the end",
		option, word);
	return EXIT_USAGE;
}

static int take_source_path(struct command *command, const char *word)
{
	int r = source_files_add(&command->sources, word);

	if (r == -ENOSPC)
		complain("--source-path '%s': %d of them are as many as there may be", word,
			SOURCE_PATHS_MOST);
	else if (r < 0)
		complain("--source-path '%s' is neither OLD=NEW nor a folder", word);
	return r < 0 ? EXIT_USAGE : 0;
}

static int take_option(struct command *command, int id, char **argv)
{
	switch (id) {
	case OPTION_FORMAT: command->format = optarg; return 0;
	case OPTION_SORT:
	case OPTION_SPLIT:
	case OPTION_BY:
	case OPTION_INSTRUCTIONS:
	case OPTION_COLOR: return take_choice(command, id, optarg);
	case OPTION_LIMIT: return take_limit(command, optarg);
	case OPTION_MIN_PCT:
		command->has_min_percent = true;
		return take_number("min-pct", optarg, 100, &command->options.min_percent);
	case OPTION_WIDTH: return take_width(command, optarg);
	case OPTION_SOURCE_PATH: return take_source_path(command, optarg);
	case OPTION_FOCUS: command->options.focus = optarg; return 0;
	case OPTION_OBJECT: command->options.object = optarg; return 0;
	case OPTION_THREAD: command->options.thread = optarg; return 0;
	case OPTION_VALUE: command->options.value = optarg; return 0;
	case OPTION_NO_INLINE: command->options.no_inline = true; return 0;
	case OPTION_NO_DEMANGLE: command->options.no_demangle = true; return 0;
	case OPTION_BOTTOM_UP: command->options.bottom_up = true; return 0;
	case OPTION_ICICLE: command->options.icicle = true; return 0;
	case OPTION_FROM: return take_moment("from", optarg, &command->span.from);
	case OPTION_TO: return take_moment("to", optarg, &command->span.to);
	case OPTION_PATHS: command->options.paths = true; return 0;
	case OPTION_DEBUGINFOD: command->options.fetch = true; return 0;
	case OPTION_DIFF: command->sides = true; return 0;
	case OPTION_FAIL_ABOVE:
		command->options.has_fail_above = true;
		return take_number("fail-above", optarg, 1000000, &command->options.fail_above);
	case OPTION_PROGRAM: command->program = optarg; return 0;
	case 'o': command->output = optarg; return 0;
	case 'h':
		print_help();
		command->done = true;
		return 0;
	case OPTION_VERSION:
		puts("sprofreport " SPROFIL_VERSION);
		command->done = true;
		return 0;
	case ':': complain("%s wants a value; see sprofreport --help", argv[optind - 1]); break;
	default: complain("%s is not an option; see sprofreport --help", argv[optind - 1]); break;
	}
	return EXIT_USAGE;
}

/* The format of the export: by name, or by the suffix of the output. */
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
	list_formats(stderr);
	return EXIT_USAGE;
}

static int take_report_format(struct command *command)
{
	static const char *const formats[] = {"text", "tsv", "csv", "json", NULL};
	int chosen;

	if (command->format && strcmp(command->format, "csv") != 0 &&
		strcmp(command->format, "json") != 0 && export_find(command->format)) {
		complain("--format %s is one of export: sprofreport export --format %s FILE",
			command->format, command->format);
		return EXIT_USAGE;
	}
	chosen = command->format ? choose("format", command->format, formats) : 0;
	if (chosen < 0)
		return EXIT_USAGE;
	command->options.format = (enum report_format)chosen;
	if (!command->has_min_percent && command->options.format == REPORT_TEXT) {
		command->options.min_percent = command->report->text_min_percent;
		command->options.with_self = !command->options.sort_by_total;
	}
	return 0;
}

/*
 * The first word names the report, if it is one. A word that is neither a report nor a file, with
 * files behind it, is a misspelt report. Returns the number of words used.
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
	if (argc > 1 && !strpbrk(argv[0], "./") && strcmp(argv[0], "-") != 0 &&
		access(argv[0], F_OK) < 0) {
		complain("there is no report '%s'; there is", argv[0]);
		list_reports(stderr);
		return -1;
	}
	return 0;
}

/* The words between the name of the report and that of a profile. */
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
 * "FILE tree" is "tree FILE": the name of a report behind files comes first, with its function. A
 * file of such a name is a file.
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

/* The file that sprofrun writes, and a report reads, if none is named. */
static char default_file[] = "sprof.pb.gz";
static char *default_files[] = {default_file, NULL};

static bool is_report(const struct command *command, const char *name)
{
	return command->report && strcmp(command->report->name, name) == 0;
}

/* Does the report read the default file, and is it there? */
static bool has_default(const struct command *command)
{
	return (command->report ? !command->report->print_sides : !command->merges) &&
		!command->program && !is_report(command, "balance") && !command->sides &&
		access(default_file, F_OK) == 0;
}

static int take_words(struct command *command, int argc, char **argv)
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
		complain("no profile is named; sprofrun writes sprof.pb.gz if not told otherwise: "
			 "sprofreport %s%s sprof.pb.gz",
			name, words_before_file(command));
		return EXIT_USAGE;
	}
	command->file = argv + words;
	command->files = argc - words;
	return 0;
}

/* Exports of samples, not of a report: options for rows do not apply. */
#define ALL_SAMPLES " pprof folded speedscope firefox callgrind gmon perf-script "

/*
 * Options that some reports and formats have no use for: all but those of @of, or those of @not_of.
 */
static const struct {
	int option;
	const char *name, *of, *not_of;
} partial[] = {
	{OPTION_BOTTOM_UP, "bottom-up", " tree svg html ", NULL},
	{OPTION_ICICLE, "icicle", " svg html ", NULL},
	{OPTION_INSTRUCTIONS, "instructions", " annotate ", NULL},
	{OPTION_SOURCE_PATH, "source-path", " annotate html ", NULL},
	{OPTION_SORT, "sort", " flat lines tree callers diff html csv json ", NULL},
	{OPTION_SPLIT, "split", " flat lines tree timeline folded svg html csv json ", NULL},
	{OPTION_LIMIT, "limit", NULL, " annotate summary merge" ALL_SAMPLES},
	{OPTION_MIN_PCT, "min-pct", NULL, " summary merge" ALL_SAMPLES},
	{OPTION_VALUE, "value", NULL, " summary merge pprof "},
	{OPTION_FOCUS, "focus", NULL, " summary "},
	{OPTION_OBJECT, "object", NULL, " summary "},
	{OPTION_THREAD, "thread", NULL, " summary "},
	{OPTION_NO_INLINE, "no-inline", NULL, " summary merge pprof gmon "},
	{OPTION_NO_DEMANGLE, "no-demangle", NULL, " summary merge pprof gmon "},
};

/* An option without effect is refused. */
static int check_partial(const struct command *command, uint64_t given)
{
	const char *report = command->report ? command->report->name
		: command->merges            ? "merge"
					     : command->export_format->name;
	char name[40];

	(void)snprintf(name, sizeof(name), " %s ", report);
	for (size_t i = 0; i < sizeof(partial) / sizeof(partial[0]); i++) {
		const char *of = partial[i].of;
		bool has_use = of ? strstr(of, name) != NULL : !strstr(partial[i].not_of, name);

		if (has_use || !(given & bit_of(partial[i].option)))
			continue;
		complain("--%s does nothing in '%s'%s%.*s", partial[i].name, report,
			of ? ": it is for" : "", of ? (int)strlen(of) - 1 : 0, of ? of : "");
		return EXIT_USAGE;
	}
	if (given & bit_of(OPTION_SORT) && !command->options.sort_by_total &&
		(is_report(command, "tree") || is_report(command, "callers"))) {
		complain("'%s' is always sorted by total: leave --sort self out", report);
		return EXIT_USAGE;
	}
	return 0;
}

/* flat has tables by process, thread and object; merge compares ranks, hosts and processes. */
static int check_by(const struct command *command)
{
	enum report_by by = command->options.balance_by;

	if (by && by <= REPORT_BY_HOST && !is_report(command, "balance")) {
		complain("--by rank and host are for merge: sprofreport merge --by rank FILE...");
		return EXIT_USAGE;
	}
	if (by >= REPORT_BY_THREAD && !is_report(command, "flat")) {
		complain("--by thread and object are for flat: sprofreport flat --by thread");
		return EXIT_USAGE;
	}
	if (by == REPORT_BY_PROCESS && !is_report(command, "flat") &&
		!is_report(command, "balance")) {
		complain("--by process is for flat and merge: sprofreport flat --by process");
		return EXIT_USAGE;
	}
	return 0;
}

/* The files before "--" are side A, those behind it side B; without it there is one of each. */
static int take_sides(struct command *command, int behind, bool has_by)
{
	bool wants_sides = command->report ? command->report->print_sides != NULL : command->sides;
	int status = check_by(command);

	if (status)
		return status;
	if (command->options.fetch && !is_report(command, "doctor")) {
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
		complain("--fail-above, --paths and --by are for diff: sprofreport diff A B");
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
	return 0;
}

/* The number of arguments behind "--". */
static int count_behind(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--"))
			return argc - i - 1;
	}
	return 0;
}

int command_parse(struct command *command, int argc, char **argv)
{
	int id, status, behind = count_behind(argc, argv);
	uint64_t given = 0;

	opterr = 0;
	while ((id = getopt_long(argc, argv, ":o:h", long_options, NULL)) != -1) {
		status = take_option(command, id, argv);
		if (status || command->done)
			return status;
		given |= bit_of(id);
	}
	status = take_words(command, argc - optind, argv + optind);
	if (!status)
		status = check_partial(command, given);
	return status ? status : take_sides(command, behind, given & bit_of(OPTION_BY));
}
