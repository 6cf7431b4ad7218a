/* SPDX-License-Identifier: MIT */
/*
 * Finds code of a file that was remapped, for large pages, onto memory without a file, or onto a
 * file that holds nothing else (memfd, hugetlbfs):
 *
 *   400000-401000 r--p 00000000 fe:01 7  /bin/p      the segments around it are still those of the
 *   401000-402000 r-xp 00000000 00:00 0              file, and where they are loaded the file has
 *   480000-481000 r-xp 00080000 fe:01 7  /bin/p      its code at 401000
 *
 * Code made at run time does not lie inside what the loader reserved for a file.
 */
#include <string.h>
#include <unistd.h>

#include "symbolizer/module.h"

/* Mappings on each side that are examined. */
enum { NEIGHBOURS_MOST = 4 };

bool space_may_be_moved(const struct mapping *mapping)
{
	static const char *const begins[] = {
		"[anon:", "/anon_hugepage", "/memfd:", "/dev/hugepages/"};

	for (size_t i = 0; i < sizeof(begins) / sizeof(*begins); i++) {
		if (!strncmp(mapping->name, begins[i], strlen(begins[i])))
			return mapping->execute;
	}
	return mapping->execute && !mapping->name[0];
}

bool space_is_beside_moved(const struct mapping *mappings, size_t n, size_t index)
{
	const struct mapping *m = &mappings[index];

	return (index && m[-1].end == m->start && space_may_be_moved(&m[-1])) ||
		(index + 1 < n && m->end == m[1].start && space_may_be_moved(&m[1]));
}

/* Does the file of @neighbour, loaded where @neighbour is, have code at all addresses of @moved? */
static bool has_code_at(const struct mapping *neighbour, const struct mapping *moved)
{
	const struct module *module = neighbour->module;
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), start = moved->start - neighbour->bias;
	const Elf64_Phdr *segment;

	if (!neighbour->inode || !module->headers_ok || space_may_be_moved(neighbour))
		return false;
	for (size_t i = 0; i < module->image.n_phdr; i++) {
		segment = &module->image.phdr[i];
		if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X) ||
			segment->p_memsz > UINT64_MAX - segment->p_vaddr - page)
			continue;
		if (start >= (segment->p_vaddr & ~(page - 1)) &&
			start < segment->p_vaddr + segment->p_memsz &&
			moved->end - moved->start <=
				segment->p_vaddr + segment->p_memsz + page - 1 - start)
			return true;
	}
	return false;
}

void space_find_moved(struct mapping *mappings, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t first = i > NEIGHBOURS_MOST ? i - NEIGHBOURS_MOST : 0;

		/* A memfd with ELF headers is a file of its own, not a copy of other code. */
		if (!space_may_be_moved(&mappings[i]) || mappings[i].module->headers_ok)
			continue;
		for (size_t j = first; j < n && j <= i + NEIGHBOURS_MOST; j++) {
			if (j == i || !has_code_at(&mappings[j], &mappings[i]))
				continue;
			mappings[i].module = mappings[j].module;
			mappings[i].bias = mappings[j].bias;
			break;
		}
	}
}
