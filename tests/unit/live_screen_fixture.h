/* SPDX-License-Identifier: MIT */
/*
 * The live view without a terminal: keys go in, the screen comes out as text.
 *
 * The profile of live_fixture.h has 950 samples of 4 ms (100 + 850) and 4 ms unsampled: 3.804 s.
 * work_00 has 40 of the samples, 160 ms.
 */
#ifndef TESTS_LIVE_SCREEN_FIXTURE_H
#define TESTS_LIVE_SCREEN_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/unit/live_fixture.h"

struct view {
	struct live_fixture fixture;
	struct live *live;
	struct screen screen;
	char *text;
};

static inline int setup(void **state)
{
	struct view *v = calloc(1, sizeof(*v));

	live_fixture_init(&v->fixture);
	v->live = live_fixture_new(false, true);
	*state = v;
	return live_fixture_look(v->live, v->fixture.profile, 10);
}

static inline int teardown(void **state)
{
	struct view *v = *state;

	live_free(v->live);
	screen_release(&v->screen);
	profile_free(v->fixture.profile);
	free(v->text);
	free(v);
	return 0;
}

/* Returns the screen as text, valid until the next call. */
static inline const char *shown(struct view *v, unsigned columns, unsigned rows)
{
	size_t bytes;
	FILE *out;

	assert_int_equal(screen_resize(&v->screen, rows, columns), 0);
	assert_int_equal(live_draw(v->live, &v->screen), 0);
	free(v->text);
	out = open_memstream(&v->text, &bytes);
	screen_print(&v->screen, out);
	assert_int_equal(fclose(out), 0);
	return v->text;
}

static inline void type(struct view *v, const char *keys)
{
	assert_int_equal(live_fixture_type(v->live, keys), 0);
}

static inline void press(struct view *v, int32_t key)
{
	assert_int_equal(live_press(v->live, (struct live_key){.code = key}), 0);
}

static inline void look(struct view *v, uint64_t second)
{
	assert_int_equal(live_fixture_look(v->live, v->fixture.profile, second), 0);
}

static inline void assert_shows(struct view *v, const char *what)
{
	if (!strstr(shown(v, 120, 80), what))
		fail_msg("the screen has no '%s':\n%s", what, v->text);
}

static inline void assert_hides(struct view *v, const char *what)
{
	if (strstr(shown(v, 120, 80), what))
		fail_msg("the screen has '%s':\n%s", what, v->text);
}

static inline const char *selected(struct view *v)
{
	static char line[1024];
	size_t n = 0;

	(void)shown(v, 120, 80);
	for (unsigned row = 0; row < v->screen.rows; row++) {
		const struct screen_cell *cell = v->screen.cell + row * v->screen.columns;

		if (!(cell[0].style & STYLE_SELECTED))
			continue;
		for (unsigned i = 0; i < v->screen.columns && n < sizeof(line) - 1; i++)
			line[n++] = cell[i].character < 0x80 ? (char)cell[i].character : '?';
	}
	line[n] = '\0';
	return line;
}

static inline void assert_selected(struct view *v, const char *what)
{
	if (!strstr(selected(v), what))
		fail_msg("'%s' is selected, not '%s'", selected(v), what);
}

static inline unsigned style_at(struct view *v, const char *what)
{
	(void)shown(v, 120, 80);
	for (unsigned row = 3; row < v->screen.rows; row++) {
		const struct screen_cell *cell = v->screen.cell + row * v->screen.columns;

		for (unsigned i = 0; i + strlen(what) <= v->screen.columns; i++) {
			size_t n = 0;

			while (what[n] && cell[i + n].character == what[n])
				n++;
			if (!what[n])
				return cell[i].style;
		}
	}
	fail_msg("the screen has no '%s'", what);
	return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(test_live__##name, setup, teardown)

#endif
