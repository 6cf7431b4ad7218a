/* SPDX-License-Identifier: MIT */
/* Implements struct runtime for Java's HotSpot. */
#include <errno.h>
#include <stdlib.h>

#include "analyst/base/locations.h"
#include "analyst/base/peek.h"
#include "analyst/base/runtime.h"
#include "analyst/hotspot/hotspot_internal.h"
#include "profile/profile.h"
#include "symbolizer/exported.h"

#define OBJECT "[java]"
/* If the library's tables are not filled in yet, they are read again only after this time. */
#define LAYOUT_NS 20000000

static void hotspot_free(void *state)
{
	struct hotspot *hotspot = state;

	if (!hotspot)
		return;
	hotspot_blobs_forget(hotspot);
	hotspot_methods_release(hotspot);
	free(hotspot->blob);
	free(hotspot->inner);
	free(hotspot);
}

static int detect(struct locations *locations, const struct space *space,
	struct runtime_table *ret_table, void **ret_state)
{
	struct exported structs, types;
	struct hotspot *hotspot;
	size_t cursor = 0, types_cursor = 0;

	if (!exported_search(space, "gHotSpotVMStructs", &cursor, &structs) ||
		!exported_search(space, "gHotSpotVMTypes", &types_cursor, &types) ||
		types.module != structs.module)
		return 0;
	hotspot = calloc(1, sizeof(*hotspot));
	if (!hotspot)
		return -ENOMEM;
	*hotspot = (struct hotspot){.tables = {.module = structs.module,
					    .bias = structs.bias,
					    .structs_at = structs.svma + structs.bias,
					    .types_at = types.svma + types.bias},
		.list = locations,
		.mapping = profile_add_mapping(
			locations->profile, &(struct mapping){.file = OBJECT, .build_id = ""})};
	if (hotspot->mapping < 0) {
		free(hotspot);
		return -ENOMEM;
	}
	*ret_table = (struct runtime_table){0};
	*ret_state = hotspot;
	return 1;
}

static int read_layout(struct hotspot *hotspot)
{
	int r;

	if (hotspot->tables.known || hotspot->tables.problem)
		return hotspot->tables.known;
	if (hotspot->layout_ns && hotspot->now_ns < hotspot->layout_ns + LAYOUT_NS)
		return 0;
	r = hotspot_layout_read(&hotspot->tables, hotspot->peek, hotspot->now_ns);
	/* After -EAGAIN the next step tries again at once, as the memory arrives soon. */
	if (r == 0)
		hotspot->layout_ns = hotspot->now_ns;
	return r;
}

static int step(void *state, struct peek *peek, uint64_t now_ns,
	const struct unwind_runtime_frame *frame, struct unwind_runtime_caller *ret_caller)
{
	struct hotspot *hotspot = state;
	int r;

	hotspot->peek = peek;
	hotspot->now_ns = now_ns;
	r = read_layout(hotspot);
	if (r > 0)
		r = hotspot_step_frame(hotspot, frame, ret_caller);
	if (r == -EAGAIN || (r == 0 && hotspot_is_code(hotspot, frame->pc)))
		return 1;
	return r;
}

static const char *problem(const void *state)
{
	const struct hotspot *hotspot = state;

	return hotspot->tables.problem;
}

const struct runtime hotspot_runtime = {
	.name = "java",
	.detect = detect,
	.step = step,
	.problem = problem,
	.free = hotspot_free,
};
