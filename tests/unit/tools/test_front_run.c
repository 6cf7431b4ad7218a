/* SPDX-License-Identifier: MIT */
/*
 * What programs that start a supervisor do beside it, on a made-up machine: ask Java, keep a
 * command's output, show a live view, say why a run could not begin, end as the command did.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>

#include "base/outfile.h"
#include "supervisor/engine/engine.h"
#include "tests/unit/tools/front_fixture.h"
#include "tools/front/front.h"
#include "tools/front/jcmd.h"
#include "tools/front/live_front.h"
#include "tools/front/output_log.h"
#include "tools/front/output_option.h"

static int begin(void **state)
{
	static char root[] = "/tmp/made-up-XXXXXX";

	(void)state;
	made_up_root = mkdtemp(root);
	if (!made_up_root)
		return -1;
	made_up_process(100, 1, "nginx", 'S', "/system.slice/nginx.service");
	made_up_process(300, 1, "java", 'S', "/");
	return 0;
}

static void ask_java(char **argv)
{
	const int pids[] = {100, 300};

	(void)argv;
	jcmd_write_maps("sprofrun", pids, 1, false);
	(void)setenv("PATH", "relative:/nowhere", 1);
	jcmd_write_maps("sprofrun", pids, 2, false);
}

static void test_front_run__java(void **state)
{
	char text[TEXT], *variable = jcmd_variable(NULL);

	(void)state;
	assert_non_null(strstr(variable, "JAVA_TOOL_OPTIONS=-XX:+IgnoreUnrecognizedVMOptions"));
	free(variable);
	assert_int_equal(in_child(ask_java, NULL, text), 0);
	assert_non_null(strstr(text, "none of the 1 processes is Java's"));
	/* root does not ask a JVM in a container, nor a user root's JVM */
	assert_non_null(strstr(text, "process 300 is not asked: it is"));
	assert_non_null(strstr(text, "'jcmd 7 Compiler.perfmap'"));
}

static uid_t owner(void)
{
	return geteuid() ? geteuid() : 65534;
}

static void ask_java_of_user(char **argv)
{
	const int pid = 301;

	(void)setenv("PATH", argv[0], 1);
	jcmd_write_maps("sprofrun", &pid, 1, false);
}

/* The made-up jcmd runs as the owner of the process; its last words are shown. */
static void test_front_run__java_is_asked_as_its_user(void **state)
{
	char text[TEXT], folder[128], path[144], says[128], *argv[] = {folder, NULL};

	(void)state;
	made_up_process(301, 1, "java", 'S', "/");
	made_up_file("/proc/301/status",
		"Name:\tjava\nPid:\t301\nUid:\t%u\t%u\t%u\t%u\nGid:\t%u\t%u\t%u\t%u\nNSpid:\t301\n"
		"SigIgn:\t0000000000000000\nSigCgt:\t0000000000000004\n",
		owner(), owner(), owner(), owner(), getegid(), getegid(), getegid(), getegid());
	made_up_file(
		"/bin/jcmd", "#!/bin/sh\necho first\necho \"user $(id -u) asks $*\"\nexit 3\n");
	(void)snprintf(folder, sizeof(folder), "%s/bin", made_up_root);
	(void)snprintf(path, sizeof(path), "%s/jcmd", folder);
	assert_int_equal(chmod(made_up_root, 0755), 0);
	assert_int_equal(chmod(path, 0755), 0);
	assert_int_equal(in_child(ask_java_of_user, argv, text), 0);
	(void)snprintf(says, sizeof(says), ": user %u asks 301 Compiler.perfmap\n", owner());
	assert_non_null(strstr(text, "'jcmd 301 Compiler.perfmap' failed"));
	assert_non_null(strstr(text, says));
	assert_null(strstr(text, "first"));
	made_up_file("/bin/jcmd", "#!/bin/sh\necho written\n");
	assert_int_equal(in_child(ask_java_of_user, argv, text), 0);
	assert_string_equal(text, "");
	/* jcmd's SIGQUIT would end a process without a handler of it. */
	made_up_file("/proc/301/status",
		"Name:\tjava\nPid:\t301\nUid:\t%u\t%u\nGid:\t%u\t%u\n"
		"SigIgn:\t0000000000000000\nSigCgt:\t0000000000000000\n",
		owner(), owner(), getegid(), getegid());
	assert_int_equal(in_child(ask_java_of_user, argv, text), 0);
	assert_non_null(strstr(text, "process 301 is not asked: it does not catch SIGQUIT"));
	/* The effective user differs from the real one. */
	made_up_file("/proc/301/status", "Name:\tjava\nPid:\t301\nUid:\t7\t8\nGid:\t7\t7\n");
	assert_int_equal(in_child(ask_java_of_user, argv, text), 0);
	assert_non_null(strstr(text, "process 301 is not asked: its user cannot be told"));
}

