/* SPDX-License-Identifier: MIT */
#include "tools/front/jcmd.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/child.h"
#include "base/clock.h"
#include "base/proc_file.h"
#include "supervisor/os/proc_maps.h"
#include "supervisor/os/proc_status.h"
#include "tools/front/front.h"

#define MOST_NS UINT64_C(10000000000)

static const char needed[] = "it comes with a JDK (Debian: openjdk-17-jdk-headless)";

struct java {
	int pid, inner_pid; /* pid in our pid namespace; in the process's own */
	uid_t uid;
	gid_t gid;
};

/*
 * Parses a line such as "Uid:\t7\t7\t7\t7": the real id, then the effective one. False: there is no
 * such line, or the two ids differ, so that the process belongs to no single user.
 */
static bool read_id(const char *status, const char *name, unsigned *ret_id)
{
	const char *value = proc_file_value(status, name);
	unsigned effective;

	return value && sscanf(value, "%u %u", ret_id, &effective) == 2 && effective == *ret_id;
}

static int read_java(int pid, struct java *ret_java)
{
	struct java java = {.pid = pid};
	char text[4096];

	if (proc_file_read(text, sizeof(text), "/proc/%d/status", pid) <= 0)
		return -ESRCH;
	if (!read_id(text, "Uid", &java.uid) || !read_id(text, "Gid", &java.gid))
		return -EPERM;
	java.inner_pid = proc_file_last_number(text, "NSpid", pid);
	*ret_java = java;
	return 0;
}

static bool has_jvm(int pid)
{
	char *maps = NULL;
	size_t room = 0;
	bool has = proc_maps_read(proc_file_living_thread(pid), &maps, &room) >= 0 &&
		strstr(maps, "/libjvm.so\n");

	free(maps);
	return has;
}

static bool catches_quit(int pid)
{
	uint64_t ignored, caught;

	return proc_status_read_dispositions(pid, &ignored, &caught) == 0 &&
		caught & UINT64_C(1) << (SIGQUIT - 1);
}

static bool is_same(const char *of_process, int pid, const char *ours)
{
	struct stat a, b;
	char path[40];

	(void)snprintf(path, sizeof(path), "/proc/%d/%s", pid, of_process);
	return stat(path, &a) == 0 && stat(ours, &b) == 0 && a.st_dev == b.st_dev &&
		a.st_ino == b.st_ino;
}

/* Returns why jcmd must not ask this process for its map; NULL: jcmd may ask. */
static const char *obstacle(const struct java *java)
{
	if (!catches_quit(java->pid))
		return "it does not catch SIGQUIT (java -Xrs), by which it would be asked";
	if (geteuid() != 0 && java->uid != geteuid())
		return "it is of another user";
	if (java->uid == 0 &&
		!(is_same("root", java->pid, "/") &&
			is_same("ns/mnt", java->pid, "/proc/self/ns/mnt") &&
			is_same("ns/user", java->pid, "/proc/self/ns/user")))
		return "it is root's in a container, and root here does not follow what lies "
		       "there";
	return NULL;
}

/* Searches only absolute folders of PATH: files in the current folder may be anybody's. */
static bool find_jcmd(char path[PATH_MAX])
{
	const char *folders = getenv("PATH");

	for (; folders && *folders; folders += *folders == ':') {
		size_t bytes = strcspn(folders, ":");
		int n = snprintf(path, PATH_MAX, "%.*s/jcmd", (int)bytes, folders);

		if (path[0] == '/' && n > 0 && n < PATH_MAX && access(path, X_OK) == 0)
			return true;
		folders += bytes;
	}
	return false;
}

