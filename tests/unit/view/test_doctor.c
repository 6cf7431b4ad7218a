/* SPDX-License-Identifier: MIT */
/* Advice about objects whose files were read, were not read, or crashed the reader. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/profile_fixture.h"
#include "view/report/doctor.h"
#include "view/report/report.h"

/* A reader that gives @context as the answer for all objects. */
static int inspect(
	void *context, const struct profile *profile, struct code_object *object, size_t n)
{
	const struct code_object *answer = context;

	(void)profile;
	for (size_t i = 0; i < n; i++) {
		object[i].found = answer->found;
		object[i].lined = answer->lined;
		object[i].symbols = answer->symbols;
		object[i].lines = answer->lines;
		object[i].problem = answer->problem;
		object[i].language = answer->language ? answer->language : "";
	}
	return 0;
}

static int package(void *context, const char *path, struct code_package *ret_package)
{
	(void)context;
	(void)path;
	*ret_package = (struct code_package){
		.command = strdup("apt install a-package-with-a-very-long-name-dbgsym")};
	return ret_package->command ? 0 : -ENOMEM;
}

/* As package(), but the command also adds the package's archive. */
static int package_elsewhere(void *context, const char *path, struct code_package *ret_package)
{
	int r = package(context, path, ret_package);

	ret_package->adds = true;
	return r;
}

static void expect(const struct code_object *answer, const char *cause, const char *remedy)
{
	const struct code_reader reader = {.inspect = inspect, .context = (void *)answer};
	const struct report_options options = {.size = sizeof(options), .code = &reader};
	struct profile *profile = fixture_profile();
	struct doctor doctor;
	char *problem = NULL;
	size_t files = 0;

	assert_int_equal(doctor_init(&doctor, profile, &options, &problem), 0);
	for (size_t i = 0; i < doctor.n; i++) {
		const struct doctor_object *object = &doctor.object[i];

		/* demo is left out: it has names and lines. */
		if (!doctor_is_file(object) || !object->unnamed)
			continue;
		files++;
		assert_non_null(strstr(object->cause, cause));
		if (remedy)
			assert_non_null(strstr(object->remedy, remedy));
		else
			assert_null(object->remedy);
	}
	assert_true(files > 0);
	doctor_release(&doctor);
	profile_free(profile);
}

static void test_doctor__what_is_missing_is_to_be_compiled(void **state)
{
	const struct code_object answer = {.found = true,
		.symbols = "symtab",
		.lines = "none",
		.problem = "it has no debug information"};

	(void)state;
	expect(&answer, "it has no debug information", "compile it with -g");
}

/* The file crashed its reader or took too much memory, which no compiler's option changes. */
static void test_doctor__what_cannot_be_read_is_no_fault_of_the_compiler(void **state)
{
	static const char cause[] = "its debug information is left alone";
	const struct code_object lines = {
		.found = true, .symbols = "symtab", .lines = "unread", .problem = cause};
	const struct code_object all = {
		.found = true, .symbols = "unread", .lines = "unread", .problem = cause};
	const struct code_object refused = {
		.symbols = "", .lines = "", .problem = "the file was too much for what reads it"};

	(void)state;
	expect(&lines, cause, NULL);
	expect(&all, cause, NULL);
	expect(&refused, "too much", NULL);
}

/* A process that has run in one object, without samples. */
static struct profile *profile_of(const char *process, const char *object)
{
	const struct mapping mapping = {.file = object, .start = 0x2000};
	struct profile *profile;

	assert_int_equal(profile_new(&profile), 0);
	assert_int_equal(profile_add_mapping(profile, &mapping), 0);
	assert_int_equal(profile_add_task(profile, &(struct task){1, 1, process, "a"}), 0);
	return profile;
}

/* 5 samples in code without a name. */
static void add_unnamed(struct profile *profile)
{
	uint32_t unnamed = fixture_location(profile, 0, 0x2780, NULL, 0);

	fixture_add(profile, 0, &unnamed, 1, 5);
}

