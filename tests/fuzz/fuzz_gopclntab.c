/* SPDX-License-Identifier: MIT */
/* The input is an ELF file of a Go program: each address of its code is looked up. */
#include <stdlib.h>
#include <string.h>

#include "base/pool.h"
#include "symbolizer/debuginfo.h"
#include "symbolizer/elffile.h"
#include "symbolizer/elfimage.h"
#include "symbolizer/gopclntab.h"
#include "tests/fuzz/fuzz.h"

enum { FRAMES, PARTS };
const unsigned fuzz_parts = PARTS;

static void look_up(const struct gopclntab *table, uint64_t svma)
{
	struct debuginfo_frame frames[DEBUGINFO_FRAMES_MAX];
	struct gopclntab_function f;
	volatile size_t sink = 0;
	int n;

	if (gopclntab_find(table, svma, &f))
		sink = sink + strlen(f.name) + (size_t)gopclntab_depth(table, &f, svma);
	n = gopclntab_frames(table, svma, DEBUGINFO_FRAMES_MAX, frames);
	if (n > 0)
		fuzz_accept(FRAMES);
	for (int i = 0; i < n; i++)
		sink = sink + strlen(frames[i].name) + strlen(frames[i].file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct elfimage image = {0};
	struct elffile elf = {0};
	struct pool strings = {0};
	struct gopclntab *table;
	uint8_t *copy = size ? malloc(size) : NULL;

	if (!copy)
		return 0;
	memcpy(copy, data, size);
	elfimage_adopt(&image, copy, size);
	if (elfimage_read_headers(&image) == 0) {
		bool opened = elffile_open(&elf, &image) == 0;

		if (gopclntab_open(&image, opened ? &elf : NULL, &strings, &table) == 0) {
			for (size_t i = 0; i < image.n_phdr; i++)
				for (uint64_t at = 0; at < 256 && at < image.phdr[i].p_memsz; at++)
					look_up(table, image.phdr[i].p_vaddr + at);
			gopclntab_free(table);
		}
		if (opened)
			elffile_close(&elf);
	}
	pool_release(&strings);
	elfimage_release(&image);
	return 0;
}
