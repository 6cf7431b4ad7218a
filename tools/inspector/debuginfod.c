/* SPDX-License-Identifier: MIT */
#include "tools/inspector/debuginfod.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/libexec.h"
#include "base/waiting.h"

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* "progress 1000 5000" */
static void tell(struct waiting *waiting, const char *line, const char *path)
{
	char what[64];
	long done, all;

	if (!waiting || sscanf(line, "progress %ld %ld", &done, &all) != 2 || all <= 0)
		return;
	(void)snprintf(what, sizeof(what), "debuginfod: %.40s", base_of(path));
	waiting_tell(waiting, what, done < all ? (double)done / (double)all : 1);
}

static int judge(int status, const char **ret_problem)
{
	switch (status) {
	case 0: return 0;
	case DEBUGINFOD_NO_URLS:
		*ret_problem = "no debuginfod server is named: export "
			       "DEBUGINFOD_URLS=https://debuginfod.debian.net";
		return -EDESTADDRREQ;
	case DEBUGINFOD_NOT_FOUND:
		*ret_problem = "no debuginfod server has its debug file";
		return -ENOENT;
	case DEBUGINFOD_TIME_OUT:
		*ret_problem = "the debuginfod server takes too long (DEBUGINFOD_TIMEOUT, "
			       "DEBUGINFOD_MAXTIME)";
		return -ETIMEDOUT;
	default:
		*ret_problem = "the debuginfod server cannot be reached (DEBUGINFOD_URLS)";
		return -EIO;
	}
}

int debuginfod_fetch(
	struct waiting *waiting, const char *path, const char *build_id, const char **ret_problem)
{
	char program[PATH_MAX], what[64], line[256];
	char *argv[] = {program, (char *)build_id, NULL};
	FILE *out;
	pid_t pid;

	if (!libexec_find("sprofil-debuginfod", program)) {
		*ret_problem = "this was built without libdebuginfod";
		return -ENOTSUP;
	}
	if (waiting) {
		(void)snprintf(what, sizeof(what), "debuginfod: %.40s", base_of(path));
		waiting_say(waiting, what);
	}
	if (libexec_read(argv, true, &out, &pid) < 0) {
		*ret_problem = "sprofil-debuginfod cannot be started";
		return -EIO;
	}
	while (fgets(line, sizeof(line), out))
		tell(waiting, line, path);
	return judge(libexec_end(out, pid), ret_problem);
}

/* "libc6:amd64: /lib/x86_64-linux-gnu/libc.so.6": the package comes first. */
static bool take_package(char *line)
{
	size_t bytes = strspn(line, "abcdefghijklmnopqrstuvwxyz0123456789+-.");

	if (!bytes || line[bytes] != ':')
		return false;
	line[bytes] = '\0';
	return true;
}

static bool ask_dpkg(const char *path, char line[256])
{
	char *argv[] = {(char *)"dpkg-query", (char *)"-S", (char *)path, NULL};
	bool found = false;
	FILE *out;
	pid_t pid;

	if (libexec_read(argv, true, &out, &pid) < 0)
		return false;
	while (!found && fgets(line, 256, out))
		found = take_package(line);
	/* Read the rest, so that the program does not die of a closed pipe. */
	while (fgetc(out) != EOF)
		;
	return libexec_end(out, pid) == 0 && found;
}

int package_command(const char *path, char **ret_command)
{
	char line[256];
	bool usr = strncmp(path, "/usr/", 5) == 0, found;

	*ret_command = NULL;
	/* dpkg-query treats these characters as patterns. */
	if (path[0] != '/' || strpbrk(path, "*?[\\"))
		return 0;
	found = ask_dpkg(path, line);
	/* dpkg-query knows files by their names before /lib became a part of /usr. */
	if (!found && usr)
		found = ask_dpkg(path + 4, line);
	if (!found)
		return 0;
	if (asprintf(ret_command, "apt install %s%s", line,
		    !strcmp(line, "libc6") ? "-dbg" : "-dbgsym") < 0) {
		*ret_command = NULL;
		return -ENOMEM;
	}
	return 0;
}
