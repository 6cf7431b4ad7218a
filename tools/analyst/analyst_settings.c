/* SPDX-License-Identifier: MIT */
#include "tools/analyst/analyst_settings.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyst/blame.h"
#include "base/output.h"
#include "base/standard.h"
#include "view/export/export_name.h"

void analyst_settings_complain(const struct analyst_settings *s, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	standard_complain(s->program, format, args);
	va_end(args);
}

static bool want_color(const char *when)
{
	const char *no = getenv("NO_COLOR");

	if (strcmp(when, "auto") != 0)
		return strcmp(when, "always") == 0;
	return isatty(STDERR_FILENO) && !(no && no[0]);
}

/* May a recording have this file name? sprofrun checks before it runs anything. */
static int check_output(const struct analyst_settings *s, const char *name)
{
	char *problem = NULL;

	if (export_check_recording(name, &problem) == 0)
		return 0;
	analyst_settings_complain(s, "output '%s': %s", name, problem ? problem : strerror(ENOMEM));
	free(problem);
	return 2;
}

/* Takes inherited descriptors: of the analyst's own piece, and of @before others. */
static void take_pieces(struct pieces *pieces, size_t before)
{
	pieces->on = true;
	pieces->own_fd = PIECE_FD;
	pieces->before = before < PIECES_BEFORE_MOST ? before : PIECES_BEFORE_MOST;
	for (size_t i = 0; i < pieces->before; i++)
		pieces->before_fd[i] = PIECE_FD + 1 + (int)i;
	for (int fd = PIECE_FD; fd <= PIECE_FD + (int)pieces->before; fd++)
		(void)fcntl(fd, F_SETFD, FD_CLOEXEC);
}

/* A device or pipe is written in place, and can hold only one profile. */
static bool is_in_place(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

/* For a profile per process, makes the output's name a pattern that distinguishes them. */
static void make_pattern(struct analyst_settings *s)
{
	if (!s->per_process || is_in_place(s->output))
		return;
	s->apart = strstr(s->output, "%p") ? strdup(s->output) : output_apart(s->output, "%p");
	s->output = s->apart ? s->apart : s->output;
}

void analyst_settings_parse(struct analyst_settings *s, struct blame *blame, int argc, char **argv)
{
	static const struct option options[] = {
		{"output", required_argument, NULL, 'o'},
		{"check-output", required_argument, NULL, 'O'},
		{"report", required_argument, NULL, 'r'},
		{"color", required_argument, NULL, 'c'},
		{"name", required_argument, NULL, 'n'},
		{"program", required_argument, NULL, 'p'},
		{"capture", required_argument, NULL, 'C'},
		{"replay", required_argument, NULL, 'R'},
		{"skip", required_argument, NULL, 's'},
		{"call-graph", required_argument, NULL, 'g'},
		{"quiet", no_argument, NULL, 'q'},
		{"verbose", no_argument, NULL, 'v'},
		{"per-process", no_argument, NULL, 'P'},
		{"dump", no_argument, NULL, 'd'},
		{"no-timeline", no_argument, NULL, 'T'},
		{"per-thread", no_argument, NULL, 't'},
		{"jit-map", no_argument, NULL, 'j'},
		{"user-only", no_argument, NULL, 'u'},
		{"keep", required_argument, NULL, 'k'},
		{"python", required_argument, NULL, 'y'},
		{"interpreter-frames", no_argument, NULL, 'I'},
		{"rotate-bytes", required_argument, NULL, 'b'},
		{"pieces", required_argument, NULL, 'i'},
		{"live", required_argument, NULL, 'l'},
		{"segment", required_argument, NULL, 'S'},
		{"no-output", no_argument, NULL, 'N'},
		{"threads", required_argument, NULL, 'h'},
		{"thread-name", required_argument, NULL, 'a'},
		{"tid", required_argument, NULL, 'e'},
		{0},
	};
	int option;

	*s = (struct analyst_settings){.output = "sprof.pb.gz",
		.report = "flat",
		.name = "sprofil",
		.program = "sprofrun"};
	while ((option = getopt_long(argc, argv, "", options, NULL)) >= 0) {
		switch (option) {
		case 'o':
			s->output = optarg;
			s->records = true;
			break;
		case 'O': exit(check_output(s, optarg));
		case 'r': s->report = optarg; break;
		case 'c': s->color = want_color(optarg); break;
		case 'n': s->name = optarg; break;
		case 'p': s->program = optarg; break;
		case 'C': s->capture = optarg; break;
		case 'R': s->replay = optarg; break;
		case 's': (void)blame_add(blame, optarg); break;
		case 'g': s->frame_pointers = strcmp(optarg, "fp") == 0; break;
		case 'q': s->quiet = true; break;
		case 'v': s->verbose = true; break;
		case 'P':
			s->per_process = true;
			s->split = REPORT_SPLIT_PROCESS;
			break;
		case 'd': s->dump = true; break;
		case 'T': s->no_timeline = true; break;
		case 'j': s->jit_map = true; break;
		case 'u': s->user_only = true; break;
		case 'y':
			s->python = !strcmp(optarg, "only") ? RUNTIMES_ONLY
				: !strcmp(optarg, "no")     ? RUNTIMES_NOT
							    : RUNTIMES_MERGED;
			break;
		case 'I': s->interpreter_frames = true; break;
		case 't': s->split = REPORT_SPLIT_THREAD; break;
		case 'k': s->keep = optarg; break;
		case 'S': s->segment = (uint32_t)strtoul(optarg, NULL, 10); break;
		case 'h': s->threads = optarg; break;
		case 'a': s->live.thread_name = optarg; break;
		case 'e': s->live.tids = optarg; break;
		case 'N': s->unwritten = true; break;
		case 'b': s->rotate_bytes = strtoull(optarg, NULL, 10); break;
		case 'i': take_pieces(&s->pieces, strtoul(optarg, NULL, 10)); break;
		case 'l':
			if (!live_settings_take(&s->live, optarg))
				exit(2);
			break;
		default: exit(2);
		}
	}
	make_pattern(s);
}

void analyst_settings_release(struct analyst_settings *s)
{
	free(s->apart);
}
