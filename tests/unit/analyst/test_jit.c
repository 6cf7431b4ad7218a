/* SPDX-License-Identifier: MIT */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "analyst/jit/jit.h"
#include "analyst/jit/jit_note.h"
#include "analyst/python/python_note.h"
#include "analyst/syscalls.h"
#include "profile/profile.h"
#include "tests/unit/jit_fixture.h"

#define MIB ((off_t)1 << 20)

static const char text[] = "3ef414c0 398 LazyCompile:~main /x.js:1\n"
			   "0x1000 10 with 0x\n"
			   "nonsense\n"
			   "1000 0 empty\n"
			   "ffffffffffffffff 10 wraps\n"
			   "2000 100 old\n"
			   "2040 20 newer, inside\n"
			   "4000\t10\ttabs, and an end of DOS\r\n"
			   "5000  10  blanks  \n"
			   "6000 10 \n"
			   "6000 \n"
			   "3000 10 not a whole li";

static void test_jit__the_newest_piece_counts(void **state)
{
	struct jit_map map = {0};

	(void)state;
	assert_int_equal(
		jit_map_add(&map, text, sizeof(text) - 1), (long)(strrchr(text, '\n') + 1 - text));
	assert_int_equal(map.n, 6);
	assert_string_equal(name_at(&map, 0x3ef414c0), "LazyCompile:~main /x.js:1");
	assert_string_equal(name_at(&map, 0x3ef41857), "LazyCompile:~main /x.js:1");
	assert_null(name_at(&map, 0x3ef41858));
	assert_string_equal(name_at(&map, 0x100f), "with 0x");
	assert_string_equal(name_at(&map, 0x203f), "old");
	assert_string_equal(name_at(&map, 0x2040), "newer, inside");
	assert_string_equal(name_at(&map, 0x2060), "old");
	assert_null(name_at(&map, 0x3000));
	assert_string_equal(name_at(&map, 0x4000), "tabs, and an end of DOS");
	assert_string_equal(name_at(&map, 0x5000), "blanks");
	assert_null(name_at(&map, 0x6000));
	jit_map_release(&map);
}

static void write_map(const char *path, const char *lines)
{
	FILE *file = fopen(path, "we");

	assert_non_null(file);
	assert_true(fputs(lines, file) >= 0 && fclose(file) == 0);
}

static const char *name_of(struct profile *profile, int location)
{
	struct location l = profile_location(profile, (size_t)location);

	assert_int_equal(l.lines, 1);
	return profile_function(profile, l.line[0].function).name;
}

static void test_jit__names_come_late(void **state)
{
	struct jit_budget budget = {0};
	struct profile *profile;
	struct jit *jit;
	char path[64];
	FILE *file;
	int a, b;

	(void)state;
	(void)snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	assert_int_equal(profile_new(&profile), 0);
	jit = jit_new(profile, NULL, (uint32_t)getpid(), true, &budget);
	assert_non_null(jit);
	a = jit_location(jit, 0x5000, 0x5000);
	assert_true(a >= 0);
	assert_int_equal(profile_location(profile, (size_t)a).lines, 0);
	file = fopen(path, "we");
	assert_non_null(file);
	assert_true(fputs("6000 100 second\n", file) >= 0 && fflush(file) == 0);
	b = jit_location(jit, 0x6010, 0x5000);
	assert_int_equal(profile_location(profile, (size_t)b).lines, 1);
	assert_true(fputs("5000 100 first\n", file) >= 0 && fclose(file) == 0);
	assert_int_equal(jit_location(jit, 0x5000, 0x5000), a);
	assert_int_equal(jit_finish(jit), 0);
	assert_int_equal(profile_location(profile, (size_t)a).lines, 1);
	assert_string_equal(
		profile_function(profile, profile_location(profile, (size_t)a).line[0].function)
			.name,
		"first");
	assert_string_equal(
		profile_mapping(profile, profile_location(profile, (size_t)a).mapping).file,
		"[jit]");
	jit_free(jit);
	profile_free(profile);
	(void)unlink(path);
}

/*
 * The last line of a map may lack its newline. If it was read when only a part of the name had been
 * written, the whole name replaces that part later.
 */
