/* SPDX-License-Identifier: MIT */
#ifndef PROFILE_PPROF_SAMPLE_H
#define PROFILE_PPROF_SAMPLE_H

#include "profile/pprof_reading.h"

/* Call it after mappings, functions and locations have been read. */
reading_take pprof_sample_read;

#endif
