/* SPDX-License-Identifier: MIT */
#include "supervisor/os/cgroup.h"

#include <stdio.h>
#include <string.h>

#include "base/proc_file.h"

int cgroup_read(int pid, char text[CGROUP_TEXT_BYTES])
{
	int n = proc_file_read(text, CGROUP_TEXT_BYTES, "/proc/%d/cgroup", pid);

	return n < 0 ? n : 0;
}

/*
 * Parses the line "4:memory:/a/b\n" at *@text. Returns its path, "/a/b", and sets *@ret_bytes to
 * the path's length. *@text advances to the next line. NULL: there are no more lines.
 */
static const char *next_path(const char **text, size_t *ret_bytes)
{
	while (**text) {
		const char *line = *text, *end = strchrnul(line, '\n');
		const char *first = memchr(line, ':', (size_t)(end - line));
		const char *second =
			first ? memchr(first + 1, ':', (size_t)(end - first - 1)) : NULL;

		*text = *end ? end + 1 : end;
		if (!second)
			continue;
		*ret_bytes = (size_t)(end - second - 1);
		return second + 1;
	}
	return NULL;
}

/* Is @before, @name and @after, joined, a component of the path? */
static bool has_part(
	const char *path, size_t bytes, const char *before, const char *name, const char *after)
{
	size_t heads = strlen(before), names = strlen(name), tails = strlen(after);
	const char *end = path + bytes;

	while (path < end) {
		const char *slash = memchr(path, '/', (size_t)(end - path));
		size_t part = (size_t)((slash ? slash : end) - path);

		if (part == heads + names + tails && !memcmp(path, before, heads) &&
			!memcmp(path + heads, name, names) &&
			!memcmp(path + heads + names, after, tails))
			return true;
		path += part + 1;
	}
	return false;
}

bool cgroup_is_in(const char *text, const char *name)
{
	static const char mount[] = "/sys/fs/cgroup";
	size_t bytes, wanted;
	const char *path;

	/*
	 * An empty name may come from an unset shell variable. It must not stand for the root
	 * cgroup, because this contains every process.
	 */
	if (!name[0])
		return false;
	if (!strncmp(name, mount, strlen(mount)) &&
		(name[strlen(mount)] == '/' || !name[strlen(mount)]))
		name += strlen(mount);
	wanted = strlen(name);
	while (wanted && name[wanted - 1] == '/')
		wanted--;
	while ((path = next_path(&text, &bytes))) {
		if (name[0] && name[0] != '/') {
			if (has_part(path, bytes, "", name, ""))
				return true;
		} else if (bytes >= wanted && !memcmp(path, name, wanted) &&
			(bytes == wanted || path[wanted] == '/')) {
			return true;
		}
	}
	return false;
}

static bool is_word(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool cgroup_container(const char *text, char ret_id[CGROUP_ID_BYTES])
{
	static const char digits[] = "0123456789abcdef";
	size_t bytes;
	const char *path;

	while ((path = next_path(&text, &bytes))) {
		for (size_t at = 0; at < bytes;) {
			size_t n = 0;

			while (at + n < bytes && is_word(path[at + n]))
				n++;
			if (n == CGROUP_ID_BYTES - 1 && strspn(path + at, digits) >= n) {
				memcpy(ret_id, path + at, n);
				ret_id[n] = '\0';
				return true;
			}
			at += n ? n : 1;
		}
	}
	return false;
}

bool cgroup_is_of_machine(const char *text, const char *name)
{
	static const char *const around[][2] = {
		{"lxc.payload.", ""}, {"machine-", ".scope"}, {"systemd-nspawn@", ".service"}};
	const char *path;
	size_t bytes;

	while ((path = next_path(&text, &bytes))) {
		if (bytes > 5 && !memcmp(path, "/lxc/", 5) &&
			has_part(path + 5, bytes - 5, "", name, ""))
			return true;
		for (size_t i = 0; i < sizeof(around) / sizeof(*around); i++) {
			if (has_part(path, bytes, around[i][0], name, around[i][1]))
				return true;
		}
	}
	return false;
}

/* Does the file @name of the cgroup begin a line with @state? */
static bool says(
	const char *root, const char *path, size_t bytes, const char *name, const char *state)
{
	char text[256], *line;

	(void)proc_file_read(text, sizeof(text), "%s%.*s/%s", root, (int)bytes, path, name);
	line = strstr(text, state);
	return line && (line == text || line[-1] == '\n');
}

bool cgroup_is_frozen(const char *text, const char *root)
{
	static const char freezer[] = ":freezer:", frozen[] = "frozen 1";
	const char *begin = text, *path;
	char mount[64];
	size_t bytes;

	while ((path = next_path(&text, &bytes))) {
		size_t before = (size_t)(path - begin);

		if (before >= 3 && !memcmp(path - 3, "0::", 3)) {
			(void)snprintf(mount, sizeof(mount), "%s/unified", root);
			if (says(root, path, bytes, "cgroup.events", frozen) ||
				says(mount, path, bytes, "cgroup.events", frozen))
				return true;
		} else if (before >= strlen(freezer) &&
			!memcmp(path - strlen(freezer), freezer, strlen(freezer))) {
			(void)snprintf(mount, sizeof(mount), "%s/freezer", root);
			if (says(mount, path, bytes, "freezer.state", "FR"))
				return true;
		}
	}
	return false;
}
