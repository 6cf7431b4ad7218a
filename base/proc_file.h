/* SPDX-License-Identifier: MIT */
/* Small files of /proc, and their lines of the form "Name:\tvalue". */
#ifndef BASE_PROC_FILE_H
#define BASE_PROC_FILE_H

#include <stddef.h>
#include <stdint.h>

/*
 * Reads up to @room - 1 bytes of the file whose path @format makes, by one pread(2), and appends a
 * NUL. Returns the number of bytes; or -errno, and the text is empty.
 */
int proc_file_read(char *to, size_t room, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Returns what follows "@name:" and blanks at the beginning of a line; NULL: no such line. */
const char *proc_file_value(const char *text, const char *name);

/* Returns the number behind "@name:", written in the given base; 0: no such line. */
uint64_t proc_file_number(const char *text, const char *name, int base);

/* Returns the last number behind "@name:": 12 for "NSpid:\t4711\t12". No such line: @otherwise. */
int proc_file_last_number(const char *text, const char *name, int otherwise);

/*
 * Returns a living thread of process @pid, if possible its first one; @pid if no thread lives. Once
 * the first thread has ended, only /proc/TID of another one shows memory, root folder and
 * descriptors.
 */
int proc_file_living_thread(int pid);

#endif
