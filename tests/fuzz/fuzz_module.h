/* SPDX-License-Identifier: MIT */
/* The input is an ELF file: the only module of a symbolizer. */
#ifndef TESTS_FUZZ_MODULE_H
#define TESTS_FUZZ_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "symbolizer/module.h"

enum { FUZZ_PLACES = 512 };

struct fuzz_found {
	size_t functions, lines, inlined; /* of the frames */
};

static inline void fuzz_count(const struct frame_chain *chain, struct fuzz_found *found)
{
	for (size_t i = 0; i < chain->n; i++) {
		found->functions += *chain->frame[i].function != 0;
		found->lines += *chain->frame[i].file && chain->frame[i].line;
		found->inlined += i > 0;
	}
}

static inline struct fuzz_found fuzz_resolve(struct symbolizer *symbolizer, struct module *module)
{
	struct fuzz_found found = {0};
	struct code_location places[FUZZ_PLACES];
	struct frame_chain chains[FUZZ_PLACES];
	struct module_info info;
	size_t n = 0;
	volatile size_t sink = 0;

	for (size_t i = 0; i < module->image.n_phdr && n < FUZZ_PLACES; i++) {
		const Elf64_Phdr *p = &module->image.phdr[i];
		uint64_t step = p->p_memsz / 256 + 1;

		if (p->p_type != PT_LOAD || !(p->p_flags & PF_X))
			continue;
		for (uint64_t at = 0; at < p->p_memsz && n < FUZZ_PLACES; at += step)
			places[n++] =
				(struct code_location){.module = module, .svma = p->p_vaddr + at};
	}
	if (n < FUZZ_PLACES)
		places[n++] = (struct code_location){.module = module, .svma = UINT64_MAX};
	if (symbolizer_resolve(symbolizer, places, n, chains) == 0)
		for (size_t i = 0; i < n; i++) {
			fuzz_count(&chains[i], &found);
			for (size_t j = 0; j < chains[i].n; j++)
				sink = sink + strlen(chains[i].frame[j].function) +
					strlen(chains[i].frame[j].symbol) +
					strlen(chains[i].frame[j].file);
		}
	module_describe(module, 0, &info);
	sink = sink + strlen(info.path) + strlen(info.build_id) + strlen(info.problem);
	return found;
}

/* @from_memory: without section headers, like a file assembled from a process's memory. */
static inline struct fuzz_found fuzz_module(
	const uint8_t *data, size_t size, bool no_debug_info, bool from_memory)
{
	const struct symbolizer_options options = {.size = sizeof(options),
		.debug_directories = "/nonexistent",
		.no_debug_info = no_debug_info};
	struct symbolizer *symbolizer;
	struct module *module;
	struct fuzz_found found = {0};
	uint8_t *copy;
	int rc;

	if (size == 0 || symbolizer_new(&options, &symbolizer))
		return found;
	module = module_special(symbolizer, "/nonexistent/input");
	copy = module ? malloc(size) : NULL;
	if (copy) {
		memcpy(copy, data, size);
		elfimage_adopt(&module->image, copy, size);
		rc = elfimage_read_headers(&module->image);
		module->headers_ok = rc == 0;
		module->from_memory = from_memory;
		module->image.loaded = from_memory ? UINT64_C(0x7f0000000000) : 0;
		if (rc == 0)
			found = fuzz_resolve(symbolizer, module);
	}
	symbolizer_free(symbolizer);
	return found;
}

#endif
