/* SPDX-License-Identifier: MIT */
/* The live view's part in the supervisor: the terminal's modes, the log of the command's output. */
#ifndef TOOLS_FRONT_LIVE_FRONT_H
#define TOOLS_FRONT_LIVE_FRONT_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <termios.h>

struct engine_options;
struct engine_result;

struct live_front {
	const char *program;
	/* Options, set by the caller. */
	bool batch;
	bool records; /* the profile is recorded too: sampling continues when the user leaves */
	bool totals, color;
	bool ascii;
	uint64_t screens, delay_ns, half_life_ns, rows, columns;
	const char *view, *keys, *log, *save_as;

	/* Private to live_front.c. */
	int log_fd, null_fd;
	int streams[3];
	bool own_log, trims;
	char log_path[64];
	pthread_t trimmer;
	int stop_fd; /* closing this end of a pipe ends the thread that shortens the log */
	bool has_terminal;
	struct termios terminal;
	FILE *notes; /* messages kept while the screen is in use */
	char *notes_text;
	size_t notes_bytes;
	char *argument[24]; /* the analyst's arguments about the view; owned */
	size_t arguments;
	char target[256];
};

#define LIVE_FRONT_DEFAULT(name)                \
	((struct live_front){.program = (name), \
		.delay_ns = 1000000000,         \
		.log_fd = -1,                   \
		.null_fd = -1,                  \
		.stop_fd = -1})

/*
 * Call before engine_run(). Checks the terminal, creates the log, and sets the engine's options.
 * Appends at most LIVE_FRONT_ARGUMENTS words "--live-NAME=VALUE" to @argv, and adds their number to
 * *@n, which is the length of @argv. Returns 0; or, after a message, the program's exit status.
 */
enum { LIVE_FRONT_ARGUMENTS = 25 };
int live_front_begin(
	struct live_front *front, struct engine_options *engine, const char **argv, size_t *n);

/* Keeps a message (engine_options.say) until the screen is left. */
void live_front_note(struct live_front *front, const char *line);

/*
 * Call after engine_run(). Waits until the user has left the view. Meanwhile, signals to end and ^Z
 * end or suspend the view (front_join_analyst()). Then restores the terminal, and prints the notes
 * and the log of the command's output as far as it was kept (output_log.h); a log file that the
 * user named is not printed. Returns the analyst's wait status. *@ret_signal: the last signal to
 * end, or 0.
 */
int live_front_join(struct live_front *front, struct engine_result *result, int *ret_signal);

#endif
