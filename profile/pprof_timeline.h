/* SPDX-License-Identifier: MIT */
/*
 * The time line in a pprof file: a field of the top level for each piece, which other programs
 * skip. Its bytes:
 *
 *   offset  size    field
 *        0     1    PPROF_TIMELINE_VERSION
 *        1  varint  number of samples of the file; if the file has another number, a program has
 *                  changed its samples, and the pieces are ignored
 *        -     -    a piece (timeline_code.h); its stacks are the file's samples, from 0
 */
#ifndef PROFILE_PPROF_TIMELINE_H
#define PROFILE_PPROF_TIMELINE_H

#include "profile/pprof_reading.h"

enum { PPROF_TIMELINE_FIELD = 7001, PPROF_TIMELINE_VERSION = 1 };

struct gzip_writer;

/* Appends all pieces. The file must have its samples in the order of the model. 0 or -ENOMEM. */
int pprof_timeline_write(const struct profile *profile, struct gzip_writer *gzip);

/* Call it after the samples have been read. */
reading_take pprof_timeline_read;

#endif
