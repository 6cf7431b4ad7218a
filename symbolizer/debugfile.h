/* SPDX-License-Identifier: MIT */
/* Finds the debug information of a stripped file, by the conventions of Debian and gdb. */
#ifndef SYMBOLIZER_DEBUGFILE_H
#define SYMBOLIZER_DEBUGFILE_H

#include "symbolizer/elfimage.h"

struct elffile;
struct symbolizer;

/*
 * Returns the path of libdebuginfod's cache folder: DEBUGINFOD_CACHE_PATH, or
 * XDG_CACHE_HOME/debuginfod_client, or HOME/.cache/debuginfod_client. The caller frees the path.
 * NULL: there is no such folder, or out of memory.
 */
char *debugfile_cache(void);

struct debugfile {
	const char *path; /* interned */
	const char *how;  /* "build-id" or "debuglink" */
	struct elfimage image;
};

/*
 * Finds the debug file of @image, the file at @path, in this order:
 *
 *	DIR/.build-id/xx/yyyy.debug	the debug file must have the build-id of @image
 *	CACHE/xxyyyy/debuginfo		the same; CACHE is debugfile_cache()
 *	<directory of path>/LINK	LINK and the debug file's CRC are in .gnu_debuglink
 *	<directory of path>/.debug/LINK
 *	DIR/<directory of path>/LINK
 *
 * DIR is each of the debug directories. @file has the sections of @image; if it is NULL, no LINK is
 * tried. -ENOENT: there is no debug file; -ENOMEM.
 */
int debugfile_find(struct symbolizer *symbolizer, const char *path, const struct elfimage *image,
	struct elffile *file, struct debugfile *ret_debugfile);

/*
 * Finds the supplement (dwz) named by .gnu_debugaltlink of @file at @path. -ENOENT: no such
 * section; -ENXIO: the supplement is missing; -ENOMEM.
 */
int debugfile_find_supplement(struct symbolizer *symbolizer, const char *path, struct elffile *file,
	struct debugfile *ret_debugfile);

#endif
