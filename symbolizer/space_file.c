/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "base/maps_line.h"
#include "opener/opener.h"
#include "symbolizer/module.h"

static int open_file(struct space *space, const char *path, struct module **ret_module)
{
	struct maps_line line = {.execute = true, .name = path, .name_bytes = strlen(path)};
	struct opened stat;
	int rc = opener_ask_path(space->symbolizer->options.opener, OPENING_STAT, 0, path, &stat);

	if (rc < 0)
		return rc;
	line.inode = stat.inode;
	line.major = major(stat.device);
	line.minor = minor(stat.device);
	rc = module_open(space->symbolizer, 0, &line, ret_module);
	return rc == 0 && !(*ret_module)->headers_ok ? -ENOEXEC : rc;
}

int space_set_file(struct space *space, const char *path)
{
	const Elf64_Phdr *segment;
	struct mapping *mappings;
	struct module *module;
	uint64_t end = 0;
	size_t n = 0;
	int rc = path[0] == '/' ? open_file(space, path, &module) : -EINVAL;

	if (rc < 0)
		return rc;
	mappings = calloc(module->image.n_phdr + 1, sizeof(*mappings));
	if (!mappings)
		return -ENOMEM;
	for (size_t i = 0; i < module->image.n_phdr; i++) {
		segment = &module->image.phdr[i];
		/* Segments of a valid file ascend; others are left out. */
		if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X) ||
			segment->p_vaddr < end || segment->p_memsz > UINT64_MAX - segment->p_vaddr)
			continue;
		end = segment->p_vaddr + segment->p_memsz;
		mappings[n++] = (struct mapping){.start = segment->p_vaddr,
			.end = end,
			.offset = segment->p_offset,
			.execute = true,
			.name = module->key.path,
			.module = module};
	}
	free(space->mappings);
	space->mappings = mappings;
	space->n = n;
	return 0;
}

const char *space_jitdump(const struct space *space)
{
	for (size_t i = 0; i < space->n; i++) {
		const char *name = space->mappings[i].name, *base = strrchr(name, '/');
		size_t digits;

		if (!base || strncmp(base, "/jit-", 5) != 0)
			continue;
		digits = strspn(base + 5, "0123456789");
		if (digits && strcmp(base + 5 + digits, ".dump") == 0)
			return name;
	}
	return NULL;
}
