/* SPDX-License-Identifier: MIT */
/*
 * Finds code of a file that was moved, for large pages, to memory without a file, or to a file that
 * holds nothing else (memfd, hugetlbfs):
 *
 *   400000-401000 r--p 00000000 fe:01 7  /bin/p
 *   401000-402000 r-xp 00000000 00:00 0
 *   480000-481000 r-xp 00080000 fe:01 7  /bin/p
 *
 * The mapping at 401000 is moved code of /bin/p: other segments of /bin/p are still mapped around
 * it, and /bin/p, loaded where they are, has its code at 401000. Generated code is not taken for
 * moved code, as it does not lie inside the addresses that the loader reserved for a file.
 *
 * A program may copy a part of moved code once more, to any address: V8 copies its builtins near
 * generated code, as it cannot map them there without a file. A mapping is taken for such a copy if
 * it begins with a page of moved code.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/maps_line.h"
#include "proto/opening.h"
#include "symbolizer/memory_image.h"
#include "symbolizer/module.h"

/*
 * NEIGHBOURS_MOST mappings are examined on each side of a mapping. One call of space_find_moved()
 * compares at most COPIES_MOST mappings with moved code.
 */
enum { NEIGHBOURS_MOST = 4, COPIES_MOST = 64 };
/*
 * Pages of moved code that one call of space_find_moved() compares, at most. They are 512 MiB, for
 * which comparing takes 0.1 s if the file is in memory.
 */
#define PAGES_MOST (UINT64_C(128) << 10)

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

/*
 * Does the file of @neighbour, loaded where @neighbour is, have code at all addresses of @moved?
 * @neighbour must show another segment than that code. A program can map a part of one segment
 * itself, and generate code behind it; only a loader maps several.
 */
static bool has_code_at(const struct mapping *neighbour, const struct mapping *moved)
{
	const struct module *module = neighbour->module;
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), start = moved->start - neighbour->bias,
		 beside = neighbour->start - neighbour->bias;
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
			return beside < (segment->p_vaddr & ~(page - 1)) ||
				beside >= segment->p_vaddr + segment->p_memsz;
	}
	return false;
}

/* The file's bytes from @moved's start to the file's end, even those behind the segment's end. */
static struct slice file_under(const struct mapping *moved)
{
	const struct elfimage *image = &moved->module->image;
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), svma = moved->start - moved->bias;
	const Elf64_Phdr *segment = elfimage_segment_at(image, svma);

	/* A segment may begin after the first byte of its first page. */
	if (!segment)
		segment = elfimage_segment_at(image, svma + page - 1);
	if (!segment)
		return (struct slice){0};
	return slice_rest((struct slice){image->data, image->bytes},
		segment->p_offset + svma - segment->p_vaddr);
}

/*
 * Finds pages of @moved that are equal to @code, and from which @bytes bytes lie inside @moved.
 * Returns the number of such pages, at most 2; *@ret_svma is the svma of the first one. *@pages is
 * how many pages may still be compared, and goes down by 1 for each page compared.
 */
static unsigned find_page(const struct mapping *moved, const uint8_t *code, uint64_t bytes,
	uint64_t *pages, uint64_t *ret_svma)
{
	uint64_t room = moved->end - moved->start;
	struct slice all = file_under(moved), page;
	unsigned found = 0;

	for (uint64_t at = 0; at < room && bytes <= room - at; at += OPENING_CODE_BYTES) {
		page = slice_part(all, at, OPENING_CODE_BYTES);
		if (!page.data || !*pages)
			break;
		(*pages)--;
		if (memcmp(page.data, code, OPENING_CODE_BYTES) != 0)
			continue;
		if (found++)
			break;
		*ret_svma = moved->start + at - moved->bias;
	}
	return found;
}

/* Sets @copy's module and bias if moved code has @copy's first page exactly once. */
static void find_original(const struct space *space, const struct mapping *mappings, size_t n,
	uint64_t *pages, struct mapping *copy)
{
	struct maps_line line = {.start = copy->start, .end = copy->end};
	const struct mapping *original = NULL;
	bool whole = *pages == PAGES_MOST;
	uint64_t svma = 0;
	unsigned found = 0;
	uint8_t *code;
	int r;

	r = memory_code(space->symbolizer->options.opener, space->pid, &line, &code);
	copy->compared = r != -ENOMEM;
	if (r < 0)
		return;
	/* A page of one repeated byte, such as 0, proves nothing. */
	if (memcmp(code, code + 1, OPENING_CODE_BYTES - 1) == 0)
		n = 0;
	for (size_t i = 0; i < n && found < 2; i++) {
		unsigned here = mappings[i].moved
			? find_page(&mappings[i], code, copy->end - copy->start, pages, &svma)
			: 0;

		if (here)
			original = &mappings[i];
		found += here;
	}
	/* If earlier copies used up *@pages, the next space_find_moved() compares again. */
	copy->compared = *pages > 0 || whole;
	if (found == 1 && *pages > 0) {
		copy->module = original->module;
		copy->bias = copy->start - svma;
	}
	free(code);
}

static bool may_be_copy(const struct mapping *m)
{
	return m->execute && !m->write && !m->inode && !m->name[0] && !m->moved;
}

static void find_copies(const struct space *space, struct mapping *mappings, size_t n)
{
	uint64_t pages = PAGES_MOST, longest = 0;
	size_t old = 0;

	for (size_t i = 0; i < n; i++) {
		if (mappings[i].moved && mappings[i].end - mappings[i].start > longest)
			longest = mappings[i].end - mappings[i].start;
	}
	for (size_t i = 0, asked = 0; i < n; i++) {
		const struct mapping *known = space->mappings;
		struct mapping *m = &mappings[i];

		while (old < space->n && known[old].start < m->start)
			old++;
		if (!may_be_copy(m))
			continue;
		if (old < space->n && known[old].compared && mapping_is_same(&known[old], m)) {
			m->module = known[old].module;
			m->bias = known[old].bias;
			m->compared = true;
		} else if (asked < COPIES_MOST && pages && m->end - m->start <= longest) {
			find_original(space, mappings, n, &pages, m);
			asked++;
		}
	}
}

void space_find_moved(const struct space *space, struct mapping *mappings, size_t n)
{
	bool any = false;

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
			mappings[i].moved = any = true;
			break;
		}
	}
	if (any)
		find_copies(space, mappings, n);
}
