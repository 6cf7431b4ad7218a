/* SPDX-License-Identifier: MIT */
/* Uses sprofil-inspector to read the files of a profile, and reads source files, for reports. */
#ifndef TOOLS_INSPECTOR_INSPECT_H
#define TOOLS_INSPECTOR_INSPECT_H

#include "tools/inspector/source_files.h"
#include "view/code.h"

struct waiting_line;

struct inspect {
	struct waiting_line *progress; /* NULL: no progress is shown */
	struct source_files sources;
};

/*
 * Returns the functions by which reports read files and their symbols. @inspect must outlive the
 * result.
 */
struct code_reader inspect_reader(struct inspect *inspect);

#endif
