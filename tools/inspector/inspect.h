/* SPDX-License-Identifier: MIT */
/*
 * Reads files for reports: the programs and libraries of a profile, through sprofil-inspector, and
 * source files.
 */
#ifndef TOOLS_INSPECTOR_INSPECT_H
#define TOOLS_INSPECTOR_INSPECT_H

#include "tools/inspector/source_files.h"
#include "view/code.h"

struct waiting_line;

struct inspect {
	struct waiting_line *progress; /* NULL: progress is not shown */
	struct source_files sources;
};

/* The functions by which reports read files and symbols. @inspect must outlive the result. */
struct code_reader inspect_reader(struct inspect *inspect);

#endif