/* Runs in the child: becomes the process's user, keeps only @output open, and executes jcmd. */
static _Noreturn void become_jcmd(const char *path, const struct java *java, int output)
{
	char pid[16], *argv[] = {(char *)path, pid, (char *)"Compiler.perfmap", NULL};
	char *environment[] = {(char *)"PATH=/usr/local/bin:/usr/bin:/bin", (char *)"LC_ALL=C",
		(char *)"HOME=/", NULL};
	int null = open("/dev/null", O_RDONLY);
	sigset_t none;

	(void)snprintf(pid, sizeof(pid), "%d", java->pid);
	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	for (int i = 1; i < NSIG; i++)
		(void)signal(i, SIG_DFL);
	if (null < 0 || dup2(null, 0) < 0 || dup2(output, 1) < 0 || dup2(output, 2) < 0 ||
		chdir("/") < 0)
		_exit(FRONT_OURS);
	(void)syscall(SYS_close_range, 3, ~0U, 0);
	if (geteuid() == 0 && java->uid != 0 &&
		(setgroups(1, &java->gid) < 0 || setresgid(java->gid, java->gid, java->gid) < 0 ||
			setresuid(java->uid, java->uid, java->uid) < 0 || setuid(0) == 0))
		_exit(FRONT_OURS);
	(void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	(void)execve(path, argv, environment);
	_exit(FRONT_NOT_EXECUTABLE);
}

/* Runs jcmd. Returns its wait status; -1: it could not be started, or took too long. */
static int run_jcmd(const char *path, const struct java *java, int output, uint64_t until_ns)
{
	pid_t pid = fork();
	struct pollfd ended = {.events = POLLIN};
	uint64_t now = clock_now();
	int in_time, status;

	if (pid == 0)
		become_jcmd(path, java, output);
	if (pid < 0)
		return -1;
	ended.fd = (int)syscall(SYS_pidfd_open, pid, 0);
	in_time = ended.fd >= 0 && now < until_ns
		? poll(&ended, 1, (int)((until_ns - now) / 1000000))
		: 0;
	if (in_time <= 0)
		(void)kill(pid, SIGKILL);
	status = child_join(pid);
	if (ended.fd >= 0)
		(void)close(ended.fd);
	return in_time > 0 ? status : -1;
}

static void read_last(int output, char *text, size_t bytes)
{
	off_t end = lseek(output, 0, SEEK_END);
	off_t from = end > (off_t)bytes - 1 ? end - ((off_t)bytes - 1) : 0;
	ssize_t n = pread(output, text, bytes - 1, from);
	char *last;

	text[n < 0 ? 0 : n] = '\0';
	while (n > 0 && text[n - 1] == '\n')
		text[--n] = '\0';
	last = strrchr(text, '\n');
	if (last)
		memmove(text, last + 1, strlen(last));
}

static void request_map(
	const char *program, const char *path, const struct java *java, uint64_t until_ns)
{
	char said[240] = "";
	int output = memfd_create("jcmd", MFD_CLOEXEC), status;

	if (output < 0) {
		front_complain(program, "--jit-map: cannot run jcmd: %s", strerror(errno));
		return;
	}
	status = run_jcmd(path, java, output, until_ns);
	read_last(output, said, sizeof(said));
	(void)close(output);
	if (status == -1)
		front_complain(program,
			"--jit-map: process %d did not answer in time; its code has no "
			"names",
			java->pid);
	else if (status)
		front_complain(program,
			"--jit-map: 'jcmd %d Compiler.perfmap' failed (Java 17 and later know "
			"it)%s%s",
			java->pid, said[0] ? ": " : "", said);
}

void jcmd_write_maps(const char *program, const int *pids, size_t n, bool quiet)
{
	uint64_t until_ns = clock_now() + MOST_NS;
	size_t found = 0;
	char path[PATH_MAX];

	for (size_t i = 0; i < n; i++) {
		struct java java;
		const char *why;

		if (!has_jvm(pids[i]))
			continue;
		found++;
		why = read_java(pids[i], &java) < 0 ? "its user cannot be told" : obstacle(&java);
		if (why) {
			front_complain(program,
				"--jit-map: process %d is not asked: %s; 'jcmd %d "
				"Compiler.perfmap' "
				"as its user, where it runs, does it",
				pids[i], why, java.inner_pid);
			continue;
		}
		if (!find_jcmd(path)) {
			front_complain(program, "--jit-map: jcmd is not in PATH; %s", needed);
			return;
		}
		request_map(program, path, &java, until_ns);
	}
	if (!found && n && !quiet)
		front_complain(program,
			"--jit-map: none of the %zu processes is Java's; node --perf-basic-prof "
			"and "
			"python -X perf write such a map themselves",
			n);
}

char *jcmd_variable(const char *before)
{
	char *variable;

	/*
	 * With IgnoreUnrecognizedVMOptions, versions of Java that do not know the other options
	 * start nevertheless.
	 */
	if (asprintf(&variable,
		    "JAVA_TOOL_OPTIONS=%s%s-XX:+IgnoreUnrecognizedVMOptions "
		    "-XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit",
		    before ? before : "", before && before[0] ? " " : "") < 0)
		return NULL;
	return variable;
}
