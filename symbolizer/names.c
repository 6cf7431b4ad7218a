/* SPDX-License-Identifier: MIT */
#include "symbolizer/names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "symbolizer/debuginfo.h"
#include "symbolizer/gopclntab.h"
#include "symbolizer/module.h"
#include "symbolizer/unnamed.h"
#include "symbolizer/unwind_table.h"

void names_free(struct names *names)
{
	if (!names)
		return;
	names_release_files(names);
	table_release(&names->table);
	free(names->answers);
	spelling_release(&names->spellings);
	arena_release(&names->arena);
	free(names);
}

int names_begin(struct names *names)
{
	bool first = !names->begun;
	int rc = 0;

	names->begun = true;
	if (names->lines_wanted)
		rc = names_load_lines(names);
	names->lines_wanted = false;
	if (rc == 0)
		budget_watch_begin(&names->budget);
	if (first && names->module->headers_ok)
		names_say_what_is_missing(names);
	if (rc == 0 && names->working_on)
		names_work_on(names->module, names->working_on);
	return rc;
}

void names_end(struct names *names)
{
	budget_watch_end(&names->budget);
	names_say_split_is_missing(names);
	if (names->working_on)
		names_work_on(names->module, NULL);
}

/*
 * Names a frame by its linkage name, which is complete. If there is none, and the frame has no name
 * or one that is not complete (debuginfo_frame.qualified), the name is that of @symbol.
 */
static int name_frame(struct names *n, const struct debuginfo_frame *from,
	const struct symbol *symbol, struct frame *to)
{
	struct pool *strings = &n->module->symbolizer->strings;
	const char *linked = from->linkage_name;
	struct spelling name, clone;
	size_t bytes;
	int rc;

	if (!linked && symbol && (!from->name || !from->qualified))
		linked = symbol->name;
	if (!linked)
		linked = from->name ? from->name : "";
	rc = spelling_find(&n->spellings, strings, &n->budget, linked, &name);
	/* DWARF calls a clone "foo", the linker "foo.constprop.0": frame.symbol is the latter. */
	bytes = strlen(linked);
	if (rc == 0 && symbol && strncmp(symbol->name, linked, bytes) == 0 &&
		symbol->name[bytes] == '.') {
		rc = spelling_find(&n->spellings, strings, &n->budget, symbol->name, &clone);
		name.linked = clone.linked;
	}
	if (!from->linkage_name && from->full_name)
		name.shown = from->full_name;
	if (rc)
		return rc;
	*to = (struct frame){
		.function = name.shown,
		.symbol = name.linked,
		.file = from->file,
		.line = from->line,
		.function_line = from->function_line,
		.inlined = from->inlined,
	};
	return 0;
}

/* Makes a frame with the name "[FILE+0xSTART]"; none if the function's start is not known. */
static int make_unnamed(struct names *n, uint64_t svma, struct frame_chain *ret_chain)
{
	struct frame *frame;
	const char *name = NULL;
	int rc = n->left_alone ? 0 : unnamed_find(n->module, svma, &name);

	if (rc || !name)
		return rc;
	frame = arena_alloc(&n->arena, sizeof(*frame));
	if (!frame)
		return -ENOMEM;
	*frame = (struct frame){.function = name, .symbol = name, .file = "", .unnamed = true};
	*ret_chain = (struct frame_chain){.frame = frame, .n = 1};
	return 0;
}

/*
 * Finds the frames in the debug information or, if it has none there, in a Go program's own table.
 * Debug information that takes too much memory is dropped.
 */
static int find_frames(
	struct names *n, uint64_t svma, struct debuginfo_frame *found, size_t *ret_count)
{
	int rc = n->debuginfo ? debuginfo_find(n->debuginfo, svma, found, ret_count) : 0;

	if (rc) {
		*ret_count = 0;
		rc = names_blame(n, rc);
	}
	if (rc == 0 && *ret_count == 0 && n->pclntab) {
		rc = gopclntab_frames(n->pclntab, svma, DEBUGINFO_FRAMES_MAX, found);
		*ret_count = rc > 0 ? (size_t)rc : 0;
		rc = rc < 0 ? rc : 0;
	}
	return rc;
}

/*
 * A symbol without a size reaches to the next symbol. In a stripped file, functions without a
 * symbol may lie between the two. If the unwind information says that @svma is in such a function,
 * the symbol does not count.
 */
static const struct symbol *symbol_at(struct names *n, uint64_t svma)
{
	const struct symbol *symbol = symtab_find(&n->symtab, svma);
	struct unwind_entry entry;

	if (!symbol || !symbol->stretched || n->left_alone)
		return symbol;
	if (unwind_table_find(n->module, svma, &entry) == 0 && entry.low > symbol->svma)
		return NULL;
	return symbol;
}

static int make_chain(struct names *n, uint64_t svma, struct frame_chain *ret_chain)
{
	struct debuginfo_frame found[DEBUGINFO_FRAMES_MAX];
	const struct symbol *symbol = symbol_at(n, svma);
	struct frame *frames;
	size_t count = 0;
	int rc = find_frames(n, svma, found, &count);

	if (rc)
		return rc;
	if (count == 0 && symbol)
		found[count++] = (struct debuginfo_frame){.file = "", .qualified = true};
	*ret_chain = (struct frame_chain){0};
	if (count == 0)
		return make_unnamed(n, svma, ret_chain);
	frames = arena_alloc(&n->arena, count * sizeof(*frames));
	if (!frames)
		return -ENOMEM;
	for (size_t i = 0; i < count && rc == 0; i++)
		rc = name_frame(n, &found[i], found[i].inlined ? NULL : symbol, &frames[i]);
	*ret_chain = (struct frame_chain){.frame = frames, .n = count};
	return rc;
}

static bool answer_equal(const void *items, uint32_t index, const void *key)
{
	const struct names_answer *a = (const struct names_answer *)items + index, *b = key;

	return a->svma == b->svma;
}

int names_resolve(struct names *names, uint64_t svma, struct frame_chain *ret_chain)
{
	struct names_answer answer = {.svma = svma};
	uint64_t hash = table_mix(0, svma);
	int index = table_find(&names->table, hash, answer_equal, names->answers, &answer);

	if (index < 0) {
		int rc = make_chain(names, svma, &answer.chain);

		if (rc)
			return rc;
		index = table_intern(&names->table, hash, answer_equal, &names->answers,
			&names->answers_room, &names->n_answers, &answer);
	}
	if (index < 0)
		return index;
	*ret_chain = names->answers[index].chain;
	return 0;
}

bool names_bounds(struct names *n, uint64_t svma, uint64_t *ret_start, uint64_t *ret_end)
{
	const struct symbol *symbol = n->begun ? symbol_at(n, svma) : NULL;
	struct gopclntab_function function;
	struct unwind_entry entry;

	if (n->pclntab && gopclntab_find(n->pclntab, svma, &function)) {
		*ret_start = function.start;
		*ret_end = function.end;
		return true;
	}
	if (symbol) {
		*ret_start = symbol->svma;
		*ret_end = symbol->svma + symbol->bytes;
		return true;
	}
	if (!n->begun || n->left_alone || unwind_table_find(n->module, svma, &entry) < 0)
		return false;
	*ret_start = entry.low;
	*ret_end = entry.high;
	return true;
}
