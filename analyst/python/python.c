/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyst/base/locations.h"
#include "analyst/python/python_internal.h"
#include "profile/profile.h"
#include "symbolizer/exported.h"

#define OBJECT "[python]"

static void python_free(void *state)
{
	struct python *python = state;

	if (!python)
		return;
	python_free_codes(python);
	free(python);
}

/*
 * Versions before 3.11 do not export their version: takes it from the file's name, such as
 * "libpython3.10.so.1.0". 0: unknown.
 */
static uint16_t version_of_name(const char *path)
{
	const char *name = strrchr(path, '/');
	unsigned minor;

	name = strstr(name ? name : path, "python3.");
	if (!name || sscanf(name, "python3.%2u", &minor) != 1)
		return 0;
	return (uint16_t)(0x0300 + minor);
}

/* Finds the layout by the version, or in the file itself. -ENOTSUP: the version is unknown. */
static int find_layout(
	const struct space *space, const struct exported *runtime, struct python_layout *ret_layout)
{
	uint8_t offsets[512];
	struct exported number;
	uint64_t hex = 0;
	uint16_t version = 0;
	size_t cursor = 0;

	while (exported_search(space, "Py_Version", &cursor, &number))
		if (number.module == runtime->module &&
			exported_read(number.module, number.svma, &hex, sizeof(hex)))
			version = (uint16_t)(hex >> 16);
	if (!version)
		version = version_of_name(exported_path(runtime->module));
	if (python_layout_find(version, ret_layout) ||
		(exported_read(runtime->module, runtime->svma, offsets, sizeof(offsets)) &&
			python_layout_describe(offsets, sizeof(offsets), version, ret_layout) == 0))
		return 0;
	return -ENOTSUP;
}

static int detect(struct locations *locations, const struct space *space,
	struct runtime_table *ret_table, void **ret_state)
{
	struct python_layout layout;
	struct exported runtime;
	struct python *python;
	size_t cursor = 0;
	int r;

	if (!exported_search(space, "_PyRuntime", &cursor, &runtime))
		return 0;
	r = find_layout(space, &runtime, &layout);
	if (r < 0) {
		*ret_state = (void *)"its version of CPython is not among those that are known "
				     "(3.8 to 3.14): its stacks are native ones";
		return r;
	}
	python = calloc(1, sizeof(*python));
	if (!python)
		return -ENOMEM;
	*python = (struct python){.layout = layout, .list = locations, .module = runtime.module};
	python->mapping = profile_add_mapping(
		locations->profile, &(struct mapping){.file = OBJECT, .build_id = ""});
	if (python->mapping < 0) {
		python_free(python);
		return -ENOMEM;
	}
	if (layout.gil) {
		python->gil = runtime.svma + runtime.bias + layout.gil;
		python->gil_bytes = layout.gil_bytes;
	}
	python_layout_table(&layout, runtime.svma + runtime.bias, ret_table);
	ret_table->id = layout.version;
	*ret_state = python;
	return 1;
}

static bool is_own(const void *state, const struct unwind_frame *frame)
{
	const struct python *python = state;

	return frame->location.module == python->module;
}

const struct runtime python_runtime = {
	.name = "python",
	.detect = detect,
	.object = python_take_object,
	.merge = python_merge,
	.is_own = is_own,
	.free = python_free,
};