static void test_jit__the_last_line_needs_no_end(void **state)
{
	struct jit_map map = {0};
	struct jit_budget budget = {0};
	struct profile *profile;
	struct jit *jit;
	char path[64];
	int a, b;

	(void)state;
	(void)snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	assert_int_equal(profile_new(&profile), 0);
	jit = jit_new(profile, NULL, (uint32_t)getpid(), true, &budget);
	assert_non_null(jit);
	write_map(path, "5000 100 first\n6000 100 la");
	a = jit_location(jit, 0x5010, 0x5000);
	b = jit_location(jit, 0x6010, 0x5000);
	assert_int_equal(profile_location(profile, (size_t)a).lines, 1);
	assert_int_equal(profile_location(profile, (size_t)b).lines, 0);
	assert_int_equal(jit_finish(jit), 0);
	assert_int_equal(profile_location(profile, (size_t)b).lines, 1);
	jit_free(jit);
	profile_free(profile);
	(void)unlink(path);

	assert_int_equal(jit_map_add_last(&map, "6000 100 la", 11), 0);
	assert_string_equal(name_at(&map, 0x6010), "la");
	assert_int_equal(jit_map_add(&map, "6000 100 last\n", 14), 14);
	assert_string_equal(name_at(&map, 0x6010), "last");
	assert_int_equal(jit_map_add_last(&map, "7000 100 no\nend", 15), 0);
	assert_null(name_at(&map, 0x7010));
	jit_map_release(&map);
}

/* As jcmd does: from the beginning, and not shorter. */
static void test_jit__a_map_may_be_written_anew(void **state)
{
	struct jit_budget budget = {.rewritten = true};
	struct profile *profile;
	struct jit *jit;
	char path[64];
	int a, b;

	(void)state;
	(void)snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	assert_int_equal(profile_new(&profile), 0);
	jit = jit_new(profile, NULL, (uint32_t)getpid(), true, &budget);
	assert_non_null(jit);
	write_map(path, "5000 100 before\n");
	a = jit_location(jit, 0x5010, 0x5000);
	b = jit_location(jit, 0x6010, 0x5000);
	assert_int_equal(profile_location(profile, (size_t)b).lines, 0);
	write_map(path, "6000 100 first\n7000 100 second\n");
	assert_int_equal(jit_finish(jit), 0);
	assert_string_equal(name_of(profile, a), "before");
	assert_string_equal(name_of(profile, b), "first");
	jit_free(jit);
	assert_int_equal(budget.used_bytes, 0);
	profile_free(profile);
	(void)unlink(path);
}

/* Two workers forked from one process generate different code at the same addresses. */
static void test_jit__processes_have_code_of_their_own(void **state)
{
	static const char *const early[] = {
		"5000 100 of_a\n7000 100 of_both\n", "5000 100 of_b\n7000 100 of_both\n"};
	static const char *const late[] = {
		"5000 100 of_a\n7000 100 of_both\n6000 100 late_a\n5000 100 newer_a\n",
		"5000 100 of_b\n7000 100 of_both\n6000 100 late_b\n5000 100 newer_b\n"};
	struct jit_budget budget = {0};
	struct profile *profile;
	struct jit *jit[2];
	char path[2][64];
	int at[2][3];

	(void)state;
	assert_int_equal(profile_new(&profile), 0);
	for (size_t i = 0; i < 2; i++) {
		/* Beyond the greatest pid, 2^22: no process has it. */
		uint32_t pid = (uint32_t)getpid() + ((uint32_t)(i + 1) << 23);

		(void)snprintf(path[i], sizeof(path[i]), "/tmp/perf-%u.map", pid);
		jit[i] = jit_new(profile, NULL, pid, false, &budget);
		assert_non_null(jit[i]);
		write_map(path[i], early[i]);
		for (size_t k = 0; k < 3; k++)
			at[i][k] = jit_location(jit[i], 0x5010 + (k << 12), 0x5000);
	}
	for (size_t i = 0; i < 2; i++)
		write_map(path[i], late[i]);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(jit_finish(jit[i]), 0);
		jit_free(jit[i]);
		(void)unlink(path[i]);
	}
	assert_string_equal(name_of(profile, at[0][0]), "of_a");
	assert_string_equal(name_of(profile, at[1][0]), "of_b");
	assert_string_equal(name_of(profile, at[0][1]), "late_a");
	assert_string_equal(name_of(profile, at[1][1]), "late_b");
	assert_int_equal(profile_mappings(profile), 1);
	assert_true(profile_mapping(profile, 0).has_functions);
	assert_false(profile_mapping(profile, 0).has_lines);
	assert_string_equal(name_of(profile, at[0][2]), "of_both");
	assert_int_equal(at[0][2], at[1][2]);
	profile_free(profile);
}

