/* SPDX-License-Identifier: MIT */
/*
 * Readers of a pprof file's fields about the whole profile. Call order: value types first, because
 * the types of the period and of the default value are compared with them; the period before its
 * type, which is kept with it; remarks before comments, because a file with remarks has a comment
 * that only repeats them.
 */
#ifndef PROFILE_PPROF_HEAD_H
#define PROFILE_PPROF_HEAD_H

#include "profile/pprof_reading.h"

reading_take pprof_head_value_type;
reading_take pprof_head_period;
reading_take pprof_head_period_type;
reading_take pprof_head_time_nanos;
reading_take pprof_head_duration_nanos;
reading_take pprof_head_default_type;
reading_take pprof_head_drop_frames;
reading_take pprof_head_keep_frames;
reading_take pprof_head_doc_url;
reading_take pprof_head_comment;
/* A remark is a comment in a field that other programs do not show. */
reading_take pprof_head_remark;

#endif
