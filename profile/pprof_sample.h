/* SPDX-License-Identifier: MIT */
/* The samples of a pprof file. */
#ifndef PROFILE_PPROF_SAMPLE_H
#define PROFILE_PPROF_SAMPLE_H

#include "profile/pprof_reading.h"

/* Reads a sample. Call it after mappings, functions and locations have been read. */
reading_take pprof_sample_read;

#endif
