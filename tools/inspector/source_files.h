/* SPDX-License-Identifier: MIT */
/*
 * Finds source files by their names in debug information. Programs are often built elsewhere:
 * --source-path says where their sources are on this machine.
 */
#ifndef TOOLS_INSPECTOR_SOURCE_FILES_H
#define TOOLS_INSPECTOR_SOURCE_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

enum { SOURCE_PATHS_MOST = 32 };

struct source_files {
	struct source_path {
		/*
		 * from "OLD=NEW": the prefix OLD; NULL, from "DIR": suffixes of names are searched
		 * below @to
		 */
		const char *from;
		size_t from_bytes;
		const char *to; /* the folder NEW that replaces @from, or DIR */
	} path[SOURCE_PATHS_MOST];
	size_t paths;
};

/*
 * Adds "OLD=NEW": the prefix OLD of names is replaced; or "DIR": any suffix of a name is searched
 * below DIR, the longest first. @text is borrowed. 0; -EINVAL: neither of them; -ENOSPC: there are
 * SOURCE_PATHS_MOST already.
 */
int source_files_add(struct source_files *files, const char *text);

/*
 * For code_reader->source: tries the paths in their order, then the name itself. Reads regular
 * files of at most 16 MiB. With @shared, the file must be readable by everybody, or below a folder
 * named by --source-path: a profile received from others may name any file.
 */
int source_files_read(const struct source_files *files, const char *file, bool shared,
	char **ret_text, char **ret_path, uint64_t *ret_changed_ns, char **ret_problem);

/* Returns when the file was last modified, in ns since 1970; a time before 1970 is 0. */
static inline uint64_t source_files_changed_ns(const struct stat *st)
{
	const struct timespec *time = &st->st_mtim;

	return time->tv_sec < 0 ? 0 : (uint64_t)time->tv_sec * 1000000000 + (uint64_t)time->tv_nsec;
}

/*
 * Reads @bytes of a file from @offset on, or up to its end; NULs become blanks. *ret_text ends with
 * a NUL; the caller frees it. -ENOMEM.
 */
int source_files_text(int fd, off_t offset, size_t bytes, char **ret_text);

#endif
