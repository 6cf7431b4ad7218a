/* SPDX-License-Identifier: MIT */
/*
 * Files that are not this machine's: code that is linked with this (--wrap, see meson.build) finds
 * /proc and /var/lib/docker as folders below made_up_root. /proc/self stays the real one.
 */
#ifndef TESTS_MADE_UP_H
#define TESTS_MADE_UP_H

extern const char *made_up_root; /* NULL: all files are the machine's */

/* Makes the folders of the path, and the file with this text. */
void made_up_file(const char *path, const char *format, ...) __attribute__((format(printf, 2, 3)));
void made_up_link(const char *path, const char *to);
void made_up_remove(void);

#endif
