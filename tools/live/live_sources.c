/* SPDX-License-Identifier: MIT */
#include "tools/live/live_sources.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyst/analyst.h"
#include "base/text.h"
#include "opener/opener.h"
#include "profile/profile.h"
#include "tools/inspector/instructions.h"
#include "tools/inspector/source_files.h"

enum { SOURCE_BYTES_MOST = 16 << 20, LOG_BYTES = 64 << 10, AROUND_BYTES = 128 };

static int read_source(void *context, const char *path, char **ret_text, uint64_t *ret_changed_ns)
{
	const struct live_source_context *c = context;
	int fd = analyst_open_file(c->analyst, path), r;
	struct stat st;

	if (fd < 0)
		return fd;
	if (fstat(fd, &st) < 0 || st.st_size > SOURCE_BYTES_MOST)
		r = -EINVAL;
	else
		r = source_files_text(fd, 0, (size_t)st.st_size, ret_text);
	if (r == 0)
		*ret_changed_ns = source_files_changed_ns(&st);
	(void)close(fd);
	return r;
}

/*
 * Reads the last LOG_BYTES of the log. What is earlier in the log may have been freed
 * (output_log_trim()).
 */
static int read_output(void *context, char **ret_text)
{
	const struct live_source_context *c = context;
	struct opened opened;
	off_t from = 0;
	struct stat st;
	int fd, r;

	if (!c->has_log ||
		opener_ask_path(c->analyst->locations.opener, OPENING_LOG, 0, "", &opened) < 0)
		return -ENOENT;
	fd = opened.fd;
	if (fstat(fd, &st) < 0) {
		(void)close(fd);
		return -ENOENT;
	}
	if (st.st_size > LOG_BYTES)
		from = st.st_size - LOG_BYTES;
	r = source_files_text(fd, from, (size_t)(st.st_size - from), ret_text);
	(void)close(fd);
	return r;
}

static int disassemble(void *context, uint32_t location, char **ret_text, char **ret_problem)
{
	const struct live_source_context *c = context;
	const struct profile *profile = c->analyst->profile;
	struct location at = profile_location(profile, location);
	const char *file = profile_mapping(profile, at.mapping).file;
	struct code_location from = analyst_code(c->analyst, location);
	uint64_t end;

	if (file[0] != '/' && file[0] != '[')
		return text_refuse(ret_problem, -ENOENT, "there is no file behind %s", file);
	if (!analyst_function_bounds(c->analyst, location, &from.svma, &end)) {
		from.svma = at.address > AROUND_BYTES ? at.address - AROUND_BYTES : 0;
		end = at.address + AROUND_BYTES;
	}
	return instructions_print(&from, end, file, ret_text, ret_problem);
}

struct live_sources live_sources_make(struct live_source_context *context)
{
	return (struct live_sources){.source = read_source,
		.disassembly = disassemble,
		.output = read_output,
		.context = context};
}