/* Adds samples in function @name of the only object, at line @line of a.c; 0: unknown. */
static void add_leaf(struct profile *profile, const char *name, uint32_t line, int64_t samples)
{
	const struct function function = {name, name, line ? "a.c" : "", 0};
	uint64_t address = 0x2000 + profile_locations(profile);
	uint32_t leaf = fixture_location(profile, 0, address,
		&(struct location_line){
			fixture_index(profile_add_function(profile, &function)), line},
		1);

	fixture_add(profile, 0, &leaf, 1, samples);
}

/* @cause (NULL: none) of 7 samples in stubs of the PLT, @plain without a line and @lined with. */
static void expect_of_stubs(
	const struct code_object *answer, int64_t plain, int64_t lined, const char *cause)
{
	const struct code_reader reader = {.inspect = inspect, .context = (void *)answer};
	const struct report_options options = {.size = sizeof(options), .code = &reader};
	struct profile *profile;
	struct doctor doctor;
	char *problem = NULL;

	profile = profile_of("a", "/usr/lib/libfoo.so.1");
	add_leaf(profile, "dup@plt", 0, 3);
	add_leaf(profile, "operator new(unsigned long)@plt", 0, 4);
	if (plain)
		add_leaf(profile, "plt", 0, plain);
	if (lined)
		add_leaf(profile, "whole", 7, lined);
	assert_int_equal(doctor_init(&doctor, profile, &options, &problem), 0);
	assert_int_equal(doctor.n, 1);
	assert_int_equal(doctor.object->samples, 7 + plain + lined);
	assert_int_equal(doctor.object->unlined, plain);
	if (cause)
		assert_non_null(strstr(doctor.object->cause, cause));
	else
		assert_string_equal(doctor.object->cause, "");
	doctor_release(&doctor);
	profile_free(profile);
}

/* The linker makes the stubs: no option of the compiler gives them lines. */
static void test_doctor__stubs_of_the_plt_lack_no_line(void **state)
{
	const struct code_object all = {
		.found = true, .symbols = "symtab", .lines = "own", .problem = ""};
	const struct code_object none = {.found = true,
		.symbols = "symtab",
		.lines = "none",
		.problem = "it has no debug information"};

	(void)state;
	expect_of_stubs(&all, 0, 0, NULL);
	expect_of_stubs(&none, 0, 0, NULL);
	expect_of_stubs(&all, 0, 5, NULL);
	expect_of_stubs(&all, 2, 5, "parts of it have no debug information");
	expect_of_stubs(&all, 2, 0, "none for what ran");
	expect_of_stubs(&none, 2, 0, "it has no debug information: no lines");
}

static void expect_of_jit(const char *name, uint32_t line, const char *symbols)
{
	const struct report_options options = {.size = sizeof(options)};
	struct profile *profile;
	struct doctor doctor;
	char *problem = NULL;

	profile = profile_of("a", "[jit]");
	add_unnamed(profile);
	if (name)
		add_leaf(profile, name, line, 3);
	assert_int_equal(doctor_init(&doctor, profile, &options, &problem), 0);
	assert_int_equal(doctor.n, 1);
	assert_string_equal(doctor.object->symbols, symbols);
	doctor_release(&doctor);
	profile_free(profile);
}

static void test_doctor__who_named_code_made_at_run_time(void **state)
{
	(void)state;
	expect_of_jit(NULL, 0, "none");
	expect_of_jit("Loop.run", 0, "perf map");
	expect_of_jit("Loop.run", 7, "jitdump");
}

