/* SPDX-License-Identifier: MIT */
#include "tools/inspector/source_files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "opener/regular.h"

enum { SOURCE_BYTES_MOST = 16 << 20 };

int source_files_add(struct source_files *files, const char *text)
{
	const char *equals = strchr(text, '=');
	struct source_path *path = &files->path[files->paths];

	if (files->paths == SOURCE_PATHS_MOST)
		return -ENOSPC;
	if (!*text || equals == text || (equals && !equals[1]))
		return -EINVAL;
	*path = (struct source_path){.to = equals ? equals + 1 : text};
	if (equals) {
		path->from = text;
		path->from_bytes = (size_t)(equals - text);
	}
	files->paths++;
	return 0;
}

/* Opens @tail below @folder. Returns a descriptor or -errno. *@ret_path: its path, to be freed. */
static int open_one(const char *folder, const char *tail, struct stat *ret_st, char **ret_path)
{
	bool joined = folder[0] && tail[0] && tail[0] != '/' && folder[strlen(folder) - 1] != '/';
	char *path;
	int fd;

	if (asprintf(&path, "%s%s%s", folder, joined ? "/" : "", tail) < 0)
		return -ENOMEM;
	fd = regular_open(-1, path, REGULAR_LINKS, ret_st);
	if (fd < 0)
		free(path);
	else
		*ret_path = path;
	return fd;
}

static bool begins_with(const char *file, const struct source_path *path)
{
	if (strncmp(file, path->from, path->from_bytes) != 0)
		return false;
	return path->from[path->from_bytes - 1] == '/' || file[path->from_bytes] == '/' ||
		!file[path->from_bytes];
}

/*
 * Searches the file /build/app/src/a.c below the folder DIR, longest tail first:
 * DIR/build/app/src/a.c, DIR/app/src/a.c, DIR/src/a.c, DIR/a.c.
 */
static int open_tail(const char *folder, const char *file, struct stat *ret_st, char **ret_path)
{
	int fd = -ENOENT;

	for (const char *tail = file; tail && fd < 0 && fd != -ENOMEM; tail = strchr(tail, '/')) {
		tail += strspn(tail, "/");
		/* A name must not lead out of the folder. */
		if (!strncmp(tail, "../", 3) || strstr(tail, "/../"))
			continue;
		fd = open_one(folder, tail, ret_st, ret_path);
	}
	return fd;
}

static int open_source(const struct source_files *files, const char *file, bool *ret_named,
	struct stat *ret_st, char **ret_path)
{
	int fd = -ENOENT;

	*ret_named = true;
	for (size_t i = 0; i < files->paths && fd < 0 && fd != -ENOMEM; i++) {
		const struct source_path *path = &files->path[i];

		if (!path->from)
			fd = open_tail(path->to, file, ret_st, ret_path);
		else if (begins_with(file, path))
			fd = open_one(path->to, file + path->from_bytes, ret_st, ret_path);
	}
	if (fd >= 0 || fd == -ENOMEM)
		return fd;
	*ret_named = false;
	return open_one("", file, ret_st, ret_path);
}

int source_files_text(int fd, off_t offset, size_t bytes, char **ret_text)
{
	char *text = malloc(bytes + 1);
	size_t n = 0;
	ssize_t got = 1;

	if (!text)
		return -ENOMEM;
	while (n < bytes && got > 0) {
		got = pread(fd, text + n, bytes - n, offset + (off_t)n);
		n += got > 0 ? (size_t)got : 0;
	}
	for (size_t i = 0; i < n; i++)
		text[i] = text[i] ? text[i] : ' ';
	text[n] = '\0';
	*ret_text = text;
	return 0;
}

int source_files_read(const struct source_files *files, const char *file, bool shared,
	char **ret_text, char **ret_path, uint64_t *ret_changed_ns, char **ret_problem)
{
	char *path = NULL;
	struct stat st;
	bool named;
	int r, fd = open_source(files, file, &named, &st, &path);

	if (fd == -ENOMEM)
		return fd;
	if (fd < 0)
		return text_refuse(ret_problem, -ENOENT,
			"%s is not here: say where its folder is, --source-path OLD=NEW", file);
	if (shared && !named && !regular_is_public(fd))
		r = text_refuse(ret_problem, -ENOENT,
			"%s is not for everybody to read, or in a folder that is not: name its "
			"folder, --source-path DIR, if it is to be part of the file",
			path);
	else if (st.st_size > SOURCE_BYTES_MOST)
		r = text_refuse(ret_problem, -ENOENT, "%s is larger than 16 MiB", path);
	else
		r = source_files_text(fd, 0, (size_t)st.st_size, ret_text);
	(void)close(fd);
	if (r < 0) {
		free(path);
		return r;
	}
	*ret_path = path;
	*ret_changed_ns = source_files_changed_ns(&st);
	return 0;
}
