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
	/* size of the profile at the last try, and at which the next one is due */
	uint64_t tried, again;
	uint64_t *found_bytes; /* the child's result, in shared memory */
	pid_t child;           /* pid of the child that tries; 0: none */
};

/* -ENOMEM. Lasts as long as the process. */
int file_size_begin(struct file_size *size, uint64_t most_bytes);
/* Call about once a second. True, once: the file has reached its maximum length, or nearly. */
bool file_size_is_reached(struct file_size *size, const struct profile *profile);

#endif
