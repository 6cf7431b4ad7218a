/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "symbolizer/symbolizer.h"

struct watch {
	struct symbolizer *symbolizer;
	struct space *space;
	enum symbolizer_skip skip;
	unsigned begun, ended;
	bool working;
	char seen[8][4096];
};

static void working_on(void *context, const char *path)
{
	struct watch *watch = context;

	if (path && watch->begun < 8)
		(void)snprintf(watch->seen[watch->begun], sizeof(watch->seen[0]), "%s", path);
	if (path)
		watch->begun++;
	else
		watch->ended++;
	watch->working = path != NULL;
}

static enum symbolizer_skip skip_what(void *context, const char *path)
{
	const struct watch *watch = context;

	assert_non_null(path);
	return watch->skip;
}

static void begin(struct watch *watch, enum symbolizer_skip skip)
{
	struct symbolizer_options options = {.size = sizeof(options),
		.working_on = working_on,
		.skip = skip_what,
		.context = watch};
	FILE *file = fopen("/proc/self/maps", "re");
	char *text = NULL;
	size_t capacity = 0;

	*watch = (struct watch){.skip = skip};
	assert_non_null(file);
	assert_true(getdelim(&text, &capacity, EOF, file) > 0);
	(void)fclose(file);
	assert_int_equal(symbolizer_new(&options, &watch->symbolizer), 0);
	assert_int_equal(space_new(watch->symbolizer, getpid(), &watch->space), 0);
	assert_int_equal(space_set_maps(watch->space, text, strlen(text)), 0);
	free(text);
}

static void end(struct watch *watch)
{
	assert_false(watch->working);
	space_free(watch->space);
	symbolizer_free(watch->symbolizer);
}

static struct code_location place_of(const struct watch *watch, const void *code)
{
	struct code_location place;

	assert_true(space_find(watch->space, (uintptr_t)code, &place));
	return place;
}

__attribute__((noinline)) static int one(volatile int *n)
{
	return *n += 1;
}

__attribute__((noinline)) static int two(volatile int *n)
{
	return *n += 2;
}

static void test_symbolizer__answers_in_the_order_of_the_places(void **state)
{
	struct watch watch;
	struct code_location places[1000];
	struct frame_chain chains[1000];

	(void)state;
	begin(&watch, SYMBOLIZER_SKIP_NOTHING);
	for (size_t i = 0; i < 1000; i++) {
		if (i % 7 == 0)
			(void)space_find(watch.space, i, &places[i]);
		else
			places[i] = place_of(&watch, i % 3 ? (const void *)one : (const void *)two);
	}
	assert_int_equal(symbolizer_resolve(watch.symbolizer, places, 1000, chains), 0);
	for (size_t i = 0; i < 1000; i++) {
		if (i % 7 == 0) {
			assert_int_equal(chains[i].n, 0);
			continue;
		}
		assert_int_equal(chains[i].n, 1);
		assert_string_equal(chains[i].frame[0].function, i % 3 ? "one" : "two");
		assert_string_equal(chains[i].frame[0].symbol, i % 3 ? "one" : "two");
		assert_false(chains[i].frame[0].inlined);
		assert_true(chains[i].frame[0].function_line > 0);
		assert_true(chains[i].frame[0].line >= chains[i].frame[0].function_line);
	}
	/* A repeated address has the same result, not a copy. */
	assert_ptr_equal(chains[1].frame, chains[2].frame);
	assert_int_equal(symbolizer_resolve(watch.symbolizer, NULL, 0, NULL), 0);
	end(&watch);
}

static void test_symbolizer__says_what_it_works_on(void **state)
{
	struct watch watch;
	struct frame_chain chain;
	struct code_location place;
	char own[4096];
	ssize_t n = readlink("/proc/self/exe", own, sizeof(own) - 1);

	(void)state;
	assert_true(n > 0);
	own[n] = '\0';
	begin(&watch, SYMBOLIZER_SKIP_NOTHING);
	assert_int_equal(watch.begun, 0);
	place = place_of(&watch, (const void *)one);
	assert_int_equal(symbolizer_resolve(watch.symbolizer, &place, 1, &chain), 0);
	assert_true(watch.begun > 0);
	assert_true(watch.ended > 0);
	for (unsigned i = 0; i < watch.begun && i < 8; i++)
		assert_string_equal(watch.seen[i], own);
	end(&watch);
}

