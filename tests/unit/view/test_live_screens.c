/* SPDX-License-Identifier: MIT */
#include "tests/unit/live_screen_fixture.h"

static void test_live__tiny_screens(void **state)
{
	struct view *v = *state;

	for (unsigned rows = 1; rows < 14; rows++) {
		for (unsigned columns = 1; columns < 70; columns++) {
			(void)shown(v, columns, rows);
			type(v, "j");
		}
		type(v, rows % 3 ? "g" : "H");
	}
}

/* "demo7": a cut name must not end with the number of rows. */
static void test_live__a_narrow_title_keeps_its_gap(void **state)
{
	struct view *v = *state;

	type(v, "od");
	for (unsigned columns = 12; columns < 60; columns++) {
		const char *title = strstr(shown(v, columns, 12), "Functions"), *end;

		if (!title)
			continue;
		end = strchr(title, '\n');
		assert_non_null(end);
		while (end[-1] >= '0' && end[-1] <= '9')
			end--;
		if (end[0] == '\n' || end[-1] != ' ')
			fail_msg("of %u columns:\n%s", columns, v->text);
	}
}

/* In 5 rows, the reason for an empty table stands above the last line, not in it. */
static void test_live__a_reason_leaves_the_last_line(void **state)
{
	struct view *v = *state;

	type(v, "\\no such name\r");
	for (unsigned rows = 5; rows < 9; rows++) {
		const char *reason = strstr(shown(v, 80, rows), "nothing matches");

		assert_non_null(reason);
		assert_non_null(strchr(reason, '\n'));
		assert_non_null(strstr(strchr(reason, '\n'), "F1 Help"));
	}
}

/* Thread 102 has no samples, and others have: totals do not show more of it, zooming out does. */
static void test_live__a_zoom_without_samples_says_so(void **state)
{
	struct view *v = *state;

	type(v, "H");
	look(v, 11);
	press(v, LIVE_KEY_END);
	assert_selected(v, "idle");
	type(v, "\r");
	assert_shows(v, "nothing has run here (Esc zooms out)");
	type(v, "z");
	assert_shows(v, "nothing has run here lately (z shows totals, Esc zooms out)");
	type(v, "\x1b");
	assert_shows(v, "worker");
}

/* Screens were checked by eye: tests/unit/golden/live. SPROFIL_GOLDEN=write writes them anew. */
static void check_golden(const char *name, const char *text)
{
	char path[4096], got[65536];
	FILE *file;
	size_t n;

	(void)snprintf(path, sizeof(path), "%s/live/%s.txt", GOLDEN, name);
	if (getenv("SPROFIL_GOLDEN") && strcmp(getenv("SPROFIL_GOLDEN"), "write") == 0) {
		file = fopen(path, "we");
		assert_non_null(file);
		(void)fputs(text, file);
		assert_int_equal(fclose(file), 0);
		return;
	}
	file = fopen(path, "re");
	if (!file)
		fail_msg("%s is missing", path);
	n = fread(got, 1, sizeof(got) - 1, file);
	got[n] = '\0';
	(void)fclose(file);
	if (strcmp(got, text) != 0)
		fail_msg("%s differs from:\n%s", path, text);
}

static void test_live__golden_screens(void **state)
{
	static const struct {
		const char *name, *keys;
		bool ascii;
	} views[] = {{"functions", "", false}, {"lines", "l", false}, {"tree", "gE", false},
		{"threads", "H", false}, {"objects", "o", false},
		{"callers", "/^dispatch\r\r", false}, {"source", "/work_02\ra", false},
		{"disassembly", "/work_00\rA", false}, {"help", "h", false},
		{"filter", "\\work_1\r/15\r", false}, {"prompt", "/wor", false},
		{"functions_ascii", "", true}, {"tree_ascii", "gE", true}};
	static const unsigned sizes[][2] = {{60, 12}, {80, 24}, {200, 50}};

	(void)state;
	for (size_t i = 0; i < sizeof(views) / sizeof(*views); i++) {
		struct view v = {0};

		live_fixture_init(&v.fixture);
		v.live = live_fixture_new(views[i].ascii, true);
		look(&v, 10);
		type(&v, views[i].keys);
		look(&v, 11);
		/* One view is drawn in all sizes, one after another. */
		for (size_t j = 0; j < 3; j++) {
			char name[64];

			(void)snprintf(name, sizeof(name), "%s_%ux%u", views[i].name, sizes[j][0],
				sizes[j][1]);
			check_golden(name, shown(&v, sizes[j][0], sizes[j][1]));
		}
		live_free(v.live);
		screen_release(&v.screen);
		profile_free(v.fixture.profile);
		free(v.text);
	}
}

static void test_live__errors_from_80_columns_on(void **state)
{
	static const char *const keys[] = {"", "l", "g", "o"};
	struct view *v = *state;

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		type(v, keys[i]);
		for (unsigned columns = 79; columns <= 80; columns++) {
			const char *titles = strstr(shown(v, columns, 24), "SELF%"), *end;

			assert_non_null(titles);
			while (titles > v->text && titles[-1] != '\n')
				titles--;
			end = strchr(titles, '\n');
			assert_non_null(end);
			assert_int_equal(
				memmem(titles, (size_t)(end - titles), "\xc2\xb1", 2) != NULL,
				columns == 80);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(tiny_screens),
		TEST(errors_from_80_columns_on),
		TEST(a_narrow_title_keeps_its_gap),
		TEST(a_reason_leaves_the_last_line),
		TEST(a_zoom_without_samples_says_so),
		cmocka_unit_test(test_live__golden_screens),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
