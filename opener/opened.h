/* SPDX-License-Identifier: MIT */
/* What the answer says of an opened file. */
#ifndef OPENER_OPENED_H
#define OPENER_OPENED_H

#include <sys/stat.h>

#include "proto/opening.h"

/* Fills in the properties of a file. */
void opened_describe(struct opened *opened, const struct stat *st);

/*
 * Fills in the properties of the file at @fd; refuses a file that is not ELF, and closes @fd.
 * Passes on a negative @fd, which is an error.
 */
int opened_elf(int fd, const struct stat *st, struct opened *opened);

#endif