/* Between @begin and @end, which is at @at, is a hole. */
static void write_sparse_map(const char *path, const char *begin, off_t at, const char *end)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, begin, strlen(begin), 0), (ssize_t)strlen(begin));
	assert_int_equal(pwrite(fd, end, strlen(end), at), (ssize_t)strlen(end));
	assert_int_equal(close(fd), 0);
}

/* A file may be terabytes long without taking space. A note says why its end names no code. */
static void test_jit__a_map_of_zeros_is_left(void **state)
{
	static const char begin[] = "5000 100 first\n", end[] = "\n6000 100 behind\n";
	struct jit_budget budget = {0};
	struct profile *profile;
	struct jit *jit;
	char path[64];
	int a, b;

	(void)state;
	(void)snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	write_sparse_map(path, begin, MIB + (off_t)strlen(begin), end);
	assert_int_equal(profile_new(&profile), 0);
	jit = jit_new(profile, NULL, (uint32_t)getpid(), true, &budget);
	assert_non_null(jit);
	a = jit_location(jit, 0x5010, 0x5000);
	b = jit_location(jit, 0x6010, 0x5000);
	assert_int_equal(jit_finish(jit), 0);
	assert_string_equal(name_of(profile, a), "first");
	assert_int_equal(profile_location(profile, (size_t)b).lines, 0);
	assert_int_equal(profile_notes(profile), 1);
	assert_non_null(strstr(profile_note(profile, 0), "damaged by a line of more than 1 MiB"));
	jit_free(jit);
	profile_free(profile);
	(void)unlink(path);
}

