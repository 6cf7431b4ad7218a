/* SPDX-License-Identifier: MIT */
/*
 * first_call [ROUNDS]: measures the first call of a process, which starts the helper. For
 * comparison, in turn with it in the same run, measures the least that such a call must do: to run
 * a program to its end (vfork, exec, exit, wait). That program is the smallest one (/bin/true), and
 * then the helper with --version. Each first call is made by a process of its own.
 */
#include <sprofil/sprofil.h>

#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/measure.h"

enum { MOST = 1000, WAYS = 3 };

struct way {
	const char *name;
	uint64_t took[MOST];
};

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static uint64_t executed(const char *path, const char *argument)
{
	char *const argv[] = {(char *)path, (char *)argument, NULL}, *const environment[] = {NULL};
	posix_spawn_file_actions_t actions;
	uint64_t start;
	pid_t pid;

	(void)posix_spawn_file_actions_init(&actions);
	(void)posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", 1, 0);
	start = measure_now_ns();
	if (posix_spawn(&pid, path, &actions, NULL, argv, environment) != 0)
		die(path);
	(void)waitpid(pid, NULL, 0);
	start = measure_now_ns() - start;
	(void)posix_spawn_file_actions_destroy(&actions);
	return start;
}

static int call(void)
{
	static unsigned counts[16];
	struct prof one = {counts, sizeof(counts), 4096, 0x10000};
	uint64_t took = measure_now_ns();

	if (sprofil(&one, 1, NULL, PROF_UINT) < 0)
		die("sprofil");
	took = measure_now_ns() - took;
	return write(1, &took, sizeof(took)) == (ssize_t)sizeof(took) ? 0 : 1;
}

static uint64_t called(void)
{
	char *const argv[] = {(char *)"first_call", (char *)"--call", NULL};
	posix_spawn_file_actions_t actions;
	uint64_t took;
	int fds[2];
	pid_t pid;

	if (pipe(fds) < 0)
		die("pipe");
	(void)posix_spawn_file_actions_init(&actions);
	(void)posix_spawn_file_actions_adddup2(&actions, fds[1], 1);
	if (posix_spawn(&pid, "/proc/self/exe", &actions, NULL, argv, environ) != 0)
		die("first_call");
	(void)posix_spawn_file_actions_destroy(&actions);
	(void)close(fds[1]);
	if (read(fds[0], &took, sizeof(took)) != (ssize_t)sizeof(took))
		exit(1);
	(void)close(fds[0]);
	(void)waitpid(pid, NULL, 0);
	return took;
}

int main(int argc, char **argv)
{
	static struct way way[WAYS] = {
		{.name = "/bin/true"}, {.name = "helper --version"}, {.name = "first call"}};
	const char *helper = getenv("SPROFIL_SUPERVISOR");
	unsigned n = argc > 1 ? (unsigned)atoi(argv[1]) : 100;

	if (argc > 1 && strcmp(argv[1], "--call") == 0)
		return call();
	if (!helper || n == 0 || n > MOST) {
		fprintf(stderr, "first_call: give rounds up to %d, and SPROFIL_SUPERVISOR\n", MOST);
		return 2;
	}
	for (unsigned i = 0; i < n; i++) {
		way[0].took[i] = executed("/bin/true", NULL);
		way[1].took[i] = executed(helper, "--version");
		way[2].took[i] = called();
		/* the helper needs time to see that its process has ended */
		(void)usleep(20000);
	}
	for (unsigned i = 0; i < WAYS; i++) {
		uint64_t *took = way[i].took;

		qsort(took, n, sizeof(*took), measure_order_64);
		printf("%-16s\tleast %.2f ms, p25 %.2f, p50 %.2f, p75 %.2f, p90 %.2f\n",
			way[i].name, (double)took[0] / 1e6, (double)took[n / 4] / 1e6,
			(double)took[n / 2] / 1e6, (double)took[n * 3 / 4] / 1e6,
			(double)took[n * 9 / 10] / 1e6);
	}
	return 0;
}
