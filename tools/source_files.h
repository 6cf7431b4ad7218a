/* SPDX-License-Identifier: MIT */
/*
 * Source files, by the names that debug information has for them. Programs are often built
 * elsewhere: --source-path says where their sources are here.
 */
#ifndef TOOLS_SOURCE_FILES_H
#define TOOLS_SOURCE_FILES_H

#include <stdbool.h>
#include <stddef.h>

enum { SOURCE_PATHS_MOST = 32 };

struct source_files {
	struct source_path {
		const char
			*from; /* what names begin with; NULL: any name, of which a tail is there */
		size_t from_bytes;
		const char *to; /* what stands there instead: a folder */
	} path[SOURCE_PATHS_MOST];
	size_t paths;
};

/*
 * Adds "OLD=NEW", or "DIR": beneath it any tail of a name is looked for, the longest first. @text
 * is borrowed. -EINVAL: neither; -ENOSPC: there are SOURCE_PATHS_MOST of them.
 */
int source_files_add(struct source_files *files, const char *text);

/*
 * As code_reader->source: through the paths in their order, then as it is called. Regular files of
 * at most 16 MiB. What is @shared must be readable for everybody, or beneath a folder that
 * --source-path names: a profile that others sent may name any file.
 */
int source_files_read(const struct source_files *files, const char *file, bool shared,
	char **ret_text, char **ret_path, char **ret_problem);

#endif
