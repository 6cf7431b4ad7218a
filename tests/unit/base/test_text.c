/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"

static void assert_cut(const char *name, size_t columns, bool ascii, const char *expected)
{
	char *text = strdup(name);

	assert_int_equal(text_cut_name(&text, columns, ascii), 0);
	assert_string_equal(text, expected);
	free(text);
}

static void test_text__counts_columns(void **state)
{
	(void)state;
	assert_int_equal(text_columns(""), 0);
	assert_int_equal(text_columns("abc"), 3);
	assert_int_equal(text_columns("h\xc3\xa9"), 2); /* e with an acute accent */
	assert_int_equal(text_columns("e\xcc\x81"), 1); /* e, then the accent as a character */
	assert_int_equal(text_columns("\xe6\x97\xa5\xe6\x9c\xac"), 4); /* two wide characters */
	assert_int_equal(text_columns("a\xff"
				      "b"),
		3);
}

static void test_text__decodes_only_utf8(void **state)
{
	/* An overlong form, a surrogate, too large, a lone continuation, cut short, five bytes. */
	static const char *const wrong[] = {"\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\x80",
		"\xe2\x82", "\xf8\x88\x80\x80\x80"};
	const char *right = "\xf0\x9f\x98\x80";

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		const char *at = wrong[i];

		assert_int_equal(text_next(&at), -1);
		assert_ptr_equal(at, wrong[i] + 1);
	}
	assert_int_equal(text_next(&right), 0x1f600);
	assert_int_equal(*right, '\0');
}

