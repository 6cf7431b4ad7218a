/* SPDX-License-Identifier: MIT */
/*
 * What a command writes while its terminal is in use for something else: a file that it appends to.
 * So nobody has to read along, nothing can block or break the command, and it may outlive us. Of a
 * long log only the end is kept: its beginning is given back to the system as a hole.
 */
#ifndef TOOLS_OUTPUT_LOG_H
#define TOOLS_OUTPUT_LOG_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

/*
 * Opens @path for appending, or (NULL) a file without a name. @ret_path is by what another process
 * of ours can open it. -errno, and *@ret_problem is a sentence that says more, or NULL.
 */
int output_log_open(
	const char *path, int *ret_fd, char *ret_path, size_t room, const char **ret_problem);

/* Begins to keep it short; -errno. Ended by output_log_trim_end(). */
int output_log_trim(int fd, pthread_t *ret_thread, int *ret_stop_fd);
void output_log_trim_end(pthread_t thread, int stop_fd);

/*
 * Where what is kept of the log begins, at the beginning of a line: so many bytes were dropped; and
 * where it ends. Nothing may trim it any more.
 */
void output_log_kept(int fd, off_t *ret_from, off_t *ret_end);
/* Are there zero bytes, as in what is no text? */
bool output_log_is_binary(int fd, off_t from, off_t end);
/*
 * What is between them, and a line end if it has none. On a terminal colours are kept, and what
 * else would control it becomes question marks (output_text.h).
 */
void output_log_print(int fd, off_t from, off_t end, FILE *out);

#endif
