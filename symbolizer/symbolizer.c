/* SPDX-License-Identifier: MIT */
#include "symbolizer/symbolizer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "symbolizer/debugfile.h"
#include "symbolizer/module.h"
#include "symbolizer/names.h"
#include "symbolizer/unwind_table.h"

int symbolizer_new(const struct symbolizer_options *options, struct symbolizer **ret_symbolizer)
{
	struct symbolizer *symbolizer = calloc(1, sizeof(*symbolizer));
	const char *directories;
	size_t bytes = sizeof(*options);

	if (!symbolizer)
		return -ENOMEM;
	/* A caller that was built with an older header has fewer options; the others stay 0. */
	if (options && options->size < bytes)
		bytes = options->size;
	if (options)
		memcpy(&symbolizer->options, options, bytes);
	budget_init_all(&symbolizer->budget, symbolizer->options.opener);
	directories = symbolizer->options.debug_directories;
	symbolizer->debug_directories = strdup(directories ? directories : "/usr/lib/debug");
	symbolizer->options.debug_directories = symbolizer->debug_directories;
	symbolizer->debuginfod_cache = debugfile_cache();
	if (symbolizer->debug_directories) {
		symbolizer->unknown = module_special(symbolizer, "[unknown]");
		symbolizer->anonymous = module_special(symbolizer, "[anon]");
	}
	if (!symbolizer->unknown || !symbolizer->anonymous) {
		symbolizer_free(symbolizer);
		return -ENOMEM;
	}
	*ret_symbolizer = symbolizer;
	return 0;
}

static void free_module(struct module *module)
{
	names_free(module->names);
	unwind_table_free(module->frames);
	elfimage_release(&module->image);
	free(module);
}

void symbolizer_free(struct symbolizer *symbolizer)
{
	if (!symbolizer)
		return;
	for (size_t i = 0; i < symbolizer->n_modules; i++)
		free_module(symbolizer->modules[i]);
	table_release(&symbolizer->table);
	free(symbolizer->modules);
	free(symbolizer->debug_directories);
	free(symbolizer->debuginfod_cache);
	pool_release(&symbolizer->strings);
	budget_release(&symbolizer->budget);
	free(symbolizer);
}

static int by_place(const void *a, const void *b)
{
	const struct code_location *x = *(const struct code_location *const *)a,
				   *y = *(const struct code_location *const *)b;

	if (x->module != y->module)
		return (uintptr_t)x->module < (uintptr_t)y->module ? -1 : 1;
	return x->svma < y->svma ? -1 : x->svma > y->svma;
}

/* @sorted: locations of one module, ascending, so that a unit's tables are used together. */
static int resolve_module(const struct code_location *const *sorted, size_t n,
	const struct code_location *locations, struct frame_chain *ret_chains)
{
	struct names *names = names_of(sorted[0]->module);
	bool blamed;
	int rc;

	if (!names)
		return -ENOMEM;
	rc = names_begin(names);
	if (rc)
		return rc;
	blamed = names->blamed;
	for (size_t i = 0; i < n && rc == 0; i++) {
		rc = names_resolve(names, sorted[i]->svma, &ret_chains[sorted[i] - locations]);
		/* Debug information was just dropped: restarts, so as not to mix results. */
		if (rc == 0 && !blamed && names->blamed) {
			blamed = true;
			i = SIZE_MAX;
		}
	}
	names_end(names);
	return rc;
}

int symbolizer_resolve(struct symbolizer *symbolizer, const struct code_location *locations,
	size_t n, struct frame_chain *ret_chains)
{
	const struct code_location **sorted;
	int rc = 0;

	(void)symbolizer;
	if (n == 0)
		return 0;
	sorted = calloc(n, sizeof(*sorted));
	if (!sorted)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		sorted[i] = &locations[i];
	qsort(sorted, n, sizeof(*sorted), by_place);
	for (size_t first = 0, end; first < n && rc == 0; first = end) {
		for (end = first + 1; end < n && sorted[end]->module == sorted[first]->module;)
			end++;
		rc = resolve_module(sorted + first, end - first, locations, ret_chains);
	}
	free(sorted);
	return rc;
}

bool symbolizer_bounds(const struct code_location *location, uint64_t *ret_start, uint64_t *ret_end)
{
	struct names *names = names_of(location->module);

	return names && names_bounds(names, location->svma, ret_start, ret_end);
}

const uint8_t *symbolizer_code(
	const struct code_location *location, size_t *ret_bytes, unsigned *ret_machine)
{
	const struct module *module = location->module;
	struct slice code;

	if (!module->headers_ok)
		return NULL;
	*ret_machine = module->image.machine;
	code = elfimage_at(&module->image, location->svma);
	*ret_bytes = code.bytes;
	return code.data;
}

const char *symbolizer_function_at(const struct code_location *location, uint64_t *ret_offset)
{
	struct frame_chain chain = {0};
	uint64_t start, end;

	if (symbolizer_resolve(location->module->symbolizer, location, 1, &chain) < 0 || !chain.n ||
		chain.frame[chain.n - 1].unnamed || !symbolizer_bounds(location, &start, &end) ||
		start > location->svma)
		return NULL;
	*ret_offset = location->svma - start;
	return chain.frame[chain.n - 1].function;
}

static void describe_segment(
	const struct module *module, uint64_t svma, struct module_info *ret_info)
{
	const Elf64_Phdr *segment =
		module->headers_ok ? elfimage_segment_at(&module->image, svma) : NULL;

	if (!segment)
		return;
	ret_info->segment_svma = segment->p_vaddr;
	ret_info->segment_bytes = segment->p_memsz;
	ret_info->segment_offset = segment->p_offset;
}

void module_describe(const struct module *module, uint64_t svma, struct module_info *ret_info)
{
	const struct names *names = module->names;

	*ret_info = (struct module_info){
		.path = module->key.path,
		.build_id = module->build_id,
		.deleted = module->key.deleted,
		.unanswered = module->unanswered,
		.symbols = names ? names->symbols : "",
		.lines = names ? names->lines : "",
		.problem = module->problem,
		.language = names && names->go ? "Go" : "",
		.blamed = names && names->blamed,
	};
	describe_segment(module, svma, ret_info);
}