static void test_text__encodes_what_it_decodes(void **state)
{
	static const char *const right[] = {"a", "\x7f", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80",
		"\xef\xbf\xbf", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"};
	char utf8[TEXT_UTF8_BYTES];

	(void)state;
	for (size_t i = 0; i < sizeof(right) / sizeof(*right); i++) {
		const char *at = right[i];

		assert_int_equal(text_encode(text_next(&at), utf8), strlen(right[i]));
		assert_string_equal(utf8, right[i]);
	}
}

/* A name cannot move the cursor, ring the bell, or turn the writing direction. */
static void test_text__cleans_what_a_terminal_would_obey(void **state)
{
	static const char *const pairs[][3] = {
		{"a\033[31mb\n", "a?[31mb?", "a?[31mb?"},
		{"h\xc3\xa9", "h\xc3\xa9", "h?"},
		{"\xe2\x80\xae"
		 "x",
			"?x", "?x"},
		{"\xc2\x9b"
		 "x",
			"?x", "?x"},
		{"\xff", "?", "?"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
		for (int ascii = 0; ascii < 2; ascii++) {
			char *clean = text_clean(pairs[i][0], ascii);

			assert_string_equal(clean, pairs[i][1 + ascii]);
			free(clean);
		}
	}
}

static void test_text__cuts_names_where_they_can_spare_it(void **state)
{
	const char *name = "ns::map<std::string, int>::insert(std::pair<int, int> const&)";

	(void)state;
	assert_cut(name, 80, true, name);
	/* The content of arguments is cut first. */
	assert_cut(name, 59, true, "ns::map<std::string, int>::insert(...)");
	assert_cut(name, 35, false, "ns::map<\xe2\x80\xa6>::insert(\xe2\x80\xa6)");
	/* Then the first components are cut, and at last the middle of the last one. */
	assert_cut(name, 22, true, "...::insert(...)");
	assert_cut("ns::a_long_function", 9, true, "a_l...ion");
	assert_cut("tokio::runtime::task::Context::run_task::{{closure}}", 40, true,
		"...::Context::run_task::{{closure}}");
	/* In the name of a Rust type, paths are cut first, then the trait. */
	assert_cut("<alloc::vec::Vec<T> as core::iter::FromIterator>::from_iter", 40, true,
		"<Vec<T> as FromIterator>::from_iter");
	assert_cut("<alloc::vec::Vec<T> as core::iter::FromIterator>::from_iter", 30, true,
		"<Vec<T>>::from_iter");
	assert_cut("<alloc::vec::Vec<T> as core::iter::FromIterator>::from_iter", 18, true,
		"...::from_iter");
	assert_cut("<hashbrown::raw::RawTableInner>::probe_seq", 30, true,
		"<RawTableInner>::probe_seq");
	assert_cut("<a::B as c::D>", 8, true, "<a...:D>");
	assert_cut("<a::B as c::", 8, true, "<a...c::");
	assert_cut("a::b::operator->() const::{lambda()#1}", 24, true, "...::{lambda()#1}");
	/* The angle brackets of operators are not brackets to be cut. */
	assert_cut("ns::operator<<(std::ostream&, int)", 22, true, "ns::operator<<(...)");
	assert_cut("ns::Long::operator()(int, int, int) const", 32, true,
		"ns::Long::operator()(...) const");
	assert_cut("abcdefghijklmnop", 9, true, "abc...nop");
	assert_cut("abcdefghijklmnop", 2, true, "ab");
}

static void test_text__cuts_a_name_of_a_million_brackets(void **state)
{
	const size_t bytes = 1000000;
	char *text = malloc(bytes + 1);

	(void)state;
	memset(text, '<', bytes);
	text[bytes] = '\0';
	assert_int_equal(text_cut_name(&text, 10, true), 0);
	assert_string_equal(text, "<<<...<<<<");
	free(text);
}

/*
 * A step of the rule for cutting names, in its simplest form, to compare text_cut_name() with:
 * empties the last pair of brackets that has more than an ellipsis. False: there is none.
 */
static bool empty_last(char *text, char open, char close)
{
	for (size_t i = strlen(text); i-- > 1;) {
		size_t depth = 0, end = 0;
		bool is_operator = (i >= 8 && !strncmp(text + i - 8, "operator", 8)) ||
			(i >= 9 && text[i] == '<' && !strncmp(text + i - 9, "operator<", 9));

		for (size_t j = i; text[j] && !end; j++) {
			depth += text[j] == open;
			if (text[j] == close && text[j - 1] != '-' && depth && !--depth)
				end = j;
		}
		if (text[i] != open || is_operator || end <= i + 4)
			continue;
		memmove(text + i + 4, text + end, strlen(text + end) + 1);
		(void)memcpy(text + i + 1, "...", 3);
		return true;
	}
	return false;
}

static void test_text__empties_brackets_as_the_plain_rule_does(void **state)
{
	static const char *const parts[] = {"(", ")", "<", ">", "->", "a", "bcdef", "operator"};
	unsigned chance = 1;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		char name[128] = "", plain[128], *text;
		size_t columns;

		for (int j = 0; j < 14; j++) {
			chance = chance * 1103515245 + 12345;
			strcat(name, parts[chance >> 16 & 7]);
		}
		columns = chance >> 20 & 63;
		strcpy(plain, name);
		while (strlen(plain) > columns && empty_last(plain, '(', ')'))
			;
		while (strlen(plain) > columns && empty_last(plain, '<', '>'))
			;
		if (strlen(plain) > columns)
			continue; /* text_cut_name() cuts more than brackets here */
		text = strdup(name);
		assert_int_equal(text_cut_name(&text, columns, true), 0);
		assert_string_equal(text, plain);
		free(text);
	}
}

/* In quadratic time this test would exceed its time limit. */
static void test_text__takes_linear_time(void **state)
{
	static const char *const parts[] = {"(", "<", "(aaaa)", "<aaaa>", "(<", "operator<", ")",
		"a::", "\xcc\x81", "\xe6\x97\xa5", "\xff"};
	const size_t most = 200000;

	(void)state;
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		char *name = malloc(2 * most + 16), *to = name;

		while ((size_t)(to - name) < most)
			to = stpcpy(to, parts[i]);
		while ((size_t)(to - name) < 2 * most && strchr("(<", parts[i][0]))
			*to++ = parts[i][0] == '(' ? ')' : '>';
		*to = '\0';
		for (int ascii = 0; ascii < 2; ascii++) {
			for (int j = 0; j < 20; j++) {
				char *text = strdup(name);

				assert_int_equal(text_cut_name(&text, 60, ascii), 0);
				assert_true(text_columns(text) <= 60);
				free(text);
				text = strdup(name);
				assert_int_equal(text_empty_brackets(&text, ascii), 0);
				free(text);
			}
		}
		free(name);
	}
}

static void test_text__of_a_system_call_the_name_stays(void **state)
{
	(void)state;
	assert_cut("[syscall] futex", 15, true, "[syscall] futex");
	assert_cut("[syscall] futex", 14, true, "[...] futex");
	assert_cut("[syscall] futex", 9, false, "[\xe2\x80\xa6] futex");
	assert_cut("[syscall] clock_nanosleep", 19, false, "[\xe2\x80\xa6] clock_nanosleep");
}

static void test_text__cuts_between_characters(void **state)
{
	const char *wide = "\xe6\x97\xa5\xe6\x9c\xac\xe6\x97\xa5\xe6\x9c\xac\xe6\x97\xa5";
	char *text;

	(void)state;
	for (size_t columns = 1; columns < 12; columns++) {
		const char *at;

		text = strdup(wide);
		assert_int_equal(text_cut_name(&text, columns, false), 0);
		assert_true(text_columns(text) <= columns);
		for (at = text; *at;)
			assert_true(text_next(&at) >= 0);
		free(text);
	}
}

