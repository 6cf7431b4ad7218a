/* SPDX-License-Identifier: MIT */
/* Where the debug information of a stripped file is: Debian's and gdb's conventions. */
#ifndef SYMBOLIZER_DEBUGFILE_H
#define SYMBOLIZER_DEBUGFILE_H

#include <stddef.h>
#include <stdint.h>

#include "symbolizer/image.h"

struct elffile;
struct symbolizer;

/*
 * The folder in which libdebuginfod keeps what it got: DEBUGINFOD_CACHE_PATH, else
 * XDG_CACHE_HOME/debuginfod_client, else HOME/.cache/debuginfod_client. NULL: none, or no memory.
 * Nothing here talks to a server.
 */
char *debugfile_cache(void);

struct debugfile {
	const char *path; /* interned */
	const char *how;  /* "build-id" or "debuglink" */
	struct image image;
};

/*
 * The debug file of @image, which stands at @path, tried in this order:
 *
 *	DIR/.build-id/xx/yyyy.debug	the build-id, checked against the one in the file
 *	CACHE/xxyyyy/debuginfo		the same, of debugfile_cache()
 *	<directory of path>/LINK	LINK from .gnu_debuglink, checked by its CRC
 *	<directory of path>/.debug/LINK
 *	DIR/<directory of path>/LINK
 *
 * where DIR is each of the debug directories. 0, -ENOENT, or -ENOMEM. @file may be NULL.
 */
int debugfile_find(struct symbolizer *symbolizer, const char *path, const struct image *image,
	struct elffile *file, struct debugfile *ret_debugfile);

/*
 * The supplement (dwz) that .gnu_debugaltlink of the file at @path names. 0, -ENOENT: it names
 * none; -ENXIO: it names one that is not there; -ENOMEM.
 */
int debugfile_find_supplement(struct symbolizer *symbolizer, const char *path, struct elffile *file,
	struct debugfile *ret_debugfile);

#endif