/* The advice is for the runtime of the process, if that is known. */
static void test_doctor__generated_code_is_named_by_who_made_it(void **state)
{
	static const struct {
		const char *process, *advice;
	} makers[] = {
		{"node", "node --perf-basic-prof-only-functions names it, node --perf-prof"},
		{"java", "jcmd PID Compiler.perfmap"},
		{"python3.12", "python -X perf"},
		{"dotnet", "DOTNET_PerfMapEnabled=1"},
		{"luajit",
			"can write /tmp/perf-PID.map or a jitdump, as perf reads them, let it; "
			"then take"},
	};
	const struct report_options options = {.size = sizeof(options)};

	(void)state;
	for (size_t i = 0; i < sizeof(makers) / sizeof(*makers); i++) {
		struct profile *profile;
		struct doctor doctor;
		char *problem = NULL;

		profile = profile_of(makers[i].process, "[jit]");
		add_unnamed(profile);
		assert_int_equal(doctor_init(&doctor, profile, &options, &problem), 0);
		assert_non_null(strstr(doctor.object->cause, "made at run time"));
		assert_non_null(strstr(doctor.object->remedy, makers[i].advice));
		doctor_release(&doctor);
		profile_free(profile);
	}
}

/* Stubs have no lines, and do not count. */
static void test_doctor__java_can_tell_more_lines(void **state)
{
	const struct report_options options = {.size = sizeof(options)};

	(void)state;
	for (int64_t unlined = 10; unlined <= 20; unlined += 10) {
		struct profile *profile = profile_of("java", "[java]");
		struct doctor doctor;
		char *problem = NULL;

		add_leaf(profile, "L.run", 7, 90);
		add_leaf(profile, "L.main", 0, unlined);
		add_leaf(profile, "jni_fast_GetByteField", 0, 45);
		assert_int_equal(doctor_init(&doctor, profile, &options, &problem), 0);
		if (unlined == 10)
			assert_string_equal(doctor.object->cause, "");
		else
			assert_non_null(strstr(doctor.object->remedy, "+DebugNonSafepoints"));
		doctor_release(&doctor);
		profile_free(profile);
	}
}

/* Stacks that end in V8's own routines are not due to how the user compiles. */
static void test_doctor__no_option_mends_the_stacks_of_node(void **state)
{
	static const struct {
		const char *file, *advice;
	} objects[] = {
		{"/usr/bin/node", "none is known"},
		{"/usr/lib/libfoo.so.1", "-fasynchronous-unwind-tables"},
	};
	const struct report_options options = {.size = sizeof(options)};

	(void)state;
	for (size_t i = 0; i < sizeof(objects) / sizeof(*objects); i++) {
		struct profile *profile = profile_of("node", objects[i].file);
		uint32_t stack[2];
		struct doctor doctor;
		char *problem = NULL;

		add_leaf(profile, "Builtins_ArrayMap", 7, 1);
		add_leaf(profile, "[incomplete]", 7, 1);
		stack[1] = (uint32_t)profile_locations(profile) - 1;
		stack[0] = stack[1] - 1;
		fixture_add(profile, 0, stack, 2, 5);
		assert_int_equal(doctor_init(&doctor, profile, &options, &problem), 0);
		assert_int_equal(doctor.object->incomplete, 5);
		assert_non_null(strstr(doctor.object->cause, "no unwind information"));
		assert_non_null(strstr(doctor.object->remedy, objects[i].advice));
		doctor_release(&doctor);
		profile_free(profile);
	}
}

