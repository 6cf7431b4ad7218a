/* SPDX-License-Identifier: MIT */
/*
 * --rotate SIZE: estimates the present length of the file. A child process writes a copy of the
 * profile to nowhere, a few times per file at most: whenever the growth of the profile makes it
 * worthwhile.
 */
#ifndef TOOLS_ANALYST_FILE_SIZE_H
#define TOOLS_ANALYST_FILE_SIZE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct profile;

struct file_size {
	uint64_t most_bytes; /* 0: not needed */
	uint64_t tried, again; /* size of the profile at the last try, and for the next one */
	uint64_t *found_bytes; /* shared with the child */
	pid_t child;           /* 0: none */
};

/* -ENOMEM. Lasts as long as the process. */
int file_size_begin(struct file_size *size, uint64_t most_bytes);
/* Call about once a second. True, once: the file has reached its maximum length, or nearly. */
bool file_size_is_reached(struct file_size *size, const struct profile *profile);

#endif
