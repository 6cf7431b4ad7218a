/* SPDX-License-Identifier: MIT */
/*
 * --rotate SIZE: how long would the file be by now? A child process writes a copy of the profile to
 * nowhere, at most a few times a file: the next one when what is in the profile lets expect it.
 */
#ifndef TOOLS_FILE_SIZE_H
#define TOOLS_FILE_SIZE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct profile;

struct file_size {
	uint64_t most_bytes; /* 0: nobody wants to know */
	uint64_t tried, again; /* how much was in it at the last try; how much for the next one */
	uint64_t *found_bytes; /* shared with the child */
	pid_t child;           /* 0 none */
};

/* -ENOMEM. Lasts as long as the process. */
int file_size_begin(struct file_size *size, uint64_t most_bytes);
/* To be called each second or so. True, once: the file is as long as it may be, or nearly. */
bool file_size_is_reached(struct file_size *size, const struct profile *profile);

#endif
