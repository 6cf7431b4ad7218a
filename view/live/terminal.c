/* SPDX-License-Identifier: MIT */
#define NCURSES_WIDECHAR 1
#include "view/live/terminal.h"

#include <curses.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>
/* term.h defines these plain words as macros. */
#undef columns
#undef lines

enum { GROUND_PLAIN, GROUND_BAR, GROUND_SELECTED, GROUNDS };

/*
 * The state within a control sequence that is missing in the terminal's description, such as the
 * End key of another terminal, or a key with Shift. The bytes of the sequence must not be taken for
 * keys: '[' alone is the key for a lower rate.
 */
struct escape {
	enum { ESCAPE_NONE, ESCAPE_CSI, ESCAPE_SS3 } state;
	unsigned number; /* the first parameter: 4 in ESC [ 4 ~ */
	bool more;       /* further parameters have come, such as a modifier */
};

struct terminal {
	SCREEN *screen;
	FILE *out;
	bool color;
	unsigned rows, columns;
	struct termios modes; /* the terminal modes that we have set */
	bool left;            /* released by terminal_leave() */
	struct escape escape;
	cchar_t style[STYLES][GROUNDS]; /* attributes and colours of a style on a background */
};

/*
 * @many: the colour on terminals with 256 colours. @few: on those with 8. @ground: the background
 * on those with 256. -1: the terminal's default. @with_color: attributes beside the colour.
 * @without: attributes of a style that is shown without colour.
 */
static const struct look {
	short many, few, ground;
	attr_t with_color, without;
} looks[STYLES] = {
	[STYLE_TEXT] = {-1, -1, -1, A_NORMAL, A_NORMAL},
	[STYLE_DIM] = {244, -1, -1, A_NORMAL, A_DIM},
	[STYLE_BOLD] = {-1, -1, -1, A_BOLD, A_BOLD},
	[STYLE_HEADER] = {255, COLOR_BLACK, 24, A_NORMAL, A_UNDERLINE},
	[STYLE_SORTED] = {231, COLOR_BLACK, 31, A_BOLD, A_UNDERLINE | A_BOLD},
	[STYLE_HOT] = {203, COLOR_RED, -1, A_BOLD, A_BOLD},
	[STYLE_WARM] = {214, COLOR_YELLOW, -1, A_NORMAL, A_BOLD},
	[STYLE_MILD] = {114, COLOR_GREEN, -1, A_NORMAL, A_NORMAL},
	[STYLE_GOOD] = {114, COLOR_GREEN, -1, A_NORMAL, A_NORMAL},
	[STYLE_WARN] = {214, COLOR_YELLOW, -1, A_BOLD, A_BOLD},
	[STYLE_BAD] = {203, COLOR_RED, -1, A_BOLD, A_BOLD},
	[STYLE_ACCENT] = {81, COLOR_CYAN, -1, A_BOLD, A_BOLD},
};

static short ground_of(const struct look *look, int ground)
{
	static const short many[GROUNDS] = {-1, 236, 239}, few[GROUNDS] = {-1, -1, -1};

	if (COLORS >= 256)
		return look->ground >= 0 && ground != GROUND_SELECTED ? look->ground : many[ground];
	return look->ground >= 0 ? COLOR_CYAN : few[ground];
}

static void make_style(struct terminal *terminal, int style, int ground)
{
	const struct look *look = &looks[style];
	bool many = terminal->color && COLORS >= 256;
	attr_t attributes = many ? look->with_color : look->without;
	short pair = 0;

	if (terminal->color && (look->many >= 0 || ground != GROUND_PLAIN)) {
		pair = (short)(1 + style * GROUNDS + ground);
		(void)init_pair(pair, many ? look->many : look->few, ground_of(look, ground));
		if (!many)
			attributes = look->with_color | (style == STYLE_DIM ? A_DIM : A_NORMAL);
	}
	/* With few colours or none, the bar and the selected line are in reverse video. */
	if (!many && ground != GROUND_PLAIN)
		attributes |= A_REVERSE;
	(void)setcchar(&terminal->style[style][ground], L" ", attributes, pair, NULL);
}

static void make_styles(struct terminal *terminal)
{
	for (int style = 0; style < STYLES; style++) {
		for (int ground = 0; ground < GROUNDS; ground++)
			make_style(terminal, style, ground);
	}
}

/* Makes ^Z send SIGTSTP, whatever key did so before; ^C and ^\ stay keys. */
static void let_suspend(int fd)
{
	struct termios modes;

	if (tcgetattr(fd, &modes) < 0)
		return;
	modes.c_lflag |= ISIG;
	modes.c_cc[VINTR] = modes.c_cc[VQUIT] = _POSIX_VDISABLE;
	modes.c_cc[VSUSP] = 'Z' & 0x1f;
	(void)tcsetattr(fd, TCSADRAIN, &modes);
	(void)def_prog_mode();
}

int terminal_open(const char *type, FILE *out, FILE *in, bool color, bool suspends,
	struct terminal **ret_terminal)
{
	struct terminal *terminal = calloc(1, sizeof(*terminal));

