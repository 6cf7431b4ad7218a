/* SPDX-License-Identifier: MIT */
/* Checks the file name of a recording. */
#ifndef VIEW_EXPORT_EXPORT_NAME_H
#define VIEW_EXPORT_EXPORT_NAME_H

/*
 * -EINVAL: the suffix of @path is that of a format that a recording cannot have; @ret_problem is a
 * sentence with the remedy, freed by the caller (NULL: out of memory). Names without a suffix, and
 * the usual ones of pprof files (.pprof, .prof, .pb, .gz), mean pprof.
 */
int export_check_recording(const char *path, char **ret_problem);

#endif
