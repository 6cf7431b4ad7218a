/* SPDX-License-Identifier: MIT */
/*
 * The live view: a growing profile as a changing screen, controlled by keys. It computes screens
 * (screen.h), and knows no terminal: terminal.h paints them, batch mode prints them.
 *
 * A view is a table (functions, lines, call tree, threads, objects, callers) or a text with figures
 * (source, disassembly). Enter opens a view, zoomed into a row, on top of the current one; Esc
 * closes it.
 */
#ifndef VIEW_LIVE_LIVE_H
#define VIEW_LIVE_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "view/live/screen.h"

struct live;
struct profile;

/* Text that is not in the profile. The caller frees the results. */
struct live_sources {
	/* Reads a source file, and when it was last modified (ns since 1970). 0 or -errno. */
	int (*source)(void *context, const char *path, char **ret_text, uint64_t *ret_changed_ns);
	/*
	 * Returns the instructions of the function that contains a location, a line each:
	 * "ADDRESS:\tINSTRUCTION". Addresses are hexadecimal, as in the file; blanks may precede
	 * them. 0 or -errno; *@ret_problem is then a sentence about what is missing, or NULL.
	 */
	int (*disassembly)(void *context, uint32_t location, char **ret_text, char **ret_problem);
	/* Returns the end of the command's output. 0 or -errno. */
	int (*output)(void *context, char **ret_text);
	void *context;
};

struct live_options {
	size_t size;
	bool ascii;            /* no characters beyond ASCII */
	bool totals;           /* initially show sums since the start, not decayed weights */
	uint64_t half_life_ns; /* time in which weights decay to half; 0: 10 s */
	uint64_t delay_ns;     /* time between two updates of the tables; 0: 1 s */
	uint64_t period_ns;    /* initial sampling period */
	double cost_percent;   /* limit of the cost of sampling; 0: none */
	const char *view;      /* initial view; NULL: functions */
	const char *save_as;   /* proposed file name for saving */
	bool batch;            /* batch mode: no cursor, no keys */
	struct live_sources sources;
};

/* Copies @options. Returns 0, -ENOMEM, or -EINVAL if there is no view of that name. */
int live_new(const struct live_options *options, struct live **ret_live);
void live_free(struct live *live);

struct live_thread {
	uint32_t pid, tid;
	char state; /* as in /proc/PID/stat: R S D T … */
	char name[32];
	bool left_out; /* not profiled: the user chose other threads (--thread-name, --tid) */
};

/*
 * STARTS: the target has not begun. LET_GO: the target runs on, but was detached. CUT_OFF: the
 * profile ended before the target did.
 */
enum live_target_state { LIVE_STARTS, LIVE_RUNS, LIVE_ENDED, LIVE_LET_GO, LIVE_CUT_OFF };

/* Facts about the target besides the profile, borrowed by live_update() for the call. */
struct live_facts {
	const char *target; /* the target's name, for display */
	enum live_target_state state;
	int status; /* with LIVE_ENDED: the command's exit status; -1: unknown */
	int signal; /* with LIVE_ENDED: the signal that killed the command; 0: none */
	const struct live_thread *thread; /* live threads, including those without samples */
	size_t threads;
	uint64_t begun_ns; /* when sampling began, by the clock of live_update(); 0: unknown */
	/*
	 * By stack: the factor that converts the profile's CPU value to ns of CPU time. From index
	 * @factors on, the factor is 1.
	 */
	const float *factor;
	size_t factors;
};

/*
 * Updates the live view. Call it about once a second, for the lines at the top; tables are updated
 * when due, and not while paused. @now_ns: any steady clock. Every call must pass the same @profile
 * object, which must live as long as @live. 0 or -ENOMEM.
 */
int live_update(struct live *live, const struct profile *profile, const struct live_facts *facts,
	uint64_t now_ns);
/* Does the current view list threads? Only then does live_update() need facts about threads. */
bool live_wants_threads(const struct live *live);
/*
 * Did the target use no CPU time in the last second, or is that unknown yet? If so, the caller
 * finds out after each update whether a signal has stopped all threads of the target, and calls
 * live_tell_stopped(). (A stop by the supervisor does not count.)
 */
bool live_is_idle(const struct live *live);
void live_tell_stopped(struct live *live, bool stopped);
/* Returns when live_update() next updates tables, by its clock; UINT64_MAX: never. */
uint64_t live_due_ns(const struct live *live);

/* Keys are Unicode characters, or one of these. */
enum live_key_code {
	LIVE_KEY_UP = 0x110000,
	LIVE_KEY_DOWN,
	LIVE_KEY_LEFT,
	LIVE_KEY_RIGHT,
	LIVE_KEY_PAGE_UP,
	LIVE_KEY_PAGE_DOWN,
	LIVE_KEY_HOME,
	LIVE_KEY_END,
	LIVE_KEY_BACKSPACE,
	LIVE_KEY_DELETE,
	LIVE_KEY_BACK_TAB,
	LIVE_KEY_F1,
	LIVE_KEY_F10 = LIVE_KEY_F1 + 9,
	LIVE_KEY_WHEEL_UP,
	LIVE_KEY_WHEEL_DOWN,
	LIVE_KEY_CLICK,
	LIVE_KEY_DOUBLE_CLICK,
	LIVE_KEY_ENTER = '\r',
	LIVE_KEY_ESCAPE = 27,
};

struct live_key {
	int32_t code;
	unsigned row, column; /* of the mouse; 0: no mouse key */
};

/*
 * Requests of the user to the caller of the live view. The caller performs them, and clears the
 * fields.
 */
struct control {
	bool quit;
	bool redraw;        /* paint the whole screen: something else may have written on it */
	uint64_t period_ns; /* sample at this period from now on; 0: unchanged */
	bool change_freeze; /* stop or resume sampling, according to @freeze */
	bool freeze;
	char *save_as; /* write the profile to this file; owned; NULL: no request */
};

/*
 * Performs a key's request. Afterwards, live_control() holds the requests that the caller must
 * perform. 0 or -ENOMEM.
 */
int live_press(struct live *live, struct live_key key);
struct control *live_control(struct live *live);

/* Shows a message until the next key. */
void live_say(struct live *live, const char *message);

/* Draws the current view at the size of @screen. 0 or -ENOMEM. */
int live_draw(struct live *live, struct screen *screen);

#endif
