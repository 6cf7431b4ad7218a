/* SPDX-License-Identifier: MIT */
/* Finds source files by their names in debug information, with the help of --source-path. */
#ifndef TOOLS_INSPECTOR_SOURCE_FILES_H
#define TOOLS_INSPECTOR_SOURCE_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

enum { SOURCE_PATHS_MOST = 32 };

struct source_files {
	struct source_path {
		/* OLD, if the option is OLD=NEW; NULL: the option is a folder DIR */
		const char *from;
		size_t from_bytes;
		const char *to; /* the folder NEW that replaces @from, or DIR */
	} path[SOURCE_PATHS_MOST];
	size_t paths;
};

/*
 * "OLD=NEW" replaces the prefix OLD of names; "DIR" searches any suffix of a name below DIR, the
 * longest first. @text is borrowed. 0; -EINVAL: neither form; -ENOSPC: SOURCE_PATHS_MOST are there
 * already.
 */
int source_files_add(struct source_files *files, const char *text);

/*
 * For code_reader->source: tries the paths in their order, then the name itself. Reads regular
 * files of at most 16 MiB. With @shared, only files that everybody may read or that are below a
 * folder of --source-path are read, as a profile received from others may name any file.
 */
int source_files_read(const struct source_files *files, const char *file, bool shared,
	char **ret_text, char **ret_path, uint64_t *ret_changed_ns, char **ret_problem);

/* Returns the time of the file's last change in ns since 1970; 0 for earlier times. */
static inline uint64_t source_files_changed_ns(const struct stat *st)
{
	const struct timespec *time = &st->st_mtim;

	return time->tv_sec < 0 ? 0 : (uint64_t)time->tv_sec * 1000000000 + (uint64_t)time->tv_nsec;
}

/*
 * Reads up to @bytes from @offset on. Replaces each NUL by a blank. 0 or -ENOMEM. The caller frees
 * *@ret_text.
 */
int source_files_text(int fd, off_t offset, size_t bytes, char **ret_text);

#endif
