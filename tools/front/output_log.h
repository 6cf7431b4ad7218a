/* SPDX-License-Identifier: MIT */
/*
 * While the terminal is used for something else, a command's output goes to a file, opened for
 * appending. So no process has to read it, nothing can block or break the command, and the command
 * may outlive us. Of a long log only the end is kept, 1 to 2 MiB: its beginning becomes a hole.
 */
#ifndef TOOLS_FRONT_OUTPUT_LOG_H
#define TOOLS_FRONT_OUTPUT_LOG_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

/*
 * Opens @path for appending, or (NULL) a file without a name; the caller closes it. @ret_path: the
 * path by which another process of ours can open it. 0 or -errno; *@ret_problem is a constant
 * sentence with details, or NULL.
 */
int output_log_open(
	const char *path, int *ret_fd, char *ret_path, size_t room, const char **ret_problem);

/* Starts a thread that limits the file's length. 0 or -errno. End it with output_log_trim_end(). */
int output_log_trim(int fd, pthread_t *ret_thread, int *ret_stop_fd);
void output_log_trim_end(pthread_t thread, int stop_fd);

/*
 * Returns which part of the log is kept: from *@ret_from, where a line begins, to *@ret_end. The
 * *@ret_from bytes before it were dropped. Trimming must have ended.
 */
void output_log_kept(int fd, off_t *ret_from, off_t *ret_end);
/* Does the log contain a zero byte from @from to @end? */
bool output_log_is_binary(int fd, off_t from, off_t end);
/*
 * Prints the log from @from to @end, with a final newline. On a terminal colours are kept, and
 * other control characters become question marks (output_text.h).
 */
void output_log_print(int fd, off_t from, off_t end, FILE *out);

#endif