	if (!terminal)
		return -ENOMEM;
	terminal->screen = newterm(type, out, in);
	if (!terminal->screen) {
		free(terminal);
		return -ENOTSUP;
	}
	(void)set_term(terminal->screen);
	if (!cursor_address) {
		(void)endwin();
		delscreen(terminal->screen);
		free(terminal);
		return -ENOTSUP;
	}
	terminal->out = out;
	(void)raw();
	(void)noecho();
	(void)nonl();
	if (suspends)
		let_suspend(fileno(out));
	(void)keypad(stdscr, TRUE);
	(void)nodelay(stdscr, TRUE);
	/* 100 ms for the rest of a key on a busy machine; Esc still feels quick. */
	(void)set_escdelay(100);
	(void)mouseinterval(0);
	(void)mousemask(BUTTON1_PRESSED | BUTTON1_CLICKED | BUTTON1_DOUBLE_CLICKED |
			BUTTON4_PRESSED | BUTTON5_PRESSED,
		NULL);
	terminal->color = color && has_colors() && start_color() == OK;
	if (terminal->color)
		(void)use_default_colors();
	make_styles(terminal);
	(void)tcgetattr(fileno(out), &terminal->modes);
	terminal->rows = (unsigned)LINES;
	terminal->columns = (unsigned)COLS;
	*ret_terminal = terminal;
	return 0;
}

/* A terminal without a second screen (vt100) keeps the last one, except its last line. */
static void leave_screen(void)
{
	if (!enter_ca_mode) {
		(void)move(LINES - 1, 0);
		(void)clrtoeol();
		(void)refresh();
	}
	(void)curs_set(1);
	(void)endwin();
}

void terminal_close(struct terminal *terminal)
{
	if (!terminal)
		return;
	(void)set_term(terminal->screen);
	if (!terminal->left) {
		(void)mousemask(0, NULL);
		leave_screen();
	}
	delscreen(terminal->screen);
	(void)fflush(terminal->out);
	free(terminal);
}

void terminal_leave(struct terminal *terminal)
{
	const struct termios *ours = &terminal->modes;
	struct termios now;
	bool theirs = tcgetattr(fileno(terminal->out), &now) == 0 &&
		(now.c_lflag != ours->c_lflag || now.c_iflag != ours->c_iflag ||
			now.c_oflag != ours->c_oflag);

	leave_screen();
	(void)fflush(terminal->out);
	if (theirs)
		(void)tcsetattr(fileno(terminal->out), TCSANOW, &now);
	terminal->left = true;
}

void terminal_return(struct terminal *terminal)
{
	terminal->left = false;
	(void)clearok(curscr, TRUE);
	(void)refresh();
}

static void paint_cell(const struct terminal *terminal, const struct screen_cell *cell)
{
	int style = cell->style & 0x1f;
	int ground = cell->style & STYLE_SELECTED ? GROUND_SELECTED
		: cell->style & STYLE_ON_BAR      ? GROUND_BAR
						  : GROUND_PLAIN;
	wchar_t text[2] = {(wchar_t)cell->character, 0}, ignored[CCHARW_MAX + 1];
	attr_t attributes;
	short pair;
	cchar_t out;

	(void)getcchar(&terminal->style[style < STYLES ? style : 0][ground], ignored, &attributes,
		&pair, NULL);
	if (cell->style & STYLE_MATCH && cell->character != ' ')
		attributes |= A_UNDERLINE;
	(void)setcchar(&out, text, attributes, pair, NULL);
	(void)add_wch(&out);
}

void terminal_paint(struct terminal *terminal, const struct screen *screen, bool anew)
{
	if (anew)
		(void)clearok(curscr, TRUE);
	(void)erase();
	for (unsigned row = 0; row < screen->rows && row < terminal->rows; row++) {
		const struct screen_cell *cell = screen->cell + (size_t)row * screen->columns;

		(void)move((int)row, 0);
		for (unsigned i = 0; i < screen->columns && i < terminal->columns; i++) {
			if (cell[i].character)
				paint_cell(terminal, &cell[i]);
		}
	}
	(void)curs_set(screen->cursor_row >= 0);
	if (screen->cursor_row >= 0)
		(void)move(screen->cursor_row, screen->cursor_column);
	(void)refresh();
}

void terminal_resize(struct terminal *terminal, unsigned rows, unsigned columns)
{
	terminal->rows = rows;
	terminal->columns = columns;
	(void)resize_term((int)rows, (int)columns);
	(void)clearok(curscr, TRUE);
}

static int32_t special(wint_t key)
{
	static const struct {
		wint_t curses;
		int32_t live;
	} keys[] = {
		{KEY_UP, LIVE_KEY_UP},
		{KEY_DOWN, LIVE_KEY_DOWN},
		{KEY_LEFT, LIVE_KEY_LEFT},
		{KEY_RIGHT, LIVE_KEY_RIGHT},
		{KEY_PPAGE, LIVE_KEY_PAGE_UP},
		{KEY_NPAGE, LIVE_KEY_PAGE_DOWN},
		{KEY_HOME, LIVE_KEY_HOME},
		{KEY_END, LIVE_KEY_END},
		{KEY_BACKSPACE, LIVE_KEY_BACKSPACE},
		{KEY_DC, LIVE_KEY_DELETE},
		{KEY_BTAB, LIVE_KEY_BACK_TAB},
		{KEY_ENTER, LIVE_KEY_ENTER},
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		if (keys[i].curses == key)
			return keys[i].live;
	}
	if (key >= KEY_F(1) && key <= KEY_F(10))
		return LIVE_KEY_F1 + (int32_t)(key - KEY_F(1));
	return 0;
}

