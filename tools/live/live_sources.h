/* SPDX-License-Identifier: MIT */
/* Text for the live view from outside the profile: source files, instructions, command output. */
#ifndef TOOLS_LIVE_LIVE_SOURCES_H
#define TOOLS_LIVE_LIVE_SOURCES_H

#include "view/live/live.h"

struct analyst;

struct live_source_context {
	struct analyst *analyst;
	bool has_log; /* the command's output is kept */
};

/* @context must outlive the result. */
struct live_sources live_sources_make(struct live_source_context *context);

#endif
