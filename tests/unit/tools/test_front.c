/* SPDX-License-Identifier: MIT */
/*
 * Command lines of programs that start a supervisor, on a made-up machine: a server with workers,
 * containers, a Java virtual machine. Each is read in a child, as a refusal ends the process.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "supervisor/calls/histogram.h"
#include "tests/unit/tools/front_fixture.h"
#include "tools/front/containers.h"
#include "tools/front/find_processes.h"
#include "tools/front/front.h"
#include "tools/front/live_front.h"
#include "tools/front/live_settings.h"
#include "tools/front/push_option.h"
#include "tools/front/sprofrun_settings.h"

#define ID_WEB   "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
#define ID_DB    "aa112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
#define ID_OTHER "aa992233445566778899aabbccddeeff00112233445566778899aabbccddeeff"

enum { WORDS = 24 };

static int begin(void **state)
{
	static char root[] = "/tmp/made-up-XXXXXX";
	char exe[128];

	(void)state;
	made_up_root = mkdtemp(root);
	if (!made_up_root)
		return -1;
	made_up_process(100, 1, "nginx", 'S', "/system.slice/nginx.service");
	made_up_process(101, 100, "nginx", 'S', "/system.slice/nginx.service");
	made_up_process(102, 101, "helper", 'S', "/system.slice/nginx.service");
	made_up_process(103, 1, "gone", 'Z', "/");
	made_up_process(200, 1, "conmon", 'S', "/");
	made_up_process(201, 200, "web", 'S', "/machine.slice/libpod-" ID_WEB ".scope/container");
	made_up_process(202, 1, "db", 'S', "/system.slice/docker-" ID_DB ".scope");
	made_up_process(203, 1, "db2", 'S', "/system.slice/docker-" ID_OTHER ".scope");
	made_up_process(300, 1, "java", 'S', "/");
	/* a thread of process 101 */
	made_up_file(
		"/proc/111/status", "Name:\tio-1\nState:\tS\nTgid:\t101\nPid:\t111\nPPid:\t100\n");
	made_up_file("/proc/200/cmdline", "conmon%c-c%c%s%c-n%cweb%c", 0, 0, ID_WEB, 0, 0, 0);
	made_up_file("/usr/bin/conmon", "x");
	(void)snprintf(exe, sizeof(exe), "%s/usr/bin/conmon", made_up_root);
	made_up_link("/proc/200/exe", exe);
	made_up_link("/proc/202/exe", "/opt/database");
	made_up_file("/var/lib/docker/containers/" ID_DB "/config.v2.json",
		"{\"ID\":\"%s\",\"Name\":\"/db\"}", ID_DB);
	made_up_file("/var/lib/docker/containers/" ID_OTHER "/config.v2.json",
		"{\"ID\":\"%s\",\"Name\":\"/db2\"}", ID_OTHER);
	made_up_file("/url", "  http://user:secret@127.0.0.1:4040/x  \n");
	made_up_file("/no-url", "four words of text\n");
	made_up_file("/empty", "%s", "");
	return 0;
}

static void parse(char **argv)
{
	struct sprofrun_settings s = {
		.output = "sprof.pb.gz",
		.report = "flat",
		.color = "auto",
		.target = TARGET_OPTIONS_DEFAULT("sprofrun"),
		.front = LIVE_FRONT_DEFAULT("sprofrun"),
		.serve = SERVE_FRONT_DEFAULT("sprofrun"),
	};
	const char *argument[THREAD_ARGUMENTS + 8];
	int argc = 0;
	size_t n;

	while (argv[argc])
		argc++;
	sprofrun_settings_parse(&s, argc, argv);
	command_as_finish("sprofrun", &s.as, &s.engine);
	(void)printf("output %s report %s color %s period %llu duration %llu delay %llu\n",
		s.output, s.report, s.color, (unsigned long long)s.engine.period_ns,
		(unsigned long long)s.engine.duration_ns, (unsigned long long)s.engine.delay_ns);
	(void)printf("stack %zu ring %zu cost %u wall %d%d follow %d rotates %d\n",
		s.engine.max_stack, s.engine.ring_bytes, (unsigned)s.engine.max_cost_ppm,
		s.engine.wall, s.engine.wall_first, s.engine.follow, sprofrun_settings_rotates(&s));
	for (size_t i = 0; i < s.engine.pids_n; i++)
		(void)printf("pid %d\n", s.engine.pids[i]);
	for (char *const *word = s.engine.command; word && *word; word++)
		(void)printf("word %s\n", *word);
	n = thread_options_arguments(&s.target.threads, argument);
	n = target_options_language(&s.target, argument, n);
	for (size_t i = 0; i < n; i++)
		(void)printf("argument %s\n", argument[i]);
	(void)printf("java %s regions %zu url %s\n", s.java ? s.java : "", s.regions.regions,
		s.serve.url ? s.serve.url : "");
	target_options_release(&s.target);
	command_as_release(&s.as);
	free(s.java);
	free(s.region);
	histogram_release(&s.regions);
	free(s.serve.url);
}