static void test_doctor__stacks_that_are_cut_are_said_once(void **state)
{
	const struct report_options options = {.size = sizeof(options)};

	(void)state;
	/* Of 1000 stacks, 500 are cut in an object, or so few that the object is not blamed. */
	for (int64_t cut = 1; cut < 1000; cut += 499) {
		struct profile *profile = profile_of("a", "/usr/bin/a");
		char *problem = NULL, *text = NULL, *at;
		size_t bytes = 0;
		FILE *out = open_memstream(&text, &bytes);
		uint32_t stack[2];

		assert_non_null(out);
		add_leaf(profile, "deep", 7, 1000 - cut);
		add_leaf(profile, "[truncated]", 7, 0);
		stack[1] = (uint32_t)profile_locations(profile) - 1;
		stack[0] = stack[1] - 1;
		fixture_add(profile, 0, stack, 2, cut);
		assert_int_equal(profile_set_audit(profile, "truncated_stacks", (uint64_t)cut), 0);
		assert_int_equal(doctor_print(profile, &options, out, &problem), 0);
		assert_int_equal(fclose(out), 0);
		at = strstr(text, "--max-stack 64M\n");
		assert_non_null(at);
		assert_null(strstr(at + 1, "> sprofrun --max-stack 64M\n"));
		free(text);
		profile_free(profile);
	}
}

/* Functions of the vdso that are not called from outside have no names. */
static void test_doctor__inner_functions_of_the_vdso_have_no_names(void **state)
{
	const struct report_options options = {.size = sizeof(options)};
	struct profile *profile;
	struct doctor doctor;
	char *problem = NULL;

	(void)state;
	for (int unnamed = 0; unnamed < 2; unnamed++) {
		profile = profile_of("a", "[vdso]");
		add_leaf(profile, "clock_gettime", 0, 3);
		if (unnamed)
			add_unnamed(profile);
		assert_int_equal(doctor_init(&doctor, profile, &options, &problem), 0);
		assert_int_equal(doctor.n, 1);
		assert_int_equal(doctor.object->unnamed, unnamed ? 5 : 0);
		assert_int_equal(doctor.object->cause[0] != '\0', unnamed);
		assert_int_equal(doctor.object->remedy != NULL, unnamed);
		doctor_release(&doctor);
		profile_free(profile);
	}
}

/* A command has a line of its own, whole at any width; other advice must not look like one. */
static void test_doctor__a_command_line_is_a_command_only(void **state)
{
	static const char command[] = "apt install a-package-with-a-very-long-name-dbgsym";
	const struct code_object answer = {
		.found = true, .symbols = "none", .lines = "none", .problem = "it has no symbols"};
	const struct code_reader reader = {
		.inspect = inspect, .package = package, .context = (void *)&answer};
	const struct report_options options = {.size = sizeof(options),
		.code = &reader,
		.width = 40,
		.fetch_command = "sprofreport doctor --debuginfod 'my file'"};
	struct profile *profile = fixture_profile();
	char *problem = NULL, *text = NULL, line[128];
	size_t bytes = 0, commands = 0;
	FILE *out = open_memstream(&text, &bytes);

	(void)state;
	assert_non_null(out);
	assert_int_equal(doctor_print(profile, &options, out, &problem), 0);
	assert_int_equal(fclose(out), 0);
	(void)snprintf(line, sizeof(line), "\n    > %s\n", command);
	assert_non_null(strstr(text, line));
	assert_non_null(strstr(text, "\n    then take a new profile\n"));
	for (const char *at = text; (at = strstr(at, "\n    > ")); at++) {
		commands++;
		assert_true(!strncmp(at + 7, "apt install ", 12) ||
			!strncmp(at + 7, "sprofreport doctor ", 19) ||
			!strncmp(at + 7, "sprofrun --max-stack 64M\n", 25));
	}
	assert_true(commands > 0);
	free(text);
	profile_free(profile);
}

/* The command adds an archive to apt's sources; a sentence says that its reach was not tried. */
static void test_doctor__an_archive_that_is_added_was_not_tried(void **state)
{
	const struct code_object answer = {
		.found = true, .symbols = "none", .lines = "none", .problem = "it has no symbols"};
	struct code_reader reader = {.inspect = inspect, .context = (void *)&answer};
	const struct report_options options = {
		.size = sizeof(options), .code = &reader, .width = 200};

	(void)state;
	for (int adds = 0; adds < 2; adds++) {
		struct profile *profile = fixture_profile();
		char *problem = NULL, *text = NULL;
		size_t bytes = 0;
		FILE *out = open_memstream(&text, &bytes);

		reader.package = adds ? package_elsewhere : package;
		assert_non_null(out);
		assert_int_equal(doctor_print(profile, &options, out, &problem), 0);
		assert_int_equal(fclose(out), 0);
		assert_int_equal(strstr(text,
					 "whether that archive can be reached was not tried: "
					 "if not, apt says why") != NULL,
			adds);
		free(text);
		profile_free(profile);
	}
}

