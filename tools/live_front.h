/* SPDX-License-Identifier: MIT */
/*
 * The live view as seen from the supervisor's process: the terminal is looked at before and given
 * back after, whatever became of the analyst that draws on it; the command's output goes to a log.
 */
#ifndef TOOLS_LIVE_FRONT_H
#define TOOLS_LIVE_FRONT_H

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
	/* Options. */
	bool batch;
	bool records; /* the profile is recorded too: sampling goes on when the user leaves */
	bool totals, color;
	bool ascii;
	uint64_t screens, delay_ns, half_life_ns, rows, columns;
	const char *view, *keys, *log, *save_as;

	/* The rest is of the inside. */
	int log_fd, null_fd;
	int streams[3];
	bool own_log, trims;
	char log_path[64];
	pthread_t trimmer;
	int stop_fd; /* tells the trimmer to end */
	bool has_terminal;
	struct termios terminal;
	FILE *notes; /* what was to be said while the screen was in use */
	char *notes_text;
	size_t notes_bytes;
	char *argument[24]; /* for the analyst; owned */
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
 * Before engine_run(): checks the terminal, makes the log, sets what the engine must know, and
 * appends "--live NAME=VALUE" to @argv from *@n on (which has room for LIVE_FRONT_ARGUMENTS more).
 * 0, or an exit status after a message.
 */
enum { LIVE_FRONT_ARGUMENTS = 50 };
int live_front_begin(
	struct live_front *front, struct engine_options *engine, const char **argv, size_t *n);

/* engine_options.say: kept until the screen is left. @context is the front. */
void live_front_note(struct live_front *front, const char *line);

/*
 * After engine_run(): waits until the user has left, passes signals on to the analyst, gives the
 * terminal back if that is gone, prints the notes and what is kept of the log. Returns the
 * analyst's wait status; *@ret_signal is the one that ended the view, 0 none.
 */
int live_front_join(struct live_front *front, struct engine_result *result, int *ret_signal);

#endif
