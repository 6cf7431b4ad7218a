/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "view/sheet.h"

static void assert_sheet(enum report_format format, const char *text, const char *expected)
{
	struct sheet sheet;
	char *written = NULL;
	size_t bytes;
	FILE *out = open_memstream(&written, &bytes);

	sheet_begin(&sheet, format, out);
	for (int i = 0; i < (text ? 2 : 1); i++) {
		sheet_cell(&sheet, "n", cell_number(-5));
		sheet_cell(&sheet, "text", cell_text(text));
		sheet_row(&sheet);
	}
	assert_int_equal(sheet_end(&sheet), 0);
	assert_int_equal(fclose(out), 0);
	assert_string_equal(written, expected);
	free(written);
}

static void test_sheet__tsv_has_one_line_a_row(void **state)
{
	(void)state;
	assert_sheet(REPORT_TSV, NULL, "n\ttext\n");
	assert_sheet(REPORT_TSV, "a,\"b\"", "n\ttext\n-5\ta,\"b\"\n");
	assert_sheet(REPORT_TSV, "a\tb\nc\\d\033", "n\ttext\n-5\ta\\tb\\nc\\\\d\\x1b\n");
}

static void test_sheet__csv_quotes_as_rfc_4180(void **state)
{
	(void)state;
	assert_sheet(REPORT_CSV, "plain", "n,text\n-5,plain\n");
	assert_sheet(REPORT_CSV, "f(a, b) \"c\"", "n,text\n-5,\"f(a, b) \"\"c\"\"\"\n");
	assert_sheet(REPORT_CSV, "a\nb", "n,text\n-5,a?b\n");
}

/* A text that a spreadsheet would take for a formula gets a quote, a number does not. */
static void test_sheet__cells_are_no_formulas(void **state)
{
	(void)state;
	assert_sheet(REPORT_CSV, "=1+1", "n,text\n-5,\"'=1+1\"\n");
	assert_sheet(REPORT_CSV, "+a", "n,text\n-5,\"'+a\"\n");
	assert_sheet(REPORT_CSV, "-[NSView draw]", "n,text\n-5,\"'-[NSView draw]\"\n");
	assert_sheet(REPORT_CSV, "@a\"", "n,text\n-5,\"'@a\"\"\"\n");
	assert_sheet(REPORT_CSV, "\t=a", "n,text\n-5,\"'?=a\"\n");
	assert_sheet(REPORT_CSV, "\r=a", "n,text\n-5,\"'?=a\"\n");
	assert_sheet(REPORT_TSV, "=1+1", "n\ttext\n-5\t'=1+1\n");
	assert_sheet(REPORT_TSV, "\t=a", "n\ttext\n-5\t'\\t=a\n");
	assert_sheet(REPORT_TSV, "a=1", "n\ttext\n-5\ta=1\n");
	assert_sheet(REPORT_JSON, "=1", "[\n{\"n\": -5, \"text\": \"=1\"}\n]\n");
}

/* C0, DEL, and C1 as a character and as a byte: replaced; in TSV and JSON escaped. */
static void test_sheet__nothing_steers_a_terminal(void **state)
{
	(void)state;
	assert_sheet(REPORT_CSV, "a\033[31m\xc2\x9b\x9b\x7f", "n,text\n-5,a?[31m???\n");
	assert_sheet(REPORT_CSV, "\033,", "n,text\n-5,\"?,\"\n");
	assert_sheet(
		REPORT_TSV, "a\033\xc2\x9b\x9b\x7f", "n\ttext\n-5\ta\\x1b\\xc2\\x9b\\x9b\\x7f\n");
	assert_sheet(
		REPORT_JSON, "\xc2\x9b\x7f", "[\n{\"n\": -5, \"text\": \"\\u009b\\u007f\"}\n]\n");
}

static void test_sheet__json_escapes_as_rfc_8259(void **state)
{
	(void)state;
	assert_sheet(REPORT_JSON, NULL, "[]\n");
	assert_sheet(REPORT_JSON, "a\"b\\\n\033",
		"[\n{\"n\": -5, \"text\": \"a\\\"b\\\\\\u000a\\u001b\"}\n]\n");
	assert_sheet(REPORT_JSON, "\xc3\xa9\xff",
		"[\n{\"n\": -5, \"text\": \"\xc3\xa9\xef\xbf\xbd\"}\n]\n");
}

static void assert_pairs(enum report_format format, const char *expected)
{
	struct sheet sheet;
	char *written = NULL;
	size_t bytes;
	FILE *out = open_memstream(&written, &bytes);

	sheet_pairs_begin(&sheet, format, out);
	sheet_pair(&sheet, "a", cell_count(UINT64_MAX));
	sheet_pair(&sheet, "b", (struct cell){0});
	sheet_pairs_end(&sheet);
	assert_int_equal(fclose(out), 0);
	assert_string_equal(written, expected);
	free(written);
}

static void test_sheet__pairs_tell_what_is_not_known(void **state)
{
	(void)state;
	assert_pairs(REPORT_TSV, "key\tvalue\na\t18446744073709551615\nb\t\n");
	assert_pairs(REPORT_CSV, "key,value\na,18446744073709551615\nb,\n");
	assert_pairs(REPORT_JSON, "{\n  \"a\": 18446744073709551615,\n  \"b\": null\n}\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sheet__tsv_has_one_line_a_row),
		cmocka_unit_test(test_sheet__csv_quotes_as_rfc_4180),
		cmocka_unit_test(test_sheet__cells_are_no_formulas),
		cmocka_unit_test(test_sheet__nothing_steers_a_terminal),
		cmocka_unit_test(test_sheet__json_escapes_as_rfc_8259),
		cmocka_unit_test(test_sheet__pairs_tell_what_is_not_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
