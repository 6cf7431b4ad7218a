/* SPDX-License-Identifier: MIT */
/* sprofil_with(): converts the options to flags of the request. */
#include <errno.h>

#include "client/client.h"
#include "client/include/sprofil/options.h"

#define KNOWN (SPROFIL_USER_ONLY | SPROFIL_THREAD | SPROFIL_WALL)

static int read_options(const struct sprofil_options *from, struct sprofil_options *to)
{
	struct client_pipe pipe;
	int r = client_pipe_open(&pipe);

	if (r < 0)
		return r;
	r = client_copy_in(&pipe, to, from, sizeof(*to));
	client_pipe_close(&pipe);
	return r;
}

static int64_t flags_of(const struct sprofil_options *options)
{
	uint64_t tick = options->tick_ns / CALL_TICK_UNIT_NS;
	uint32_t flags = 0;

	if (options->size != sizeof(*options) || options->zero || options->flags & ~(uint32_t)KNOWN)
		return -EINVAL;
	if (options->tick_ns &&
		(options->tick_ns % CALL_TICK_UNIT_NS || tick < CALL_TICK_LEAST ||
			tick > CALL_TICK_MOST))
		return -EINVAL;
	if (options->flags & SPROFIL_USER_ONLY)
		flags |= CALL_USER;
	if (options->flags & SPROFIL_THREAD)
		flags |= CALL_THREAD;
	if (options->flags & SPROFIL_WALL)
		flags |= CALL_WALL;
	return flags | (uint32_t)tick << CALL_TICK_SHIFT;
}

CLIENT_PUBLIC int sprofil_with(struct prof *profp, int profcnt, struct timeval *tvp, unsigned flags,
	const struct sprofil_options *given)
{
	struct sprofil_options options;
	int r = read_options(given, &options);
	int64_t more = r < 0 ? r : flags_of(&options);

	if (more < 0)
		return client_result((int)more);
	return client_result(dialects_native(profp, profcnt, tvp, flags, (uint32_t)more));
}