static void redirect(char **argv)
{
	struct outfile file;

	output_option_redirect("sprofrun", argv[0], 100, &file);
	(void)printf("stacks\n");
	(void)fflush(stdout);
	exit(outfile_commit(&file) < 0);
}

static void test_front_run__stacks_go_to_a_file(void **state)
{
	char text[TEXT], pattern[128], path[128], *argv[] = {pattern, NULL};
	FILE *file;

	(void)state;
	(void)snprintf(pattern, sizeof(pattern), "%s/%%n.%%p.txt", made_up_root);
	(void)snprintf(path, sizeof(path), "%s/nginx.100.txt", made_up_root);
	assert_int_equal(in_child(redirect, argv, text), 0);
	assert_string_equal(text, "");
	file = fopen(path, "r");
	assert_non_null(file);
	assert_non_null(fgets(text, sizeof(text), file));
	assert_string_equal(text, "stacks\n");
	(void)fclose(file);
	(void)snprintf(pattern, sizeof(pattern), "%s/nowhere/x", made_up_root);
	assert_int_equal(in_child(redirect, argv, text), FRONT_OURS);
	assert_non_null(strstr(text, "cannot write the stacks to"));
	assert_non_null(strstr(text, "name another place with -o"));
}

/* argv[0]: the wait status of the command; no @argv: there was none. */
static void end(char **argv)
{
	char *command[] = {(char *)"x", NULL};
	const struct engine_options options = {.command = argv ? command : NULL};
	const struct engine_result result = {
		.command_ended = true, .command_status = argv ? atoi(argv[0]) : 0};

	exit(front_end(&options, &result, argv != NULL));
}

static void test_front_run__ends_as_the_command_did(void **state)
{
	char text[TEXT];

	(void)state;
	assert_int_equal(in_child(end, (char *[]){(char *)"1792", NULL}, text), 7);
	assert_int_equal(in_child(end, (char *[]){(char *)"15", NULL}, text), -15);
	assert_int_equal(in_child(end, NULL, text), FRONT_OURS);
}

static void fail_to_begin(char **argv)
{
	char *command[] = {(char *)"/nowhere/x", NULL};
	const struct engine_options options = {.command = command};
	const struct engine_result results[] = {{.exec_error = ENOENT}, {.exec_error = ENOEXEC},
		{.exec_error = EACCES}, {.error = -EPERM, .refused_pid = 9999}, {.error = -EMFILE},
		{.error = -ENOMEM}, {.error = -EAGAIN}, {.error = -EIO}, {0}};

	(void)argv;
	for (size_t i = 0; i < sizeof(results) / sizeof(*results); i++)
		(void)printf("%d\n", front_failure("sprofrun", &options, &results[i]));
	command[0] = (char *)"/";
	(void)printf("%d\n", front_failure("sprofrun", &options, &results[2]));
	command[0] = (char *)"/usr/bin/env";
	(void)printf("%d\n", front_failure("sprofrun", &options, &results[0]));
	(void)fflush(NULL);
	exit(front_end_like(7 << 8));
}

static void test_front_run__failures(void **state)
{
	static const char *const says[] = {"no such command", "no program for this machine",
		"cannot attach to 9999: there is no such process", "raise the limit (ulimit -n)",
		"a limit of memory is too low", "limit of processes", "it is a directory",
		"its interpreter"};
	char text[TEXT];

	(void)state;
	assert_int_equal(in_child(fail_to_begin, NULL, text), 7);
	for (size_t i = 0; i < sizeof(says) / sizeof(*says); i++)
		if (!strstr(text, says[i]))
			fail_msg("'%s' is not in %s", says[i], text);
}

