/* SPDX-License-Identifier: MIT */
/*
 * The input is a name, a NUL, and a text: a /proc/PID/cgroup, the arguments of a conmon, and
 * docker's file about a container.
 */
#include <stdlib.h>
#include <string.h>

#include "supervisor/os/cgroup.h"
#include "tests/fuzz/fuzz.h"
#include "tools/front/containers.h"

enum { IS_IN, OF_MACHINE, CONTAINER, MONITOR, NAMED, PARTS };
const unsigned fuzz_parts = PARTS;

static void check(unsigned part, bool found, bool sound)
{
	if (found && !sound)
		abort();
	if (found)
		fuzz_accept(part);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *end = size ? memchr(data, 0, size) : NULL;
	size_t bytes = end ? size - (size_t)(end + 1 - data) : 0;
	char id[CGROUP_ID_BYTES], *words, *text;
	bool found;

	if (!end)
		return 0;
	/* Exact copies: the sanitizer sees a read one byte too far. */
	words = malloc(bytes ? bytes : 1);
	text = malloc(bytes + 1);
	if (words && text) {
		memcpy(words, end + 1, bytes);
		memcpy(text, end + 1, bytes);
		text[bytes] = '\0';
		(void)cgroup_is_frozen(text, "/nonexistent");
		check(IS_IN, cgroup_is_in(text, (const char *)data), true);
		check(OF_MACHINE, cgroup_is_of_machine(text, (const char *)data), true);
		found = cgroup_container(text, id);
		check(CONTAINER, found, found && strlen(id) == CGROUP_ID_BYTES - 1);
		found = containers_read_monitor(words, bytes, (const char *)data, id);
		check(MONITOR, found, found && containers_is_id(id));
		check(NAMED, containers_is_named(text, (const char *)data), true);
	}
	free(words);
	free(text);
	return 0;
}
