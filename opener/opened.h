/* SPDX-License-Identifier: MIT */
/* Fills in what an answer (struct opened) says of an opened file. */
#ifndef OPENER_OPENED_H
#define OPENER_OPENED_H

#include <sys/stat.h>

#include "proto/opening.h"

void opened_describe(struct opened *opened, const struct stat *st);

/*
 * If @fd is an ELF file, fills in its properties and returns @fd. If not, closes @fd, sets
 * OPENED_NO_ELF and returns -ENOEXEC. A negative @fd, an error, is returned unchanged.
 */
int opened_elf(int fd, const struct stat *st, struct opened *opened);

#endif