static void test_front_run__the_output_of_a_command_is_kept(void **state)
{
	char path[64], line[128], text[4096];
	const char *problem;
	off_t from, end;
	pthread_t thread;
	int fd, stop_fd;
	FILE *out;

	(void)state;
	assert_int_equal(output_log_open(NULL, &fd, path, sizeof(path), &problem), 0);
	assert_int_equal(strncmp(path, "/proc/", 6), 0);
	assert_int_equal(output_log_trim(fd, &thread, &stop_fd), 0);
	output_log_trim_end(thread, stop_fd);
	assert_int_equal(write(fd, "first\nlast", 10), 10);
	output_log_kept(fd, &from, &end);
	assert_int_equal(from, 0);
	assert_int_equal(end, 10);
	assert_false(output_log_is_binary(fd, from, end));
	out = fmemopen(text, sizeof(text), "w");
	output_log_print(fd, from, end, out);
	(void)fclose(out);
	assert_string_equal(text, "first\nlast\n");
	/* Of a long log, the last complete lines are kept. */
	memset(line, 'x', sizeof(line));
	line[sizeof(line) - 1] = '\n';
	for (size_t i = 0; i < 10000; i++)
		assert_int_equal(write(fd, line, sizeof(line)), sizeof(line));
	output_log_kept(fd, &from, &end);
	assert_int_equal((end - from) % (off_t)sizeof(line), 0);
	assert_true(end - from <= 1 << 20 && end - from > 1 << 19);
	assert_int_equal(write(fd, "", 1), 1);
	assert_true(output_log_is_binary(fd, from, end + 1));
	(void)close(fd);
	assert_true(output_log_open("/nowhere/log", &fd, path, sizeof(path), &problem) < 0);
}

/*
 * Prints the live view's arguments for the analyst; messages and the command's output follow when
 * the screen is left.
 */
static void view(char **argv)
{
	char *command[] = {(char *)"/bin/prog", (char *)"-x", NULL};
	struct live_front front = LIVE_FRONT_DEFAULT("sproftop");
	struct engine_options engine = {
		.command = command, .period_ns = 4000000, .max_cost_ppm = 10000};
	struct engine_result result = {0};
	const char *argument[LIVE_FRONT_ARGUMENTS];
	size_t n = 0;
	int by = 0;

	(void)argv;
	front.batch = front.totals = front.color = front.ascii = true;
	front.view = "objects";
	front.keys = "q";
	front.save_as = "x.pb.gz";
	(void)printf("%d\n", live_front_begin(&front, &engine, argument, &n));
	for (size_t i = 0; i < n; i++)
		(void)printf("%s\n", argument[i]);
	(void)fflush(NULL);
	live_front_note(&front, "a note\33[2J");
	(void)!write(front.log_fd, "of the command\n", 15);
	(void)live_front_join(&front, &result, &by);
	/* The view is refused without a terminal that can position the cursor. */
	front = LIVE_FRONT_DEFAULT("sprofrun");
	(void)printf("%d\n", live_front_begin(&front, &engine, argument, &n));
	front = LIVE_FRONT_DEFAULT("sproftop");
	front.batch = true;
	front.log = "/nowhere/log";
	(void)printf("%d\n", live_front_begin(&front, &engine, argument, &n));
}

static void test_front_run__the_view(void **state)
{
	static const char *const says[] = {"target=prog -x", "cost-ppm=10000", "log=/proc/",
		"view=objects", "keys=q", "save-as=x.pb.gz", "--live-batch", "totals", "ascii",
		"sproftop: a note", "the command wrote:\nof the command",
		"standard output is no terminal", "cannot write the log /nowhere/log"};
	char text[TEXT];

	(void)state;
	assert_int_equal(in_child(view, NULL, text), 0);
	for (size_t i = 0; i < sizeof(says) / sizeof(*says); i++)
		if (!strstr(text, says[i]))
			fail_msg("'%s' is not in %s", says[i], text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_front_run__java),
		cmocka_unit_test(test_front_run__java_is_asked_as_its_user),
		cmocka_unit_test(test_front_run__stacks_go_to_a_file),
		cmocka_unit_test(test_front_run__failures),
		cmocka_unit_test(test_front_run__ends_as_the_command_did),
		cmocka_unit_test(test_front_run__the_view),
		cmocka_unit_test(test_front_run__the_output_of_a_command_is_kept),
	};

	return cmocka_run_group_tests(tests, begin, made_up_finish);
}