/*
 * The address of a text has no name, so .debug_frame is searched for its function amid the naming.
 * The file must not be reported as done before the last address.
 */
static void test_symbolizer__works_on_a_file_until_all_is_named(void **state)
{
	static const char *const volatile text = "a text, not a function";
	struct watch watch;
	struct frame_chain chains[2];
	struct code_location places[2];

	(void)state;
	begin(&watch, SYMBOLIZER_SKIP_NOTHING);
	places[0] = place_of(&watch, (const void *)one);
	assert_int_equal(symbolizer_resolve(watch.symbolizer, places, 1, chains), 0);
	assert_false(watch.working);
	watch.begun = watch.ended = 0;
	places[0] = place_of(&watch, (const void *)two);
	places[1] = place_of(&watch, text);
	assert_ptr_equal(places[0].module, places[1].module);
	assert_int_equal(symbolizer_resolve(watch.symbolizer, places, 2, chains), 0);
	assert_int_equal(chains[0].n, 1);
	assert_int_equal(chains[1].n, 0);
	/* The file is reported for the series, and for its section. */
	assert_true(watch.begun > 1);
	assert_int_equal(watch.ended, 1);
	end(&watch);
}

static void test_symbolizer__leaves_alone_what_it_shall_skip(void **state)
{
	struct watch watch;
	struct frame_chain chain;
	struct module_info info;
	struct code_location place;

	(void)state;
	begin(&watch, SYMBOLIZER_SKIP_DEBUG_INFO);
	place = place_of(&watch, (const void *)one);
	assert_int_equal(symbolizer_resolve(watch.symbolizer, &place, 1, &chain), 0);
	assert_int_equal(chain.n, 1);
	assert_string_equal(chain.frame[0].function, "one");
	assert_int_equal(chain.frame[0].line, 0);
	module_describe(place.module, place.svma, &info);
	assert_string_equal(info.lines, "unread");
	assert_non_null(strstr(info.problem, "made the parser crash"));
	end(&watch);

	begin(&watch, SYMBOLIZER_SKIP_FILE);
	place = place_of(&watch, (const void *)one);
	assert_int_equal(symbolizer_resolve(watch.symbolizer, &place, 1, &chain), 0);
	assert_int_equal(chain.n, 0);
	assert_int_equal(watch.begun, 0);
	module_describe(place.module, place.svma, &info);
	assert_non_null(strstr(info.problem, "crash"));
	assert_string_equal(info.lines, "unread");
	end(&watch);
}

/* Maps a file with this content; its module has the problem @want. */
static void expect_problem(const void *content, size_t bytes, const char *want)
{
	const struct symbolizer_options options = {.size = sizeof(options)};
	char path[] = "/tmp/test_symbolizer.XXXXXX", text[256];
	struct symbolizer *symbolizer;
	struct space *space;
	struct code_location place;
	struct module_info info;
	struct frame_chain chain;
	int fd = mkostemp(path, O_CLOEXEC), n;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, content, bytes), bytes);
	assert_int_equal(close(fd), 0);
	assert_int_equal(symbolizer_new(&options, &symbolizer), 0);
	assert_int_equal(space_new(symbolizer, 0, &space), 0);
	n = snprintf(text, sizeof(text), "400000-401000 r-xp 00000000 00:00 0 %s\n", path);
	assert_int_equal(space_set_maps(space, text, (size_t)n), 0);
	assert_true(space_find(space, 0x400123, &place));
	assert_int_equal(symbolizer_resolve(symbolizer, &place, 1, &chain), 0);
	assert_int_equal(chain.n, 0);
	module_describe(place.module, place.svma, &info);
	assert_string_equal(info.path, path);
	assert_non_null(strstr(info.problem, want));
	assert_string_equal(info.symbols, "none");
	assert_string_equal(info.lines, "none");
	space_free(space);
	symbolizer_free(symbolizer);
	assert_int_equal(unlink(path), 0);
}

