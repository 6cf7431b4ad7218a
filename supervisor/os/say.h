/* SPDX-License-Identifier: MIT */
/* Lines for the user. The program that runs the supervisor decides which are shown, and where. */
#ifndef SUPERVISOR_SAY_H
#define SUPERVISOR_SAY_H

enum say_kind {
	SAY_NOTE,    /* useful to know; suppressed by -q */
	SAY_WARNING, /* something did not work */
	SAY_DETAIL,  /* progress; shown with -v */
};

struct say {
	/* Prints one line, passed without a newline. */
	void (*line)(void *context, enum say_kind kind, const char *line);
	void *context;
};

/* Formats one line, and passes it on; it is cut after 511 bytes. Not in the stop window. */
void say_line(const struct say *say, enum say_kind kind, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