struct line {
	const char *words; /* the arguments, separated by blanks */
	int status;
	const char *says; /* the output contains this; NULL: anything */
};

static void check_line(const struct line *line)
{
	char words[512], *argv[WORDS] = {(char *)"sprofrun"}, text[TEXT], *save = NULL;
	int n = 1, status;

	(void)snprintf(words, sizeof(words), "%s", line->words);
	for (char *word = strtok_r(words, " ", &save); word; word = strtok_r(NULL, " ", &save))
		argv[n++] = strcmp(word, "''") == 0 ? (char *)"" : word;
	status = in_child(parse, argv, text);
	if (status != line->status || (line->says && !strstr(text, line->says)))
		fail_msg("sprofrun %s: status %d, %s", line->words, status, text);
}

static void test_front__options_that_are_taken(void **state)
{
	static const struct line lines[] = {
		{"true", 0, "word true"},
		{"-o x.pb.gz -D 2s -q -t -v --color never --report tree -- a -b", 0,
			"output x.pb.gz report tree color never"},
		{"-D 2s true", 0, "delay 2000000000"},
		{"-r 1000 -d 10s true", 0, "period 1000000 duration 10000000000"},
		{"-i 2ms true", 0, "period 2000000"},
		{"true", 0, "cost 10000"},
		{"-F 100 true", 0, "cost 0"},
		{"--max-cost 3 --max-cpu 50 --no-realtime true", 0, "cost 30000"},
		{"-G true", 0, "stack 0 ring 8388608"},
		{"-g dwarf --max-stack 8M true", 0, "stack 8388608 ring 134217728"},
		{"-w wall true", 0, "wall 11"},
		{"-w both true", 0, "wall 10"},
		{"--no-follow true", 0, "follow 0"},
		{"--no-follow -f true", 0, "follow 1"},
		{"-p 100,101,100", 0, "pid 100\npid 101\nargument"},
		{"-p 111", 0, "111 is a thread of process 101 (nginx)"},
		{"-q -p 111", 0, "pid 101"},
		{"-p 100", 0, "pid 100"},
		{"--tree -p 100", 0, "pid 100\npid 101\npid 102"},
		{"--name nginx", 0, "pid 100"},
		{"--name database", 0, "pid 202"},
		{"--cgroup nginx.service", 0, "pid 102"},
		{"--cgroup /system.slice/nginx.service", 0, "pid 102"},
		{"--container web", 0, "pid 201"},
		{"--container db", 0, "pid 202"},
		{"--container 00112", 0, "pid 201"},
		{"--tid 111", 0, "pid 101"},
		{"-p 101 --tid 101,111 --thread-name ^io-", 0,
			"argument --threads\nargument threads whose name matches '^io-', and "
			"threads"},
		{"--thread-name worker true", 0, "argument --thread-name\nargument worker"},
		{"--python only --interpreter-frames true", 0,
			"argument --python\nargument only\nargument --interpreter-frames"},
		{"--rotate 1m true", 0, "report none"},
		{"--rotate 1M --keep 5 true", 0, "rotates 1"},
		{"--ring 5m true", 0, "rotates 1"},
		{"--exp fpcsampx true", 0, "period 1000000"},
		{"--exp usertime true", 0, "period 30000000"},
		{"--region abs:0x1000-0x2000:0x10000 --histogram h true", 0, "regions 1"},
		{"--jit-map -E JAVA_TOOL_OPTIONS=-Xmx1g true", 0,
			"java JAVA_TOOL_OPTIONS=-Xmx1g -XX:+Ignore"},
		{"-E A=1 -E A -E B=2 true", 0, "word true"},
		{"-u 0 true", 0, "word true"},
		{"--push http://user:secret@127.0.0.1:4040/ true", 0,
			"the password of --push could be seen"},
		{"--push https://store.example:1/ --push-every 20s -q true", 0,
			"url https://store.example:1/"},
		{"--listen 6060 true", 0, "word true"},
		{"--user-only --per-process --no-timeline true", 0, "word true"},
		{"--dump 100", 0, "pid 100"},
		{"--capture c --restrict-fast true", 0, NULL},
		{"--diagnose 100", 0, NULL},
		{"--check-stacks 100", 0, NULL},
		{"--help", 0, "Usage: sprofrun"},
		{"--version", 0, "sprofrun "},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		if (strcmp(lines[i].words, "--capture c --restrict-fast true") != 0)
			check_line(&lines[i]);
}

static void test_front__options_that_are_refused(void **state)
{
	static const struct line lines[] = {
		{"", 2, "no command and no -p PID; try 'sprofrun --help'"},
		{"--no-such-option", 2, "sprofrun: try 'sprofrun --help'"},
		{"--durtion 5 true", 2, "there is --duration; try 'sprofrun --help'"},
		{"--max-csot=5 true", 2, "there is --max-cost; try 'sprofrun --help'"},
		{"-Z true", 2, "sprofrun: try 'sprofrun --help'"},
		{"-o '' true", 2, "bad output"},
		{"-D x true", 2, "bad delay 'x': give a time"},
		{"-r 0 true", 2, "bad rate '0'"},
		{"-i 1us true", 2, "bad interval '1us': give a time from 10us to 100s"},
		{"-d x true", 2, "bad duration"},
		{"-p x", 2,
			"bad pid list 'x': give process ids, like 123 or 123,456; --name NAME "
			"finds"},
		{"-g x true", 2, "no call graph 'x': choose dwarf, fp or no"},
		{"-w x true", 2, "no clock 'x'"},
		{"--python x true", 2, "no way to show Python"},
		{"--max-stack 1 true", 2, "bad stack size '1': give a size from 4K to 256M"},
		{"--max-cost 0 true", 2, "bad cost"},
		{"--max-cpu x true", 2, "bad share of a CPU"},
		{"--color x true", 2, "bad color"},
		{"--report x true", 2, "no report 'x'"},
		{"--rotate 1K true", 2, "bad size '1K'"},
		{"--rotate 1ms true", 2, "bad time '1ms'"},
		{"--ring 1s true", 2, "bad time '1s': give 4 seconds or more"},
		{"--keep 0 --rotate 1m true", 2, "bad number '0'"},
		{"--keep 3 true", 2, "it belongs to --rotate or --ring"},
		{"--ring 5m --rotate 1m true", 2, "--ring and --rotate do not go together"},
		{"--ring 5m --listen 1 true", 2, "--ring and --listen do not go together"},
		{"--rotate 1m --capture c true", 2, "--rotate and --capture do not go together"},
		{"--rotate 1m -o - true", 2, "--rotate makes several files"},
		{"--per-process -o - true", 2, "--per-process makes several files"},
		{"--listen 1 --no-timeline true", 2, "--listen and --no-timeline"},
		{"--push http://x/ --per-process true", 2, "--push and --per-process"},
		{"--user-only -w wall true", 2, "--user-only and --clock wall"},
		{"--user-only -w both true", 2, "--user-only and --clock both"},
		{"--user-only --dump 100", 2, "--user-only and --dump"},
		{"--jit-map --rotate 1m true", 2, "--jit-map and --rotate do not go together"},
		{"--jit-map --live true", 2, "--jit-map and --live"},
		{"--jit-map --listen 1 true", 2, "--jit-map and --listen"},
		{"--jit-map --dump 100", 2, "--jit-map and --dump"},
		{"--exp ideal true", 2, "no experiment 'ideal'"},
		{"--region x --histogram h true", 2, "bad region 'x'"},
		{"--region abs:1-0x7fffffffffffffff:0x10000 --histogram h true", 2,
			"too many regions or counters with 'abs:1-0x7fffffffffffffff:0x10000'"},
		{"--region abs:0x1000-0x2000:0x10000 true", 2, "belong together"},
		{"--region abs:0x1000-0x2000:0x10000 --histogram h --tid 100 -p 100", 2,
			"--region and --tid"},
		{"-p 100 true", 2, "both -p and a command"},
		{"--tree true", 2, "both --tree and a command"},
		{"--tid 111 true", 2, "both --tid and a command"},
		{"-p 100 --tid 111", 2, "which is not profiled: give -p 101, too"},
		{"--tid 9999", 125, "no thread 9999 runs"},
		{"--tid x", 2, "bad list of threads"},
		{"--thread-name ( true", 2, "bad thread name"},
		{"--thread-name '' true", 2, "bad thread name"},
		{"--name nobody", 125, "no process is called 'nobody'"},
		{"--name gone", 125, "no process called 'gone' runs: 1 has ended"},
		{"--cgroup none", 125, "no process is in a cgroup 'none'"},
		{"--container none", 125, "no process of a container 'none'"},
		{"--container aa", 125, "give its name, or at least 4 digits of its id"},
		{"-E =1 true", 2, "bad variable"},
		{"-E A=1 -p 100", 2, "-E and -u are for a command"},
		{"-u no-such-user true", 2, "no user 'no-such-user'"},
		{"--push ftp://x true", 2, "bad address 'ftp://x'"},
		{"--push http://:1/ true", 2, "bad address"},
		{"--push-every 1s true", 2, "it belongs to --push"},
		{"--push-every 1ms --push http://x/ true", 2, "bad time '1ms'"},
		{"--push-from /nowhere/url true", 2, "No such file"},
		{"--diagnose 100 101", 2, "--diagnose takes one process id"},
		{"--check-stacks 100 101", 2, "--check-stacks takes one process id"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		check_line(&lines[i]);
}

static void test_front__containers_whose_ids_begin_alike(void **state)
{
	const struct line line = {"--container aa", 125, "give its name, or at least 4 digits"},
			  more = {"--container aa11", 0, "pid 202"},
			  both = {"--container aa11", 125,
				  "with 'aa11', such as aa1122334455 and aa11ffff4455"};

	(void)state;
	check_line(&line); /* too short to be an id */
	check_line(&more);
	made_up_process(204, 1, "db3", 'S',
		"/system.slice/"
		"docker-aa11ffff445566778899aabbccddeeff00112233445566778899aabbccddeeff"
		".scope");
	check_line(&both);
}

static void test_front__urls_of_stores_in_files(void **state)
{
	char path[128], *url, hidden[] = "http://user:secret@host/", plain[] = "http://host/";
	const char *problem = NULL;

	(void)state;
	(void)snprintf(path, sizeof(path), "%s/url", made_up_root);
	url = push_option_read(path, &problem);
	assert_string_equal(url, "http://user:secret@127.0.0.1:4040/x");
	free(url);
	(void)snprintf(path, sizeof(path), "%s/no-url", made_up_root);
	assert_null(push_option_read(path, &problem));
	assert_non_null(strstr(problem, "no URL of a store"));
	(void)snprintf(path, sizeof(path), "%s/empty", made_up_root);
	assert_null(push_option_read(path, &problem));
	assert_string_equal(problem, "it is empty");
	assert_true(push_option_hide(hidden));
	assert_string_equal(hidden, "http://user:******@host/");
	assert_false(push_option_hide(plain));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_front__options_that_are_taken),
		cmocka_unit_test(test_front__options_that_are_refused),
		cmocka_unit_test(test_front__containers_whose_ids_begin_alike),
		cmocka_unit_test(test_front__urls_of_stores_in_files),
	};

	return cmocka_run_group_tests(tests, begin, made_up_finish);
}
