/* SPDX-License-Identifier: MIT */
#include "tools/inspector/package.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/libexec.h"
#include "view/code.h"

enum { POLICY_BYTES = 16384, NAME_BYTES = 256 };

/* What `apt-cache policy` says about a package. */
struct policy {
	bool candidate;       /* some version can be installed */
	bool installed_first; /* the installed version is the newest one */
	bool ours;            /* the installed version is in an archive of this distribution */
	bool any_ours;        /* some version is in an archive of this distribution */
	bool any_archive;     /* some version is in an archive */
};

/* Takes a line like "  Candidate: 3.11.2-6", " *** 3.11.2-6 100" or "        500 http://… main". */
static void take_line(const struct package_system *system, const char *line, struct policy *policy,
	bool *in_installed, bool *seen_version)
{
	static const char candidate[] = "  Candidate: ";
	char suite[32];
	const char *archive;

	if (strncmp(line, candidate, sizeof(candidate) - 1) == 0) {
		policy->candidate = line[sizeof(candidate) - 1] != '(';
	} else if (strncmp(line, " *** ", 5) == 0) {
		*in_installed = true;
		policy->installed_first = !*seen_version;
		*seen_version = true;
	} else if (strncmp(line, "     ", 5) == 0 && line[5] != ' ') {
		*in_installed = false;
		*seen_version = true;
	} else if ((archive = strstr(line, "://"))) {
		(void)snprintf(suite, sizeof(suite), " %s", system->codename);
		policy->any_archive = true;
		if (system->codename[0] && strstr(archive, suite)) {
			policy->any_ours = true;
			policy->ours |= *in_installed;
		}
	}
}

/* Reads the part about @package. */
static struct policy read_policy(
	const struct package_system *system, const char *package, const char *text)
{
	struct policy policy = {0};
	size_t bytes = strlen(package);
	bool inside = false, in_installed = false, seen_version = false;

	for (const char *next; *text; text = next) {
		char line[NAME_BYTES];
		size_t length = strcspn(text, "\n");

		next = text + length + (text[length] == '\n');
		(void)snprintf(line, sizeof(line), "%.*s", (int)length, text);
		if (line[0] != ' ')
			inside = strncmp(line, package, bytes) == 0 && line[bytes] == ':';
		else if (inside)
			take_line(system, line, &policy, &in_installed, &seen_version);
	}
	return policy;
}

/*
 * Is the installed version from an archive of another distribution? An installed version that is
 * older than one of this distribution does not count as foreign.
 */
static bool is_foreign(const struct policy *policy)
{
	if (policy->ours)
		return false;
	return policy->any_ours ? policy->installed_first : policy->any_archive;
}

/*
 * Sets the command that runs @before + @symbols + @behind as root. None of the three may contain an
 * apostrophe, as the shell of root gets them in apostrophes.
 */
static int set_as_root(const struct package_system *system, const char *before, const char *symbols,
	const char *behind, struct code_package *ret_package)
{
	bool quoted = system->rights == PACKAGE_BY_SU ||
		(system->rights == PACKAGE_BY_SUDO && strchr(before, '&'));
	const char *root = system->rights == PACKAGE_AS_ROOT ? ""
		: system->rights == PACKAGE_BY_SU            ? "su -c "
		: quoted                                     ? "sudo sh -c "
							     : "sudo ";
	const char *quote = quoted ? "'" : "";

	ret_package->name_at = strlen(root) + strlen(quote) + strlen(before);
	ret_package->name_bytes = strlen(symbols);
	if (asprintf(&ret_package->command, "%s%s%s%s%s%s", root, quote, before, symbols, behind,
		    quote) >= 0)
		return 0;
	ret_package->command = NULL;
	return -ENOMEM;
}

/*
 * Sets the command that installs the package @symbols. If the archive is not @known to apt, the
 * command also adds the archive's file, and removes that file if a step fails: an archive that
 * cannot be reached would hinder later runs of apt.
 */
static int set_command(const struct package_system *system, const char *symbols, bool known,
	struct code_package *ret_package)
{
	static const char to[] = "/etc/apt/sources.list.d/sprofil-debug.list";
	static const char remove[] = " || rm /etc/apt/sources.list.d/sprofil-debug.list";
	char *before;
	int n, r;

	ret_package->adds =
		!known && (!strcmp(system->id, "debian") || !strcmp(system->id, "ubuntu"));
	if (!ret_package->adds)
		n = asprintf(&before, "apt install ");
	else if (system->id[0] == 'd')
		n = asprintf(&before,
			"echo deb http://deb.debian.org/debian-debug %s-debug main >%s && apt "
			"update && apt install ",
			system->codename, to);
	else
		n = asprintf(&before,
			"apt install ubuntu-dbgsym-keyring && echo deb http://ddebs.ubuntu.com %s "
			"main universe >%s && apt update && apt install ",
			system->codename, to);
	if (n < 0)
		return -ENOMEM;
	r = set_as_root(system, before, symbols, ret_package->adds ? remove : "", ret_package);
	free(before);
	return r;
}

