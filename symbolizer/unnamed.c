/* SPDX-License-Identifier: MIT */
#include "symbolizer/unnamed.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/pool.h"
#include "symbolizer/module.h"
#include "symbolizer/unwind_table.h"

/* Shortens names of Python's modules: "_json.cpython-311-x86_64-linux-gnu.so" to "_json.so". */
static size_t length_without_tag(const char *base, size_t bytes, const char **ret_end)
{
	const char *tag = strstr(base, ".cpython-");

	*ret_end = tag ? ".so" : "";
	return tag ? (size_t)(tag - base) : bytes;
}

int unnamed_find(struct module *module, uint64_t svma, const char **ret_name)
{
	const char *slash = strrchr(module->key.path, '/');
	const char *base = slash ? slash + 1 : module->key.path, *end;
	size_t bytes = strlen(base);
	struct unwind_entry entry;
	char name[320];
	int r;

	*ret_name = NULL;
	r = unwind_table_find(module, svma, &entry);
	if (r < 0)
		return r == -ENOMEM ? r : 0;
	/* The vdso's name, "[vdso]", has brackets already. */
	if (base[0] == '[' && base[bytes - 1] == ']') {
		base++;
		bytes -= 2;
	}
	bytes = length_without_tag(base, bytes, &end);
	(void)snprintf(name, sizeof(name), "[%.*s%s+0x%" PRIx64 "]",
		(int)(bytes < 255 ? bytes : 255), base, end, entry.low);
	*ret_name = pool_intern(&module->symbolizer->strings, name, sizeof(name));
	return *ret_name ? 0 : -ENOMEM;
}
