/* SPDX-License-Identifier: MIT */
/*
 * bias = pc - svma, from the segment that a mapping shows. Two segments may lie in one page of the
 * file (lld makes such files). That page is then mapped twice, from the same file offset:
 *
 *   LOAD  offset 0x1000  address 0x7a2000  R E       7f0000000000-7f0000001000 r-xp 00001000
 *   LOAD  offset 0x14a0  address 0x7a44a0  R E       7f0000002000-7f0000003000 r-xp 00001000
 *
 * So each of these mappings may show either segment, and has two possible biases. All mappings of
 * one load have the same bias, so a mapping gets the bias that is possible for most of its
 * neighbours.
 */
#include <errno.h>
#include <stdlib.h>

#include "symbolizer/module.h"

/*
 * At most CANDIDATES_MOST segments are considered for a mapping. A mapping is compared with up to
 * NEIGHBOURS_MOST mappings on each side.
 */
enum { CANDIDATES_MOST = 8, NEIGHBOURS_MOST = 16 };

static size_t find_candidates(const struct mapping *mapping, uint64_t bias[CANDIDATES_MOST])
{
	const struct module *module = mapping->module;
	const Elf64_Phdr *segment[CANDIDATES_MOST];
	uint64_t base = mapping->start - mapping->offset;
	size_t n = 0;

	if (!mapping->inode && !module->headers_ok) {
		bias[0] = 0;
		return 1;
	}
	if (module->headers_ok)
		n = elfimage_segments_at_offset(&module->image, mapping->offset,
			mapping->end - mapping->start, mapping->execute, segment, CANDIDATES_MOST);
	for (size_t i = 0; i < n; i++)
		bias[i] = base + segment[i]->p_offset - segment[i]->p_vaddr;
	/*
	 * Without program headers, the file offset serves as the svma, which is then the same in
	 * all processes that map the file.
	 */
	if (!n)
		bias[n++] = base;
	return n;
}

struct candidates {
	uint64_t bias[CANDIDATES_MOST];
	size_t n;
};

static bool has(const struct candidates *candidates, uint64_t bias)
{
	for (size_t i = 0; i < candidates->n; i++) {
		if (candidates->bias[i] == bias)
			return true;
	}
	return false;
}

/* The bias of the mapping at @index that is possible for most neighbours of the same module. */
static uint64_t choose(
	const struct mapping *mappings, const struct candidates *candidates, size_t n, size_t index)
{
	size_t first = index > NEIGHBOURS_MOST ? index - NEIGHBOURS_MOST : 0, most = 0;
	uint64_t best = candidates[index].bias[0];

	for (size_t j = 0; j < candidates[index].n && candidates[index].n > 1; j++) {
		uint64_t bias = candidates[index].bias[j];
		size_t votes = 0;

		for (size_t i = first; i < n && i <= index + NEIGHBOURS_MOST; i++)
			votes += mappings[i].module == mappings[index].module &&
				has(&candidates[i], bias);
		if (votes > most) {
			most = votes;
			best = bias;
		}
	}
	return best;
}

int space_set_biases(struct mapping *mappings, size_t n)
{
	struct candidates *candidates = calloc(n + 1, sizeof(*candidates));

	if (!candidates)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		candidates[i].n = find_candidates(&mappings[i], candidates[i].bias);
	for (size_t i = 0; i < n; i++)
		mappings[i].bias = choose(mappings, candidates, n, i);
	free(candidates);
	return 0;
}