static void test_text__cuts_paths_in_front_and_sentences_behind(void **state)
{
	char *text = strdup("directory/file.c:12");

	(void)state;
	assert_int_equal(text_cut_path(&text, 12, true), 0);
	assert_string_equal(text, "...file.c:12");
	free(text);
	text = strdup("gcc -O2 -c file.c");
	assert_int_equal(text_cut_sentence(&text, 10, true), 0);
	assert_string_equal(text, "gcc -O2...");
	free(text);
	assert_string_equal(text_basename("/usr/lib/libfoo.so"), "libfoo.so");
	assert_string_equal(text_basename("libfoo.so"), "libfoo.so");
	assert_string_equal(text_basename("/usr/lib/"), "/usr/lib/");
}

static void test_text__formats_times(void **state)
{
	static const struct {
		uint64_t ns;
		const char *text;
	} expected[] = {
		{0, "0 ns"},
		{999, "999 ns"},
		{1500, "1.5 us"},
		{21000, "21 us"},
		{4120000, "4.12 ms"},
		{12410000000, "12.41 s"},
		{192000000000, "3 min 12 s"},
		{7380000000000, "2 h 03 min"},
	};
	char text[TEXT_UNIT_BYTES];

	(void)state;
	for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++) {
		text_format_ns(expected[i].ns, text);
		assert_string_equal(text, expected[i].text);
	}
	text_format_ns(UINT64_MAX, text);
	assert_string_equal(text, "5124095 h 34 min");
}

static void test_text__scales_a_column_by_its_greatest(void **state)
{
	static const struct {
		const char *unit;
		int64_t most, value;
		const char *text;
	} expected[] = {
		{"nanoseconds", 200000000000, 1234000000, "1.2 s"},
		{"nanoseconds", 200000000000, 49000000, "<0.1 s"},
		{"nanoseconds", 2000000000, 5000000, "0.01 s"},
		{"nanoseconds", 2000000000, 4123000, "<0.01 s"},
		{"nanoseconds", 2000000, 4900, "<0.01 ms"},
		{"nanoseconds", 2000000, 40, "<0.01 ms"},
		{"nanoseconds", 2000000, 0, "0.00 ms"},
		{"bytes", 3 << 20, 3 << 10, "<0.01 MiB"},
		{"nanoseconds", 2000000000, 1234000000, "1.23 s"},
		{"nanoseconds", 20000000, 1234000, "1.23 ms"},
		{"nanoseconds", 20000, 1234, "1.2 us"},
		{"bytes", 3 << 20, 1 << 19, "0.50 MiB"},
		{"bytes", 900, 12, "12 B"},
		{"count", 900, 12, "12"},
	};
	char text[TEXT_UNIT_BYTES];

	(void)state;
	for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++) {
		text_format_scaled(expected[i].value,
			text_scale_for(expected[i].unit, expected[i].most), text);
		assert_string_equal(text, expected[i].text);
	}
}

static void test_text__rates_as_people_write_them(void **state)
{
	static const struct {
		double hz;
		const char *text;
	} expected[] = {
		{250, "250 Hz"},
		{10000, "10000 Hz"},
		{1e9 / 30000, "33333 Hz"},
		{1e9 / 333333333, "3 Hz"},
		{100.0 / 3, "33.3 Hz"},
		{0.01, "0.01 Hz"},
		{1.0 / 60, "0.017 Hz"},
		{0.5, "0.5 Hz"},
		{0.999999, "1 Hz"},
		{999.99, "1000 Hz"},
		{0, "0 Hz"},
	};
	char text[TEXT_UNIT_BYTES];

	(void)state;
	for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++) {
		text_format_hz(expected[i].hz, text);
		assert_string_equal(text, expected[i].text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text__counts_columns),
		cmocka_unit_test(test_text__decodes_only_utf8),
		cmocka_unit_test(test_text__encodes_what_it_decodes),
		cmocka_unit_test(test_text__rates_as_people_write_them),
		cmocka_unit_test(test_text__cleans_what_a_terminal_would_obey),
		cmocka_unit_test(test_text__cuts_names_where_they_can_spare_it),
		cmocka_unit_test(test_text__cuts_a_name_of_a_million_brackets),
		cmocka_unit_test(test_text__empties_brackets_as_the_plain_rule_does),
		cmocka_unit_test(test_text__takes_linear_time),
		cmocka_unit_test(test_text__of_a_system_call_the_name_stays),
		cmocka_unit_test(test_text__cuts_between_characters),
		cmocka_unit_test(test_text__cuts_paths_in_front_and_sentences_behind),
		cmocka_unit_test(test_text__formats_times),
		cmocka_unit_test(test_text__scales_a_column_by_its_greatest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
