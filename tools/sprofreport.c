/* SPDX-License-Identifier: MIT */
/* Reads profiles and prints a report about them. Options and wiring only; see view/. */
#include <errno.h>
#include <getopt.h>
#include <langinfo.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "profile/file.h"
#include "profile/profile.h"
#include "tools/pager.h"
#include "view/report.h"

enum { EXIT_FAILED = 1, EXIT_USAGE = 2 };

enum option_id {
	OPTION_FORMAT = 256,
	OPTION_SORT,
	OPTION_LIMIT,
	OPTION_MIN_PCT,
	OPTION_FOCUS,
	OPTION_OBJECT,
	OPTION_THREAD,
	OPTION_SPLIT,
	OPTION_NO_INLINE,
	OPTION_NO_DEMANGLE,
	OPTION_COLOR,
	OPTION_VERSION,
};

static const struct option long_options[] = {
	{"format", required_argument, NULL, OPTION_FORMAT},
	{"sort", required_argument, NULL, OPTION_SORT},
	{"limit", required_argument, NULL, OPTION_LIMIT},
	{"min-pct", required_argument, NULL, OPTION_MIN_PCT},
	{"focus", required_argument, NULL, OPTION_FOCUS},
	{"object", required_argument, NULL, OPTION_OBJECT},
	{"thread", required_argument, NULL, OPTION_THREAD},
	{"split", required_argument, NULL, OPTION_SPLIT},
	{"no-inline", no_argument, NULL, OPTION_NO_INLINE},
	{"no-demangle", no_argument, NULL, OPTION_NO_DEMANGLE},
	{"color", required_argument, NULL, OPTION_COLOR},
	{"output", required_argument, NULL, 'o'},
	{"help", no_argument, NULL, 'h'},
	{"version", no_argument, NULL, OPTION_VERSION},
	{NULL, 0, NULL, 0},
};

static const char help_options[] =
	"\n"
	"FILE is a profile of sprofrun or any other pprof file, - standard input; several are "
	"merged.\n"
	"\n"
	"  --format FORMAT   text (default), tsv, csv, json\n"
	"  --sort KEY        self (default), total\n"
	"  --limit N         at most N rows, 0 all (default)\n"
	"  --min-pct P       no rows below P percent\n"
	"  --focus RE        only samples with a function that matches\n"
	"  --object RE       only samples in an object whose path matches\n"
	"  --thread RE       only threads whose name matches\n"
	"  --split BY        rows apart by process or thread\n"
	"  --no-inline       count inlined functions as the one they are part of\n"
	"  --no-demangle     names as the linker knows them\n"
	"  --color WHEN      auto (default), always, never\n"
	"  -o, --output OUT  write to the file OUT\n"
	"  -h, --help        this\n"
	"  --version         the version\n"
	"\n"
	"RE is a POSIX extended regular expression.\n";

enum when { WHEN_AUTO, WHEN_ALWAYS, WHEN_NEVER };

struct command {
	struct report_options options;
	const struct report *report;
	const char *output;
	char **file;
	int files;
	enum when color;
	bool done; /* --help, --version */
};

__attribute__((format(printf, 1, 2))) static void complain(const char *format, ...)
{
	va_list args;

	fputs("sprofreport: ", stderr);
	va_start(args, format);
	(void)vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
}

static void list_reports(FILE *out)
{
	const struct report *report;

	for (size_t i = 0; (report = report_at(i)); i++)
		fprintf(out, "  %-16s  %s%s\n", report->name, report->help, i ? "" : " (default)");
}

static void print_help(void)
{
	puts("usage: sprofreport [REPORT] [OPTION...] FILE...\n\nREPORT is one of");
	list_reports(stdout);
	fputs(help_options, stdout);
}

/* The index of @word among @words, or -1 and a complaint. */
static int choose(const char *option, const char *word, const char *const *words)
{
	for (int i = 0; words[i]; i++) {
		if (!strcmp(words[i], word))
			return i;
	}
	fprintf(stderr, "sprofreport: --%s '%s' is not known; there is", option, word);
	for (int i = 0; words[i]; i++)
		fprintf(stderr, "%s %s", i ? "," : "", words[i]);
	fputc('\n', stderr);
	return -1;
}

