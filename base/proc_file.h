/* SPDX-License-Identifier: MIT */
/* Small files of /proc, and their lines of the form "Name:\tvalue". */
#ifndef BASE_PROC_FILE_H
#define BASE_PROC_FILE_H

#include <stddef.h>
#include <stdint.h>

/*
 * Reads up to @room - 1 bytes of a file, by one pread(2), and appends a NUL. @format makes the
 * path. Returns the number of bytes; or -errno, and *@to is "".
 */
int proc_file_read(char *to, size_t room, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Finds the line that begins with "@name:". Returns its text behind blanks; NULL: no such line. */
const char *proc_file_value(const char *text, const char *name);

/* Returns the number behind "@name:", written in the given base; 0: no such line. */
uint64_t proc_file_number(const char *text, const char *name, int base);

/* Returns the last number behind "@name:": 12 for "NSpid:\t4711\t12". No such line: @otherwise. */
int proc_file_last_number(const char *text, const char *name, int otherwise);

/*
 * Returns a thread of process @pid that lives: if possible, the main thread. Returns @pid if none
 * lives. After the main thread has ended, /proc/@pid no longer shows memory, root folder and
 * descriptors; /proc/TID of a living thread does.
 */
int proc_file_living_thread(int pid);

#endif
