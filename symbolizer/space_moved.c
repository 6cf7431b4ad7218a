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
 *
 * A program may then copy a part of that code once more, to anywhere: V8 copies its builtins near
 * the code that it generates, and without a file it cannot map them there. Such a copy begins with
 * a page of the code that was moved.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/maps_line.h"
#include "proto/opening.h"
#include "symbolizer/memory_image.h"
#include "symbolizer/module.h"

/* Mappings on each side that are examined; mappings that are compared with moved code. */
enum { NEIGHBOURS_MOST = 4, COPIES_MOST = 4 };

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

/* What the file has from where @moved was mapped on: whole pages, beyond the segment's end, too. */
static struct slice file_under(const struct mapping *moved)
{
	const struct elfimage *image = &moved->module->image;
	uint64_t svma = moved->start - moved->bias;
	const Elf64_Phdr *segment = elfimage_segment_at(image, svma);

	/* A segment may begin after the first byte of its first page. */
	if (!segment)
		segment = elfimage_segment_at(image, svma + OPENING_CODE_BYTES - 1);
	if (!segment)
		return (struct slice){0};
	return slice_rest((struct slice){image->data, image->bytes},
		segment->p_offset + svma - segment->p_vaddr);
}

/*
 * The offset in @moved of the page that is @code, if from there on it has the @bytes bytes of a
 * copy; UINT64_MAX: no page is, or several are.
 */
static uint64_t find_page(const struct mapping *moved, const uint8_t *code, uint64_t bytes)
{
	uint64_t found = UINT64_MAX, room = moved->end - moved->start;
	struct slice all = file_under(moved);

	for (uint64_t at = 0; at < room && bytes <= room - at; at += OPENING_CODE_BYTES) {
		struct slice page = slice_part(all, at, OPENING_CODE_BYTES);

		if (!page.data || memcmp(page.data, code, OPENING_CODE_BYTES) != 0)
			continue;
		if (found != UINT64_MAX)
			return UINT64_MAX;
		found = at;
	}
	return found;
}

static bool is_moved(const struct mapping *mapping)
{
	return space_may_be_moved(mapping) && mapping->module->headers_ok;
}

/* Sets the module and the bias of @copy if it is a copy of code that was moved. */
static void find_original(
	const struct space *space, const struct mapping *mappings, size_t n, struct mapping *copy)
{
	struct maps_line line = {.start = copy->start, .end = copy->end};
	uint8_t *code;

	if (memory_code(space->symbolizer->options.opener, space->pid, &line, &code) < 0)
		return;
	for (size_t i = 0; i < n; i++) {
		uint64_t at = is_moved(&mappings[i])
			? find_page(&mappings[i], code, copy->end - copy->start)
			: UINT64_MAX;

		if (at == UINT64_MAX)
			continue;
		copy->module = mappings[i].module;
		copy->bias = copy->start - (mappings[i].start + at - mappings[i].bias);
		break;
	}
	free(code);
}

static void find_copies(const struct space *space, struct mapping *mappings, size_t n)
{
	size_t first = 0, asked = 0;

	while (first < n && !is_moved(&mappings[first]))
		first++;
	for (size_t i = 0; first < n && i < n && asked < COPIES_MOST; i++) {
		struct mapping *m = &mappings[i];

		if (!m->execute || m->write || m->inode || m->name[0] || is_moved(m))
			continue;
		find_original(space, mappings, n, m);
		asked++;
	}
}

void space_find_moved(const struct space *space, struct mapping *mappings, size_t n)
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
	find_copies(space, mappings, n);
}