static int take_choice(struct command *command, int id, const char *word)
{
	static const char *const formats[] = {"text", "tsv", "csv", "json", NULL};
	static const char *const sorts[] = {"self", "total", NULL};
	static const char *const splits[] = {"none", "process", "thread", NULL};
	static const char *const whens[] = {"auto", "always", "never", NULL};
	int chosen;

	switch (id) {
	case OPTION_FORMAT:
		chosen = choose("format", word, formats);
		command->options.format = (enum report_format)(chosen < 0 ? 0 : chosen);
		break;
	case OPTION_SORT:
		chosen = choose("sort", word, sorts);
		command->options.sort_by_total = chosen > 0;
		break;
	case OPTION_SPLIT:
		chosen = choose("split", word, splits);
		command->options.split = (enum report_split)(chosen < 0 ? 0 : chosen);
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

static int take_option(struct command *command, int id, char **argv)
{
	switch (id) {
	case OPTION_FORMAT:
	case OPTION_SORT:
	case OPTION_SPLIT:
	case OPTION_COLOR: return take_choice(command, id, optarg);
	case OPTION_LIMIT: return take_limit(command, optarg);
	case OPTION_MIN_PCT:
		return take_number("min-pct", optarg, 100, &command->options.min_percent);
	case OPTION_FOCUS: command->options.focus = optarg; return 0;
	case OPTION_OBJECT: command->options.object = optarg; return 0;
	case OPTION_THREAD: command->options.thread = optarg; return 0;
	case OPTION_NO_INLINE: command->options.no_inline = true; return 0;
	case OPTION_NO_DEMANGLE: command->options.no_demangle = true; return 0;
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

/*
 * The first word names the report, if it is one. A word that is neither that nor a file, with files
 * behind it, is a misspelt report.
 */
static int take_words(struct command *command, int argc, char **argv)
{
	command->report = report_at(0);
	if (argc && report_find(argv[0])) {
		command->report = report_find(argv[0]);
		argc--;
		argv++;
	} else if (argc > 1 && !strpbrk(argv[0], "./") && strcmp(argv[0], "-") != 0 &&
		access(argv[0], F_OK) < 0) {
		complain("there is no report '%s'; there is", argv[0]);
		list_reports(stderr);
		return EXIT_USAGE;
	}
	if (!argc) {
		complain("no profile is named; sprofrun writes sprof.pb.gz if not told otherwise: "
			 "sprofreport %s sprof.pb.gz",
			command->report->name);
		return EXIT_USAGE;
	}
	command->file = argv;
	command->files = argc;
	return 0;
}

static int parse(struct command *command, int argc, char **argv)
{
	int id, status;

	opterr = 0;
	while ((id = getopt_long(argc, argv, ":o:h", long_options, NULL)) != -1) {
		status = take_option(command, id, argv);
		if (status || command->done)
			return status;
	}
	return take_words(command, argc - optind, argv + optind);
}

/* Colours, width and characters, as the terminal takes them. */
static void suit_output(struct command *command)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
	bool terminal = !command->output && isatty(STDOUT_FILENO);
	struct winsize size;

	if (terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
		command->options.width = size.ws_col;
	command->options.ascii = strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
	command->options.color = command->color == WHEN_ALWAYS ||
		(command->color == WHEN_AUTO && terminal && !(no_color && no_color[0]) &&
			!(term && !strcmp(term, "dumb")));
}

static int read_one(const char *path, struct profile **ret_profile)
{
	char *problem = NULL;

	if (!strcmp(path, "-") && isatty(STDIN_FILENO)) {
		complain("standard input is a terminal; pipe a profile into it, or name a file");
		return EXIT_FAILED;
	}
	if (file_read(path, ret_profile, &problem) >= 0)
		return 0;
	complain("%s", problem ? problem : "out of memory");
	free(problem);
	return EXIT_FAILED;
}

/* Only where somebody waits and sees it; no @file clears the line. */
static void show_progress(const struct command *command, int file)
{
	if (command->files < 3 || !isatty(STDERR_FILENO))
		return;
	if (file)
		fprintf(stderr, "\rreading profile %d of %d", file + 1, command->files);
	else
		fputs("\r\033[K", stderr);
}

/* The profile of all files. */
static int read_files(const struct command *command, struct profile **ret_profile)
{
	struct profile *all = NULL, *one;
	int status = read_one(command->file[0], &all);

	for (int i = 1; i < command->files && !status; i++) {
		show_progress(command, i);
		status = read_one(command->file[i], &one);
		if (status)
			break;
		if (profile_merge(all, one) < 0) {
			complain("cannot merge '%s' with those before it: out of memory, or more "
				 "kinds "
				 "of values than fit in one profile",
				command->file[i]);
			status = EXIT_FAILED;
		}
		profile_free(one);
	}
	show_progress(command, 0);
	if (status)
		profile_free(all);
	else
		*ret_profile = all;
	return status;
}

static int print_report(const struct command *command, const struct profile *profile, FILE *out)
{
	char *problem = NULL;
	int error = command->report->print(profile, &command->options, out, &problem);

	if (error < 0)
		complain("%s", problem ? problem : strerror(-error));
	free(problem);
	return error == -EINVAL ? EXIT_USAGE : error < 0 ? EXIT_FAILED : 0;
}

static int report_to_file(const struct command *command, const struct profile *profile)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);
	int status = EXIT_FAILED, error = -ENOMEM;

	if (out) {
		status = print_report(command, profile, out);
		error = fclose(out) ? -ENOMEM : 0;
	}
	if (!status && !error)
		error = file_write(command->output, text, bytes);
	if (error) {
		complain("cannot write '%s': %s; name another file with -o", command->output,
			strerror(-error));
		status = EXIT_FAILED;
	}
	free(text);
	return status;
}

static int report_to_stdout(const struct command *command, const struct profile *profile)
{
	struct pager pager;
	int status, error;

	pager_open(&pager);
	status = print_report(command, profile, pager.out);
	error = pager_close(&pager);
	if (error == -ENOEXEC)
		complain("the pager '%s' cannot be run; set PAGER to another, or to cat for none",
			getenv("PAGER") ? getenv("PAGER") : "less");
	else if (error)
		complain("cannot write to standard output: %s", strerror(-error));
	return error ? EXIT_FAILED : status;
}

int main(int argc, char **argv)
{
	struct command command = {.options.size = sizeof(command.options)};
	struct profile *profile = NULL;
	int status;

	(void)setlocale(LC_CTYPE, "");
	status = parse(&command, argc, argv);
	if (status || command.done)
		return status;
	suit_output(&command);
	status = read_files(&command, &profile);
	if (status)
		return status;
	status = command.output ? report_to_file(&command, profile)
				: report_to_stdout(&command, profile);
	profile_free(profile);
	return status;
}
