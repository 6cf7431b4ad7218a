/* SPDX-License-Identifier: MIT */
/*
 * sprofil-stackcheck PID, started by `sprofrun --check-stacks PID`: are the stacks of this process
 * right? Each thread is stopped once, and its stack is unwound by our unwinder and by
 * libunwind-ptrace. As with --dump, a thread that a stop would disturb is left alone.
 *
 * libunwind-ptrace works only in the tracer. So this process both traces the target and reads the
 * target's files, with either unwinder. If this process is root, it becomes the target's user as
 * soon as all threads are seized: a hostile file then gains only that user's rights.
 *
 * If this process dies, also during a stop, the kernel resumes all threads. If the target dies, the
 * threads examined so far are reported.
 */
#include <errno.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/standard.h"
#include "base/text.h"
#include "supervisor/engine/engine.h"
#include "tools/front/front.h"
#include "tools/stackcheck/stack_opinion.h"

static const char program[] = "sprofrun";

enum { STACK_BYTES = 8 << 20, CPU_SECONDS = 60 };

struct check {
	struct opinions opinions;
	uint64_t threads, left_alone;
	int error;
	bool begun;
};

static void say(void *context, enum say_kind kind, const char *line)
{
	(void)context;
	if (kind != SAY_DETAIL)
		front_complain(program, "%s", line);
}

