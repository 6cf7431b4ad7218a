/* SPDX-License-Identifier: MIT */
/*
 * Shows made-up files to the code under test. In a program linked with --wrap (meson.build), /proc
 * and /var/lib/docker are folders below made_up_root. /proc/self stays the real one.
 */
#ifndef TESTS_MADE_UP_H
#define TESTS_MADE_UP_H

extern const char *made_up_root; /* NULL: all files are the machine's */

/* Writes the text to the file, and makes its folders. */
void made_up_file(const char *path, const char *format, ...) __attribute__((format(printf, 2, 3)));
void made_up_link(const char *path, const char *to);
void made_up_remove(void);

#endif
