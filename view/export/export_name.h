/* SPDX-License-Identifier: MIT */
#ifndef VIEW_EXPORT_EXPORT_NAME_H
#define VIEW_EXPORT_EXPORT_NAME_H

/*
 * Can a recording be written to @path? A name without a suffix, and the usual suffixes of pprof
 * (.pprof, .prof, .pb, .gz), mean pprof. 0; -EINVAL: the suffix means a format that sprofrun does
 * not write; *@ret_problem, which the caller frees, is then a sentence with the remedy. -ENOMEM:
 * *@ret_problem is NULL.
 */
int export_check_recording(const char *path, char **ret_problem);

#endif