/* Becomes the target's user: once all threads are seized, that user's rights suffice. */
static int become_owner(int pid)
{
	char path[32];
	struct stat st;

	(void)snprintf(path, sizeof(path), "/proc/%d", pid);
	(void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (geteuid() != 0)
		return 0;
	if (stat(path, &st) < 0)
		return -errno;
	if (st.st_uid == 0)
		return 0;
	if (setgroups(0, NULL) < 0 || setresgid(st.st_gid, st.st_gid, st.st_gid) < 0 ||
		setresuid(st.st_uid, st.st_uid, st.st_uid) < 0)
		return -errno;
	return 0;
}

static void examine(void *context, int pid, int tid, const struct arch_snapshot *snapshot,
	const struct stack_copy *stack, bool stopped)
{
	struct check *check = context;
	int r = 0;

	if (check->error)
		return;
	if (!check->begun) {
		check->begun = true;
		r = become_owner(pid);
		if (r == 0)
			r = opinions_init(&check->opinions, pid);
	}
	if (!snapshot) {
		check->threads++;
		check->left_alone++;
	} else if (r == 0 && stopped) {
		check->threads++;
		r = opinions_learn(&check->opinions, pid);
		if (r == 0)
			opinions_ask_libunwind(&check->opinions, tid);
	} else if (r == 0) {
		r = opinions_compare(&check->opinions, snapshot, stack);
	}
	check->error = r;
}

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

static void explain(const struct opinion_module *module)
{
	bool vdso = !strcmp(module->path, "[vdso]");

	if (module->result[OPINION_OURS_LONGER])
		printf("    %ju stack%s: libunwind ends here, ours goes on. It %s; trust ours.\n",
			(uintmax_t)module->result[OPINION_OURS_LONGER],
			plural(module->result[OPINION_OURS_LONGER]),
			vdso ? "cannot read the vdso"
			     : "finds no unwind information, or takes what it finds for the end");
	if (module->result[OPINION_THEIRS_LONGER])
		printf("    %ju stack%s: ours ends here (%s), libunwind goes on. It guesses by the "
		       "frame pointer where nothing is known; such stacks of ours are marked "
		       "[incomplete].\n",
			(uintmax_t)module->result[OPINION_THEIRS_LONGER],
			plural(module->result[OPINION_THEIRS_LONGER]),
			module->why[0] ? module->why : "complete");
	if (module->result[OPINION_DIFFER])
		printf("    %ju stack%s: different callers. %s\n",
			(uintmax_t)module->result[OPINION_DIFFER],
			plural(module->result[OPINION_DIFFER]),
			vdso ? "libunwind cannot read the vdso, and guesses; trust ours."
			     : "One of the two is wrong, or the unwind information is: compare "
			       "with "
			       "gdb, and please report it.");
}

static void report_modules(const struct opinions *opinions)
{
	printf("\n%8s %8s %8s %8s  %s\n", "frames", "ours +", "theirs +", "differ", "module");
	for (size_t i = 0; i < opinions->modules; i++) {
		const struct opinion_module *module = &opinions->module[i];

		printf("%8ju %8ju %8ju %8ju  ", (uintmax_t)module->frames,
			(uintmax_t)module->result[OPINION_OURS_LONGER],
			(uintmax_t)module->result[OPINION_THEIRS_LONGER],
			(uintmax_t)module->result[OPINION_DIFFER]);
		text_put(module->path, stdout);
		(void)putchar('\n');
	}
	for (size_t i = 0; i < opinions->modules; i++) {
		const struct opinion_module *module = &opinions->module[i];

		if (module->result[OPINION_OURS_LONGER] + module->result[OPINION_THEIRS_LONGER] +
				module->result[OPINION_DIFFER] ==
			0)
			continue;
		(void)putchar('\n');
		text_put(module->path, stdout);
		if (module->function[0]) {
			fputs(", in ", stdout);
			text_put(module->function, stdout);
		}
		(void)putchar('\n');
		explain(module);
	}
}

/* Differences in the vdso do not count: libunwind cannot read it. */
static bool is_doubtful(const struct opinions *opinions)
{
	for (size_t i = 0; i < opinions->modules; i++) {
		const struct opinion_module *module = &opinions->module[i];

		if (strcmp(module->path, "[vdso]") != 0 &&
			(module->result[OPINION_DIFFER] || module->result[OPINION_THEIRS_LONGER]))
			return true;
	}
	return false;
}

static int report(const struct check *check)
{
	const struct opinions *opinions = &check->opinions;
	uint64_t compared = 0;

	for (size_t i = 0; i < OPINION_RESULTS; i++)
		compared += opinions->result[i];
	printf("%ju thread%s, %ju compared, %ju frames: %ju stack%s agree%s frame by frame\n",
		(uintmax_t)check->threads, plural(check->threads), (uintmax_t)compared,
		(uintmax_t)opinions->frames, (uintmax_t)opinions->result[OPINION_AGREE],
		plural(opinions->result[OPINION_AGREE]),
		opinions->result[OPINION_AGREE] == 1 ? "s" : "");
	if (check->left_alone)
		printf("%ju left alone: a stop would disturb the call that %s in\n",
			(uintmax_t)check->left_alone,
			check->left_alone == 1 ? "it sleeps" : "they sleep");
	if (compared)
		report_modules(opinions);
	if (standard_printed(program, FRONT_OURS))
		return FRONT_OURS;
	return is_doubtful(opinions) ? 1 : 0;
}

int main(int argc, char **argv)
{
	const struct rlimit limit = {CPU_SECONDS, CPU_SECONDS}, none = {0, 0};
	static struct check check;
	struct engine_result result;
	struct engine_options options = {.dump = true,
		.no_realtime = true,
		.period_ns = 4000000,
		.max_stack = STACK_BYTES,
		.examine = examine,
		.say = say,
		.context = &check};
	int pid = argc == 2 ? atoi(argv[1]) : 0, status;

	standard_hold();
	if (pid <= 0) {
		front_complain(program, "--check-stacks: give a process id, like 123");
		return FRONT_USAGE;
	}
	/* If a file keeps a parser busy, SIGXCPU ends this process, and frees the target. */
	(void)setrlimit(RLIMIT_CPU, &limit);
	(void)setrlimit(RLIMIT_CORE, &none);
	options.pids = &pid;
	options.pids_n = options.pids_given = 1;
	front_prepare(&options.inherited);
	engine_run(&options, &result);
	status = front_failure(program, &options, &result);
	if (status == 0 && check.error) {
		front_complain(program, "cannot compare the stacks of %d: %s", pid,
			strerror(-check.error));
		status = FRONT_OURS;
	}
	if (status == 0)
		status = report(&check);
	if (check.begun)
		opinions_release(&check.opinions);
	return status;
}
