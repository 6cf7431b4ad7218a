/* SPDX-License-Identifier: MIT */
/* Conventions for data without a field in pprof: names of labels, prefixes of comments. */
#ifndef PROFILE_PPROF_LABELS_H
#define PROFILE_PPROF_LABELS_H

#define PPROF_LABEL_PID     "pid"
#define PPROF_LABEL_TID     "tid"
#define PPROF_LABEL_PROCESS "process"
#define PPROF_LABEL_THREAD  "thread"

#define PPROF_COMMENT_AUDIT   "sprofil: "         /* "key value" follows */
#define PPROF_COMMENT_NOTE    "sprofil note: "    /* text follows */
#define PPROF_COMMENT_COMMAND "sprofil command: " /* the command line follows */
/* Begins a line for people who read the file with other programs. */
#define PPROF_COMMENT_SUMMARY "sprofil audit: "

#endif