static bool mouse(struct live_key *ret_key)
{
	MEVENT event;

	if (getmouse(&event) != OK || event.x < 0 || event.y < 0)
		return false;
	ret_key->row = (unsigned)event.y;
	ret_key->column = (unsigned)event.x;
	if (event.bstate & BUTTON4_PRESSED)
		ret_key->code = LIVE_KEY_WHEEL_UP;
	else if (event.bstate & BUTTON5_PRESSED)
		ret_key->code = LIVE_KEY_WHEEL_DOWN;
	else if (event.bstate & BUTTON1_DOUBLE_CLICKED)
		ret_key->code = LIVE_KEY_DOUBLE_CLICK;
	else if (event.bstate & (BUTTON1_PRESSED | BUTTON1_CLICKED))
		ret_key->code = LIVE_KEY_CLICK;
	else
		return false;
	return true;
}

/*
 * Returns the key of a complete control sequence whose final byte is @last, on whatever terminal;
 * 0: none.
 */
static int32_t sequence_key(const struct escape *escape, wint_t last)
{
	static const int32_t numbered[] = {0, LIVE_KEY_HOME, 0, LIVE_KEY_DELETE, LIVE_KEY_END,
		LIVE_KEY_PAGE_UP, LIVE_KEY_PAGE_DOWN, LIVE_KEY_HOME, LIVE_KEY_END};
	static const struct {
		char last;
		int32_t live;
	} lettered[] = {{'A', LIVE_KEY_UP}, {'B', LIVE_KEY_DOWN}, {'C', LIVE_KEY_RIGHT},
		{'D', LIVE_KEY_LEFT}, {'F', LIVE_KEY_END}, {'H', LIVE_KEY_HOME}, {'P', LIVE_KEY_F1},
		{'Q', LIVE_KEY_F1 + 1}, {'R', LIVE_KEY_F1 + 2}, {'S', LIVE_KEY_F1 + 3},
		{'Z', LIVE_KEY_BACK_TAB}};

	if (escape->more)
		return 0;
	if (last == '~')
		return escape->number < sizeof(numbered) / sizeof(*numbered)
			? numbered[escape->number]
			: 0;
	for (size_t i = 0; i < sizeof(lettered) / sizeof(*lettered); i++) {
		if (escape->number == 0 && (wint_t)lettered[i].last == last)
			return lettered[i].live;
	}
	return 0;
}

/*
 * Takes a character that may belong to a control sequence (ECMA-48: parameters, intermediate bytes,
 * final byte). True: the character belongs to one. *@ret_code is the key if the character completes
 * the sequence, else 0.
 */
static bool take_escape(struct escape *escape, wint_t key, int32_t *ret_code)
{
	*ret_code = 0;
	if (escape->state == ESCAPE_NONE || key < 0x20 || key > 0x7e) {
		escape->state = ESCAPE_NONE;
		return false;
	}
	if (escape->state == ESCAPE_CSI && key < 0x40) {
		if (key >= '0' && key <= '9' && !escape->more && escape->number < 1000)
			escape->number = escape->number * 10 + (unsigned)(key - '0');
		else
			escape->more = true;
		return true;
	}
	*ret_code = sequence_key(escape, key);
	escape->state = ESCAPE_NONE;
	return true;
}

/*
 * Is the Esc just read a key? If it begins a control sequence, sets @escape; the rest of the
 * sequence may come later.
 */
static bool is_alone(struct escape *escape)
{
	wint_t key;
	int kind = get_wch(&key);

	*escape = (struct escape){0};
	if (kind == OK && key == '[')
		escape->state = ESCAPE_CSI;
	else if (kind == OK && key == 'O')
		escape->state = ESCAPE_SS3;
	else if (kind == OK)
		(void)unget_wch((wchar_t)key);
	else if (kind == KEY_CODE_YES)
		(void)ungetch((int)key);
	return escape->state == ESCAPE_NONE;
}

bool terminal_key(struct terminal *terminal, struct live_key *ret_key)
{
	struct escape *escape = &terminal->escape;
	wint_t key;
	int kind;

	while ((kind = get_wch(&key)) != ERR) {
		*ret_key = (struct live_key){0};
		if (kind == KEY_CODE_YES) {
			escape->state = ESCAPE_NONE;
			if (key == KEY_MOUSE ? mouse(ret_key) : (ret_key->code = special(key)) != 0)
				return true;
		} else if (take_escape(escape, key, &ret_key->code)) {
			if (ret_key->code)
				return true;
		} else if (key != LIVE_KEY_ESCAPE || is_alone(escape)) {
			ret_key->code = (int32_t)key;
			return true;
		}
	}
	return false;
}
