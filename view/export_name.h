/* SPDX-License-Identifier: MIT */
/* May a recording have that name? */
#ifndef VIEW_EXPORT_NAME_H
#define VIEW_EXPORT_NAME_H

/*
 * -EINVAL: @path ends like a format that a recording cannot have, and @ret_problem is a sentence
 * that says what to do instead, which the caller frees (NULL: out of memory). A name without a
 * suffix, and the usual ones of pprof files (.pprof, .prof, .pb, .gz), are pprof.
 */
int export_check_recording(const char *path, char **ret_problem);

#endif