/* The file's package is named after its folder: /usr/lib/a/x.so is of a-dbgsym. */
static int package_of_folder(void *context, const char *path, struct code_package *ret_package)
{
	(void)context;
	ret_package->name_at = strlen("apt install ");
	ret_package->name_bytes = strlen("a-dbgsym");
	return asprintf(&ret_package->command, "apt install %c-dbgsym || false",
		       path[strlen("/usr/lib/")]) < 0
		? -ENOMEM
		: 0;
}

static void test_doctor__one_command_installs_the_packages_of_all(void **state)
{
	static const char *const files[] = {
		"/usr/lib/a/1.so", "/usr/lib/b/2.so", "/usr/lib/a/3.so", "/usr/lib/c/4.so"};
	const struct code_object answer = {
		.found = true, .symbols = "none", .lines = "none", .problem = "it has no symbols"};
	const struct code_reader reader = {
		.inspect = inspect, .package = package_of_folder, .context = (void *)&answer};
	const struct report_options options = {.size = sizeof(options), .code = &reader};
	char *problem = NULL, *text = NULL;
	struct profile *profile;
	const char *command;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);

	(void)state;
	assert_non_null(out);
	assert_int_equal(profile_new(&profile), 0);
	assert_int_equal(profile_add_task(profile, &(struct task){1, 1, "a", "a"}), 0);
	for (uint32_t i = 0; i < 4; i++) {
		const struct mapping mapping = {.file = files[i], .start = 0x2000};
		uint32_t leaf;

		assert_int_equal(profile_add_mapping(profile, &mapping), i);
		leaf = fixture_location(profile, i, 0x2000, NULL, 0);
		fixture_add(profile, 0, &leaf, 1, 9 - i);
	}
	assert_int_equal(doctor_print(profile, &options, out, &problem), 0);
	assert_int_equal(fclose(out), 0);
	command = strstr(text, "\n    > apt install a-dbgsym b-dbgsym c-dbgsym || false\n");
	assert_non_null(command);
	assert_null(strstr(command + 8, "    > "));
	for (size_t i = 0; i < 4; i++) {
		const char *cause = strstr(text, files[i]);

		assert_non_null(cause);
		cause = strstr(cause + 1, files[i]);
		assert_non_null(cause);
		assert_true(cause < command);
	}
	free(text);
	profile_free(profile);
}

/* A Go program with @cut cut stacks of 200 has these remedies; NULL: none. */
static void expect_of_go(const char *symbols, const char *lines, int64_t cut, const char *remedy,
	const char *cut_remedy)
{
	static const struct mapping go = {.file = "/srv/server", .start = 0x2000};
	const struct code_object answer = {
		.found = true, .symbols = symbols, .lines = lines, .problem = "", .language = "Go"};
	const struct code_reader reader = {.inspect = inspect, .context = (void *)&answer};
	const struct report_options options = {.size = sizeof(options), .code = &reader};
	struct profile *profile;
	struct doctor doctor;
	char *problem = NULL;
	uint32_t stack[2];

	assert_int_equal(profile_new(&profile), 0);
	assert_int_equal(profile_add_mapping(profile, &go), 0);
	assert_int_equal(
		profile_add_mapping(profile, &(struct mapping){.file = "[stack]", .start = 1}), 1);
	assert_int_equal(profile_add_task(profile, &(struct task){1, 1, "a", "a"}), 0);
	stack[0] = fixture_location(profile, 0, 0x2780, NULL, 0);
	stack[1] = fixture_location(profile, 1, 1,
		&(struct location_line){
			fixture_index(profile_add_function(profile,
				&(struct function){"[incomplete]", "[incomplete]", "", 0})),
			0},
		1);
	fixture_add(profile, 0, stack, 2, cut);
	fixture_add(profile, 0, stack, 1, 200 - cut);
	assert_int_equal(doctor_init(&doctor, profile, &options, &problem), 0);
	assert_int_equal(doctor.object->incomplete, cut);
	assert_non_null(strstr(doctor.object->remedy, remedy));
	if (cut_remedy)
		assert_non_null(strstr(doctor.object->cut_remedy, cut_remedy));
	else
		assert_string_equal(doctor.object->cut_remedy, "");
	doctor_release(&doctor);
	profile_free(profile);
}

