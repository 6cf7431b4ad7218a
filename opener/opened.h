/* SPDX-License-Identifier: MIT */
/* Fills in what an answer (struct opened) says of an opened file. */
#ifndef OPENER_OPENED_H
#define OPENER_OPENED_H

#include <sys/stat.h>

#include "proto/opening.h"

/* Copies the properties of a file from @st to @opened. */
void opened_describe(struct opened *opened, const struct stat *st);

/*
 * Fills in the properties of the file at @fd and returns @fd. A file that is not ELF: closes @fd,
 * sets OPENED_NO_ELF and returns -ENOEXEC. A negative @fd, an error, is returned unchanged.
 */
int opened_elf(int fd, const struct stat *st, struct opened *opened);

#endif