/* Nothing of these lines is kept: the map takes no memory, but each byte takes time. */
static void test_jit__a_map_of_nothing_is_left(void **state)
{
	struct jit_budget budget = {0};
	struct profile *profile;
	struct jit *jit;
	char path[64];
	int a, b, fd;

	(void)state;
	(void)snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	write_sparse_map(path, "5000 100 first\n", 258 * MIB, "\n6000 100 behind\n");
	fd = open(path, O_WRONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	for (off_t at = MIB / 2; at < 258 * MIB; at += MIB / 2)
		assert_int_equal(pwrite(fd, "\n", 1, at), 1);
	assert_int_equal(close(fd), 0);
	assert_int_equal(profile_new(&profile), 0);
	jit = jit_new(profile, NULL, (uint32_t)getpid(), true, &budget);
	assert_non_null(jit);
	a = jit_location(jit, 0x5010, 0x5000);
	b = jit_location(jit, 0x6010, 0x5000);
	assert_int_equal(jit_finish(jit), 0);
	assert_string_equal(name_of(profile, a), "first");
	assert_int_equal(profile_location(profile, (size_t)b).lines, 0);
	assert_int_equal(profile_notes(profile), 1);
	assert_non_null(strstr(profile_note(profile, 0), "too large; after its first 256 MiB"));
	jit_free(jit);
	profile_free(profile);
	(void)unlink(path);
}

static void test_jit__system_calls_have_names(void **state)
{
	char name[64];

	(void)state;
#ifdef __x86_64__
	syscalls_name(EM_X86_64, 0, name, sizeof(name));
	assert_string_equal(name, "[syscall] read");
	syscalls_name(EM_X86_64, 202, name, sizeof(name));
	assert_string_equal(name, "[syscall] futex");
#endif
	syscalls_name(EM_X86_64, 99999, name, sizeof(name));
	assert_string_equal(name, "[syscall] #99999");
	syscalls_name(EM_386, 3, name, sizeof(name));
	assert_string_equal(name, "[syscall] #3");
}

static void add_jit(struct profile *profile, uint32_t pid, const char *name, bool named, int64_t ms)
{
	int mapping = profile_add_mapping(
		profile, &(struct mapping){.file = "[jit]", .build_id = "", .start = 4096});
	int location = profile_add_location(profile, (uint32_t)mapping, 4096 + 2 * pid + named);
	int task = profile_add_task(profile, &(struct task){pid, pid, name, name});
	int64_t values[] = {ms / 4, ms * 1000000};

	if (named) {
		int function = profile_add_function(
			profile, &(struct function){.name = "f", .symbol = "f", .file = ""});

		assert_int_equal(profile_set_lines(profile, (uint32_t)location,
					 &(struct location_line){(uint32_t)function, 0}, 1),
			0);
	}
	assert_true(profile_add_sample(profile, (uint32_t)task, &(uint32_t){(uint32_t)location}, 1,
			    values) >= 0);
}

static void test_jit__what_would_name_it_is_said_once(void **state)
{
	struct profile *profile;

	(void)state;
	assert_int_equal(profile_new(&profile), 0);
	add_jit(profile, 7, "java", false, 600);
	add_jit(profile, 7, "java", true, 100);
	add_jit(profile, 8, "node", true, 100);
	add_jit(profile, 9, "unknown", false, 200);
	add_jit(profile, 10, "little", false, 4);
	assert_int_equal(jit_note_unnamed(profile), 0);
	assert_int_equal(jit_note_unnamed(profile), 0);
	assert_int_equal(profile_notes(profile), 2);
	assert_non_null(strstr(profile_note(profile, 0),
		"60 % of the CPU time is in code that java (7) generated and that no perf map "
		"names: 'jcmd PID Compiler.perfmap'"));
	assert_non_null(strstr(profile_note(profile, 1), "that unknown (9) generated"));
	profile_free(profile);
}

static void add_python(struct profile *profile, const char *file, const char *function, int64_t ms)
{
	int mapping = profile_add_mapping(
		profile, &(struct mapping){.file = file, .build_id = "", .start = 4096});
	int name = profile_add_function(
		profile, &(struct function){.name = function, .symbol = function, .file = ""});
	uint32_t stack[] = {
		(uint32_t)profile_add_location(profile, (uint32_t)mapping, 4096 + strlen(function)),
		(uint32_t)profile_add_location(profile, (uint32_t)mapping, 8192)};
	int loop = profile_add_function(profile,
		&(struct function){.name = "_PyEval_EvalFrameDefault", .symbol = "", .file = ""});
	int task = profile_add_task(profile, &(struct task){5, 5, "w.py", "w.py"});
	int64_t values[] = {ms / 4, ms * 1000000};

	assert_int_equal(
		profile_set_lines(profile, stack[0], &(struct location_line){(uint32_t)name, 0}, 1),
		0);
	assert_int_equal(
		profile_set_lines(profile, stack[1], &(struct location_line){(uint32_t)loop, 0}, 1),
		0);
	assert_true(profile_add_sample(profile, (uint32_t)task, stack, 2, values) >= 0);
}

static void test_jit__a_python_without_names_is_told_so(void **state)
{
	static const char *const files[] = {
		"/usr/bin/python3.11", "/x/libpython3.12.so.1.0", "/x/vim"};
	static const char *const said[] = {
		"75 % of the CPU time is in the interpreter of w.py (5), whose stacks show no "
		"functions of Python: --python yes, the default, shows them",
		"sprofrun knows those of CPython 3.8 to 3.14 whose file exports _PyRuntime; this "
		"is 3.12",
		"whose file exports _PyRuntime"};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct profile *profile;

		assert_int_equal(profile_new(&profile), 0);
		add_python(profile, files[i], "list_sort", 300);
		add_jit(profile, 5, "w.py", true, 100);
		assert_int_equal(python_note(profile, i > 0), 0);
		assert_int_equal(profile_notes(profile), 1);
		assert_non_null(strstr(profile_note(profile, 0), said[i]));
		profile_free(profile);
		assert_int_equal(profile_new(&profile), 0);
		add_python(profile, files[i], "py::main:/w.py", 300);
		assert_int_equal(python_note(profile, true), 0);
		assert_int_equal(profile_notes(profile), 0);
		profile_free(profile);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_jit__a_python_without_names_is_told_so),
		cmocka_unit_test(test_jit__what_would_name_it_is_said_once),
		cmocka_unit_test(test_jit__the_newest_piece_counts),
		cmocka_unit_test(test_jit__names_come_late),
		cmocka_unit_test(test_jit__the_last_line_needs_no_end),
		cmocka_unit_test(test_jit__a_map_may_be_written_anew),
		cmocka_unit_test(test_jit__processes_have_code_of_their_own),
		cmocka_unit_test(test_jit__a_map_of_zeros_is_left),
		cmocka_unit_test(test_jit__a_map_of_nothing_is_left),
		cmocka_unit_test(test_jit__system_calls_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
