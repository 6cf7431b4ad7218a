/* SPDX-License-Identifier: MIT */
#ifndef VIEW_EXPORT_EXPORT_NAME_H
#define VIEW_EXPORT_EXPORT_NAME_H

/*
 * Can a recording be written to @path? 0; -EINVAL: the suffix suggests another format.
 * *@ret_problem is then a sentence with the remedy, which the caller frees (NULL: out of memory).
 * No suffix, and pprof's usual ones (.pprof, .prof, .pb, .gz), mean pprof.
 */
int export_check_recording(const char *path, char **ret_problem);

#endif