static void test_symbolizer__bad_files_are_a_problem_of_their_module(void **state)
{
	uint8_t text[256];

	(void)state;
	memset(text, 'x', sizeof(text));
	expect_problem(text, sizeof(text), "not an ELF file");
	memcpy(text, "\177ELF\2\1\1", 7);
	expect_problem(text, sizeof(text), "not an ELF file");
	expect_problem(text, 20, "not an ELF file");
	expect_problem("", 0, "empty file");
}

static void test_symbolizer__a_missing_file_is_a_problem_of_its_module(void **state)
{
	static const char text[] =
		"400000-401000 r-xp 00002000 08:01 99 /nonexistent/program\n"
		"500000-501000 r-xp 00003000 08:01 98 /nonexistent/other (deleted)\n"
		"600000-601000 r-xp 00000000 08:01 2 /tmp\n";
	const struct symbolizer_options options = {.size = sizeof(options)};
	struct symbolizer *symbolizer;
	struct space *space;
	struct code_location place;
	struct module_info info;

	(void)state;
	assert_int_equal(symbolizer_new(&options, &symbolizer), 0);
	assert_int_equal(space_new(symbolizer, 0, &space), 0);
	assert_int_equal(space_set_maps(space, text, sizeof(text) - 1), 0);
	assert_true(space_find(space, 0x400123, &place));
	/* Without program headers, offsets of the file are used as addresses. */
	assert_true(place.svma == 0x2123);
	module_describe(place.module, place.svma, &info);
	assert_string_equal(info.path, "/nonexistent/program");
	assert_false(info.deleted);
	assert_non_null(strstr(info.problem, "cannot be opened"));
	assert_true(space_find(space, 0x500000, &place));
	module_describe(place.module, place.svma, &info);
	assert_string_equal(info.path, "/nonexistent/other");
	assert_true(info.deleted);
	assert_true(space_find(space, 0x600000, &place));
	module_describe(place.module, place.svma, &info);
	assert_string_equal(info.path, "/tmp");
	assert_true(info.problem[0] != '\0');
	space_free(space);
	symbolizer_free(symbolizer);
}

static void test_symbolizer__too_many_missing_files_are_not_read(void **state)
{
	enum { FILES = 30001, LINE_MOST = 80 };
	const struct symbolizer_options options = {.size = sizeof(options)};
	char *text = malloc(FILES * LINE_MOST), *end = text;
	struct symbolizer *symbolizer;
	struct space *space;
	struct code_location place;
	struct module_info info;

	(void)state;
	assert_non_null(text);
	for (unsigned i = 0; i < FILES; i++)
		end += snprintf(end, LINE_MOST,
			"%x000-%x000 r-xp 00000000 00:00 0 /nonexistent/%u (deleted)\n", 4096 + i,
			4097 + i, i);
	assert_int_equal(symbolizer_new(&options, &symbolizer), 0);
	assert_int_equal(space_new(symbolizer, 0, &space), 0);
	assert_int_equal(space_set_maps(space, text, (size_t)(end - text)), 0);
	free(text);
	assert_true(space_find(space, 0x1000000, &place));
	module_describe(place.module, place.svma, &info);
	assert_non_null(strstr(info.problem, "deleted or replaced"));
	assert_true(space_find(space, 0x1000000 + (FILES - 1) * UINT64_C(0x1000), &place));
	module_describe(place.module, place.svma, &info);
	assert_non_null(strstr(info.problem, "too many different files"));
	space_free(space);
	symbolizer_free(symbolizer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_symbolizer__answers_in_the_order_of_the_places),
		cmocka_unit_test(test_symbolizer__says_what_it_works_on),
		cmocka_unit_test(test_symbolizer__works_on_a_file_until_all_is_named),
		cmocka_unit_test(test_symbolizer__leaves_alone_what_it_shall_skip),
		cmocka_unit_test(test_symbolizer__bad_files_are_a_problem_of_their_module),
		cmocka_unit_test(test_symbolizer__a_missing_file_is_a_problem_of_its_module),
		cmocka_unit_test(test_symbolizer__too_many_missing_files_are_not_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