static void test_doctor__go_is_not_told_to_use_options_of_gcc(void **state)
{
	(void)state;
	expect_of_go("none", "none", 2, "go build without -ldflags=-s", NULL);
	expect_of_go("symtab", "none", 3, "go build without -ldflags=-w", "assembler of Go");
}

/* The file has lines, but not for what ran. A new profile helps if it has more lines now. */
static void test_doctor__a_new_profile_is_advised_only_if_it_has_more(void **state)
{
	struct code_object answer = {
		.found = true, .symbols = "symtab", .lines = "own", .problem = "", .lined = 1};
	const struct code_reader reader = {.inspect = inspect, .context = &answer};
	const struct report_options options = {.size = sizeof(options), .code = &reader};

	(void)state;
	for (answer.lined = 1; answer.lined <= 2; answer.lined++) {
		static const struct mapping node = {.file = "/usr/bin/node", .start = 0x2000};
		struct profile *profile;
		struct doctor doctor;
		char *problem = NULL;
		uint32_t stack[2];

		assert_int_equal(profile_new(&profile), 0);
		assert_int_equal(profile_add_mapping(profile, &node), 0);
		assert_int_equal(profile_add_task(profile, &(struct task){1, 1, "a", "a"}), 0);
		add_leaf(profile, "runs", 0, 5);
		add_leaf(profile, "main", 7, 0);
		stack[0] = 0;
		stack[1] = 1;
		fixture_add(profile, 0, stack, 2, 5);
		assert_int_equal(doctor_init(&doctor, profile, &options, &problem), 0);
		assert_non_null(strstr(doctor.object->cause,
			answer.lined == 1 ? "parts of it have no debug information"
					  : "names that can be had now"));
		doctor_release(&doctor);
		profile_free(profile);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_doctor__go_is_not_told_to_use_options_of_gcc),
		cmocka_unit_test(test_doctor__a_new_profile_is_advised_only_if_it_has_more),
		cmocka_unit_test(test_doctor__what_is_missing_is_to_be_compiled),
		cmocka_unit_test(test_doctor__what_cannot_be_read_is_no_fault_of_the_compiler),
		cmocka_unit_test(test_doctor__stubs_of_the_plt_lack_no_line),
		cmocka_unit_test(test_doctor__who_named_code_made_at_run_time),
		cmocka_unit_test(test_doctor__generated_code_is_named_by_who_made_it),
		cmocka_unit_test(test_doctor__java_can_tell_more_lines),
		cmocka_unit_test(test_doctor__no_option_mends_the_stacks_of_node),
		cmocka_unit_test(test_doctor__stacks_that_are_cut_are_said_once),
		cmocka_unit_test(test_doctor__inner_functions_of_the_vdso_have_no_names),
		cmocka_unit_test(test_doctor__a_command_line_is_a_command_only),
		cmocka_unit_test(test_doctor__an_archive_that_is_added_was_not_tried),
		cmocka_unit_test(test_doctor__one_command_installs_the_packages_of_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
