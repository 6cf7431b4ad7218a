/* SPDX-License-Identifier: MIT */
/*
 * While the terminal is used for something else, a command's output is appended to a file: no
 * process has to read it, nothing blocks or breaks the command, and the command may outlive us.
 * Only the last 1 to 2 MiB of a long log are kept; a hole replaces the beginning.
 */
#ifndef TOOLS_FRONT_OUTPUT_LOG_H
#define TOOLS_FRONT_OUTPUT_LOG_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

/*
 * Opens @path, or (NULL) a file without a name, for appending; the caller closes it. @ret_path: a
 * path for our other processes. 0 or -errno; *@ret_problem: a constant sentence, or NULL.
 */
int output_log_open(
	const char *path, int *ret_fd, char *ret_path, size_t room, const char **ret_problem);

/* Starts a thread that limits the log's length. 0 or -errno. End it with output_log_trim_end(). */
int output_log_trim(int fd, pthread_t *ret_thread, int *ret_stop_fd);
void output_log_trim_end(pthread_t thread, int stop_fd);

/*
 * Finds the kept part of the log. It reaches from *@ret_from, where a line begins, to *@ret_end,
 * the end of the log; both are offsets in bytes. Must not be called while the trimming thread runs.
 */
void output_log_kept(int fd, off_t *ret_from, off_t *ret_end);
bool output_log_is_binary(int fd, off_t from, off_t end);
/*
 * Prints the bytes from @from to @end, and a newline if the last byte is none. If @out is a
 * terminal, the text is filtered (base/output_text.h).
 */
void output_log_print(int fd, off_t from, off_t end, FILE *out);

#endif
