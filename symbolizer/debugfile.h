/* SPDX-License-Identifier: MIT */
/* Finds the debug information of a stripped file, by the conventions of Debian and gdb. */
#ifndef SYMBOLIZER_DEBUGFILE_H
#define SYMBOLIZER_DEBUGFILE_H

#include "symbolizer/elfimage.h"

struct elffile;
struct symbolizer;

/*
 * The cache folder of libdebuginfod: DEBUGINFOD_CACHE_PATH, otherwise
 * XDG_CACHE_HOME/debuginfod_client, otherwise HOME/.cache/debuginfod_client. NULL: none, or out of
 * memory. Nothing here talks to a server.
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
 *	DIR/.build-id/xx/yyyy.debug	the build-id, checked against the one in the file
 *	CACHE/xxyyyy/debuginfo		the same; CACHE is debugfile_cache()
 *	<directory of path>/LINK	LINK from .gnu_debuglink, checked by its CRC
 *	<directory of path>/.debug/LINK
 *	DIR/<directory of path>/LINK
 *
 * where DIR is each of the debug directories. @file: the sections of @image; NULL: no LINK is
 * searched for. 0, -ENOENT, or -ENOMEM.
 */
int debugfile_find(struct symbolizer *symbolizer, const char *path, const struct elfimage *image,
	struct elffile *file, struct debugfile *ret_debugfile);

/*
 * Finds the supplement (dwz) named by .gnu_debugaltlink of the file at @path. 0; -ENOENT: it names
 * none; -ENXIO: the named file is missing; -ENOMEM.
 */
int debugfile_find_supplement(struct symbolizer *symbolizer, const char *path, struct elffile *file,
	struct debugfile *ret_debugfile);

#endif
