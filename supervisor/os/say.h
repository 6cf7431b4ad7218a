/* SPDX-License-Identifier: MIT */
/* Lines for the user. Whoever runs the supervisor decides which of them are shown, and where. */
#ifndef SUPERVISOR_SAY_H
#define SUPERVISOR_SAY_H

enum say_kind {
	SAY_NOTE,    /* worth knowing; -q leaves it out */
	SAY_WARNING, /* something did not work */
	SAY_DETAIL,  /* what is going on; -v wants it */
};

struct say {
	/* Says one line, without a newline. */
	void (*line)(void *context, enum say_kind kind, const char *line);
	void *context;
};

/* Never in the stop window. Longer lines than 511 bytes are cut. */
void say_line(const struct say *say, enum say_kind kind, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