int package_judge(const struct package_system *system, const char *package, const char *symbols,
	const char *policy, struct code_package *ret_package)
{
	struct policy of = read_policy(system, package, policy);
	struct policy of_symbols = read_policy(system, symbols, policy);

	*ret_package = (struct code_package){0};
	if (!of_symbols.candidate && is_foreign(&of)) {
		ret_package->foreign = strdup(package);
		return ret_package->foreign ? 0 : -ENOMEM;
	}
	return set_command(
		system, symbols, of_symbols.candidate || !system->codename[0], ret_package);
}

/* Cuts "libc6:amd64: /lib/x86_64-linux-gnu/libc.so.6" to the package. False: another line. */
static bool take_package(char *line)
{
	size_t bytes = strspn(line, "abcdefghijklmnopqrstuvwxyz0123456789+-.");

	if (!bytes || line[bytes] != ':')
		return false;
	line[bytes] = '\0';
	return true;
}

/*
 * Asks which package has the file @path. dpkg-query knows some files by the name that they had
 * before /lib became a part of /usr, so both names are asked for. Each call reads the whole
 * database, so one call asks for both. Its exit status is ignored: it only says that one
 * of the names is unknown.
 */
static bool ask_dpkg(const char *path, char line[NAME_BYTES])
{
	const char *before = strncmp(path, "/usr/", 5) == 0 ? path + 4 : NULL;
	char *argv[] = {(char *)"dpkg-query", (char *)"-S", (char *)path, (char *)before, NULL};
	bool found = false;
	FILE *out;
	pid_t pid;

	if (libexec_read(argv, -1, true, &out, &pid) < 0)
		return false;
	while (!found && fgets(line, NAME_BYTES, out))
		found = take_package(line);
	/* Reads the rest, so that dpkg-query does not die of a closed pipe. */
	while (fgetc(out) != EOF)
		;
	(void)libexec_end(out, pid);
	return found;
}

/* Puts what apt-cache policy prints about both packages into @text; "": there is no apt. */
static void ask_apt(const char *package, const char *symbols, char text[POLICY_BYTES])
{
	char *argv[] = {(char *)"env", (char *)"LC_ALL=C", (char *)"apt-cache", (char *)"policy",
		(char *)package, (char *)symbols, NULL};
	size_t n = 0;
	FILE *out;
	pid_t pid;

	text[0] = '\0';
	if (libexec_read(argv, -1, true, &out, &pid) < 0)
		return;
	n = fread(text, 1, POLICY_BYTES - 1, out);
	text[n] = '\0';
	while (fgetc(out) != EOF)
		;
	(void)libexec_end(out, pid);
}

/* Takes a value of /etc/os-release, such as "VERSION_CODENAME=bookworm". */
static void take_value(const char *line, const char *key, char *to, size_t room)
{
	size_t bytes = strlen(key);

	if (strncmp(line, key, bytes) != 0)
		return;
	line += bytes + (line[bytes] == '"');
	/*
	 * The text becomes a part of a shell command: it is cut at the first character that a shell
	 * could take for syntax.
	 */
	(void)snprintf(to, room, "%.*s",
		(int)strspn(line, "abcdefghijklmnopqrstuvwxyz0123456789-."), line);
}

static struct package_system read_system(void)
{
	struct package_system system = {0};
	char line[NAME_BYTES];
	FILE *file = fopen("/etc/os-release", "re");

	while (file && fgets(line, sizeof(line), file)) {
		take_value(line, "ID=", system.id, sizeof(system.id));
		take_value(line, "VERSION_CODENAME=", system.codename, sizeof(system.codename));
	}
	if (file)
		(void)fclose(file);
	if (geteuid() != 0)
		system.rights =
			access("/usr/bin/sudo", X_OK) == 0 ? PACKAGE_BY_SUDO : PACKAGE_BY_SU;
	return system;
}

int package_find(const char *path, struct code_package *ret_package)
{
	char package[NAME_BYTES], symbols[NAME_BYTES + 8], policy[POLICY_BYTES];
	struct package_system system;

	*ret_package = (struct code_package){0};
	/* dpkg-query would take these characters for a pattern. */
	if (path[0] != '/' || strpbrk(path, "*?[\\"))
		return 0;
	if (!ask_dpkg(path, package))
		return 0;
	(void)snprintf(symbols, sizeof(symbols), "%s%s", package,
		!strcmp(package, "libc6") ? "-dbg" : "-dbgsym");
	system = read_system();
	ask_apt(package, symbols, policy);
	return package_judge(&system, package, symbols, policy, ret_package);
}
