/* SPDX-License-Identifier: MIT */
/* Creates a module's names, and finds sections in its files. */
#include <errno.h>
#include <stdlib.h>

#include "symbolizer/module.h"
#include "symbolizer/names_internal.h"

struct names *names_of(struct module *module)
{
	struct names *n = module->names;

	if (n)
		return n;
	n = calloc(1, sizeof(*n));
	if (!n)
		return NULL;
	n->module = module;
	budget_init(&n->budget, &module->symbolizer->budget);
	if (names_load(n)) {
		names_release_files(n);
		free(n);
		return NULL;
	}
	module->names = n;
	return n;
}

int module_section(struct module *module, const char *name, const uint8_t **ret_data,
	size_t *ret_bytes, uint64_t *ret_svma)
{
	const char *before = module->symbolizer->working_on;
	struct names *names = names_of(module);
	struct elffile_section section;
	int found;

	if (!names)
		return -ENOMEM;
	names_work_on(module, module->key.path);
	found = elffile_find(&names->own.elf, name, &section);
	if (found < 0 && names->debug.elf.elf) {
		names_work_on(module, names->debug.path);
		found = elffile_find(&names->debug.elf, name, &section);
	}
	/* In a series of names_resolve(), libdwarf still works on @before. */
	names_work_on(module, before);
	if (found < 0)
		return -ENOENT;
	*ret_data = section.data;
	*ret_bytes = (size_t)section.bytes;
	if (ret_svma)
		*ret_svma = section.svma;
	return 0;
}
