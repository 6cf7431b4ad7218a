/* SPDX-License-Identifier: MIT */
/*
 * The only table of keys: requests, their keys, their help. Keys are converted to requests by it,
 * and the help screen is made from it; man/sproftop.1 is kept by hand.
 *
 * REQUEST(name, keys for display, help, the keys)
 */
#ifndef VIEW_LIVE_LIVE_KEYS_H
#define VIEW_LIVE_LIVE_KEYS_H

#include <stdint.h>

/* clang-format off */
#define LIVE_REQUESTS(REQUEST) \
	REQUEST(QUIT, "q F10 ^C", "quit", 'q', LIVE_KEY_F10, 3) \
	REQUEST(HELP, "h ? F1", "this help", 'h', '?', LIVE_KEY_F1) \
	REQUEST(PAUSE, "p Space", "pause the display; sampling goes on", 'p', ' ') \
	REQUEST(UP, "Up k", "a row up", LIVE_KEY_UP, 'k') \
	REQUEST(DOWN, "Down j", "a row down", LIVE_KEY_DOWN, 'j') \
	REQUEST(LEFT, "Left", "fold; elsewhere shift names", LIVE_KEY_LEFT) \
	REQUEST(RIGHT, "Right", "unfold; elsewhere shift names", LIVE_KEY_RIGHT) \
	REQUEST(PAGE_UP, "PgUp ^B", "a screen up", LIVE_KEY_PAGE_UP, 2) \
	REQUEST(PAGE_DOWN, "PgDn ^F", "a screen down", LIVE_KEY_PAGE_DOWN, 6) \
	REQUEST(HOME, "Home", "to the first row", LIVE_KEY_HOME) \
	REQUEST(END, "End", "to the last row", LIVE_KEY_END) \
	REQUEST(ENTER, "Enter", "zoom in: callers, thread, object, subtree", \
		LIVE_KEY_ENTER, '\n') \
	REQUEST(ESCAPE, "Esc", "zoom out, then drop the filter", LIVE_KEY_ESCAPE, \
		LIVE_KEY_BACKSPACE, 127) \
	REQUEST(SEARCH, "/", "search", '/') \
	REQUEST(NEXT, "n", "next match", 'n') \
	REQUEST(PREVIOUS, "N", "previous match", 'N') \
	REQUEST(FILTER, "\\ F4", "show only what matches", '\\', LIVE_KEY_F1 + 3) \
	REQUEST(LIMIT, "L", "leave out shares below", 'L') \
	REQUEST(SORT_LEFT, "<", "sort by the column to the left", '<', ',') \
	REQUEST(SORT_RIGHT, "> F6", "sort by the column to the right", '>', '.', LIVE_KEY_F1 + 5) \
	REQUEST(INVERT, "I", "invert the order", 'I') \
	REQUEST(LINES, "l", "functions or lines", 'l') \
	REQUEST(TREE, "g", "call tree", 'g') \
	REQUEST(THREADS, "H", "threads", 'H') \
	REQUEST(OBJECTS, "o", "objects", 'o') \
	REQUEST(NEXT_VIEW, "Tab", "next view", '\t') \
	REQUEST(PREVIOUS_VIEW, "S-Tab", "previous view", LIVE_KEY_BACK_TAB) \
	REQUEST(SOURCE, "a", "source of the function, with heat", 'a') \
	REQUEST(DISASSEMBLY, "A", "instructions of the function, with heat", 'A') \
	REQUEST(UNFOLD, "+", "unfold", '+', '=') \
	REQUEST(FOLD, "-", "fold", '-') \
	REQUEST(UNFOLD_BELOW, "*", "unfold all beneath", '*') \
	REQUEST(EXPAND_ALL, "E", "unfold the whole tree", 'E') \
	REQUEST(COLLAPSE_ALL, "C", "fold the whole tree", 'C') \
	REQUEST(ZOOM_THREAD, "t", "zoom into a thread, or out of it", 't') \
	REQUEST(ZOOM_OBJECT, "d", "zoom into the row's object, or out of it", 'd') \
	REQUEST(FREEZE, "f", "freeze sampling; the target goes on", 'f') \
	REQUEST(RESET, "r", "forget what was counted", 'r') \
	REQUEST(DECAY, "z", "the last seconds, or totals", 'z') \
	REQUEST(SPAN, "T", "choose a span of the time, or all of it again", 'T') \
	REQUEST(CLOCK, "i", "CPU or wall time", 'i') \
	REQUEST(CALLS, "K", "hide or show system-call frames", 'K') \
	REQUEST(SAVE, "w", "save the profile", 'w') \
	REQUEST(DELAY, "s", "seconds between two updates", 's') \
	REQUEST(SLOWER, "[", "sample at a lower rate", '[') \
	REQUEST(FASTER, "]", "sample at a higher rate", ']') \
	REQUEST(OUTPUT, "O", "what the command has written", 'O') \
	REQUEST(REDRAW, "^L", "paint the screen anew", 12) \
	REQUEST(WHEEL_UP, "Wheel", "scroll; a click sorts by a title, picks a row", \
		LIVE_KEY_WHEEL_UP) \
	REQUEST(WHEEL_DOWN, "", "", LIVE_KEY_WHEEL_DOWN) \
	REQUEST(CLICK, "", "", LIVE_KEY_CLICK) \
	REQUEST(DOUBLE_CLICK, "", "", LIVE_KEY_DOUBLE_CLICK)
/* clang-format on */

enum live_request {
#define REQUEST(name, keys, help, ...) LIVE_REQUEST_##name,
	LIVE_REQUESTS(REQUEST)
#undef REQUEST
		LIVE_REQUEST_NONE
};

/* Returns the request of a key, or LIVE_REQUEST_NONE. */
enum live_request live_request_of(int32_t key);

#endif
