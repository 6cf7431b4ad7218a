/* SPDX-License-Identifier: MIT */
#include "symbolizer/names.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbolizer/budget.h"
#include "symbolizer/debugfile.h"
#include "symbolizer/debuginfo.h"
#include "symbolizer/elffile.h"
#include "symbolizer/minidebug.h"
#include "symbolizer/module.h"
#include "symbolizer/spelling.h"
#include "symbolizer/symtab.h"
#include "symbolizer/unnamed.h"
#include "symbolizer/unwind_table.h"

struct answer {
	uint64_t svma;
	struct frame_chain chain;
	bool used;
};

/* A file that names come from: the module's own, its debug file, the supplement of that. */
struct source {
	const char *path;
	struct image image; /* not of the module itself: that owns its image */
	struct elffile elf;
};

struct names {
	struct module *module;
	struct source own, debug, supplement, mini;
	struct symtab symtab;
	struct budget budget; /* of all these */
	struct debuginfo *debuginfo;
	const char *symbols, *lines;
	const char *working_on; /* while DWARF is read */
	bool lines_wanted;      /* and not looked for yet */
	bool begun;             /* names were asked for */
	bool left_alone;        /* not a byte of the file is to be parsed */
	bool blamed;            /* it was too large: names_is_blamed() */
	struct answer *answers; /* open addressing by svma */
	size_t n_answers, answers_capacity;
	struct spellings spellings;
	struct unwind_table *ranges; /* of functions without a name; NULL not looked for yet */
	struct arena arena;
};

static void work_on(const struct module *module, const char *path)
{
	const struct symbolizer_options *options = &module->symbolizer->options;

	if (options->working_on)
		options->working_on(options->context, path);
}

static enum symbolizer_skip skip_of(const struct module *module, const char *path)
{
	const struct symbolizer_options *options = &module->symbolizer->options;

	return options->skip ? options->skip(options->context, path) : SYMBOLIZER_SKIP_NOTHING;
}

static int complain_about(struct module *module, const char *what, const char *path)
{
	char text[1024];
	const char *problem;
	int n = snprintf(text, sizeof(text), "%s (%.900s)", what, path);

	problem = n > 0 ? strpool_intern(&module->symbolizer->strings, text, sizeof(text)) : NULL;
	if (!problem)
		return -ENOMEM;
	module_complain(module, problem);
	return 0;
}

/* Over budget, or out of memory: nothing more of the file's debug information is used. */
static int blame(struct names *n, int error)
{
	struct module *module = n->module;
	char text[512];
	const char *problem;

	(void)snprintf(text, sizeof(text), "its debug information is left out: %s (%.300s)",
		error == -ENOMEM ? "there is not enough memory for it"
				 : "it takes far more memory than a file of its size should",
		n->working_on ? n->working_on : module->key.path);
	work_on(module, NULL);
	debuginfo_close(n->debuginfo);
	n->debuginfo = NULL;
	n->lines = "none";
	n->lines_wanted = false;
	n->working_on = NULL;
	n->blamed = true;
	/* The answers so far speak of it. */
	free(n->answers);
	n->answers = NULL;
	n->n_answers = n->answers_capacity = 0;
	problem = strpool_intern(&module->symbolizer->strings, text, sizeof(text));
	if (!problem)
		return -ENOMEM;
	module->problem = problem; /* the others are its consequences */
	return 0;
}

static int open_elf(struct names *n, struct source *source, const struct image *image)
{
	int rc = elffile_open(&source->elf, image);

	if (rc == 0) {
		budget_admit(&n->budget, image->bytes);
		source->elf.budget = &n->budget;
	}
	return rc;
}

/* MiniDebugInfo: the local functions that .dynsym lacks. */
static int load_mini(struct names *n)
{
	struct elffile_section section;
	int rc;

	if (elffile_find(&n->own.elf, ".gnu_debugdata", &section) < 0)
		return 0;
	rc = minidebug_unpack(section.data, (size_t)section.bytes, &n->budget, &n->mini.image);
	if (rc == -ENOTSUP)
		module_complain(n->module, "its .gnu_debugdata is not read: built without liblzma");
	else if (rc == -EINVAL)
		module_complain(n->module, "its .gnu_debugdata is damaged");
	if (rc)
		return rc == -ENOMEM ? rc : 0;
	if (elffile_open(&n->mini.elf, &n->mini.image))
		return 0;
	n->mini.elf.budget = &n->budget;
	rc = symtab_add(&n->symtab, &n->mini.elf, SHT_SYMTAB);
	if (rc > 0)
		n->symbols = ".gnu_debugdata";
	return rc < 0 ? rc : 0;
}

static int load_debug_file(struct names *n)
{
	struct module *module = n->module;
	struct elffile *own = n->own.elf.elf ? &n->own.elf : NULL;
	struct debugfile found;
	int rc = debugfile_find(module->symbolizer, module->key.path, &module->image, own, &found);

	if (rc)
		return rc == -ENOENT ? 0 : rc;
	if (skip_of(module, found.path) == SYMBOLIZER_SKIP_FILE) {
		image_release(&found.image);
		return complain_about(module,
			"its debug file is left alone because it made the parser crash",
			found.path);
	}
	n->debug.path = found.path;
	n->debug.image = found.image;
	work_on(module, found.path);
	if (open_elf(n, &n->debug, &n->debug.image) == 0 && strcmp(n->symbols, "symtab") != 0) {
		rc = symtab_add(&n->symtab, &n->debug.elf, SHT_SYMTAB);
		if (rc > 0)
			n->symbols = found.how;
	}
	work_on(module, module->key.path);
	return rc < 0 ? rc : 0;
}

static int load_symbols(struct names *n)
{
	int rc = 0, added;

	if (n->own.elf.elf) {
		rc = symtab_add(&n->symtab, &n->own.elf, SHT_SYMTAB);
		if (rc > 0)
			n->symbols = "symtab";
	}
	if (rc >= 0)
		rc = load_debug_file(n);
	if (rc < 0 || !n->own.elf.elf)
		return rc;
	if (strcmp(n->symbols, "none") == 0)
		rc = load_mini(n);
	if (rc == 0) {
		added = symtab_add(&n->symtab, &n->own.elf, SHT_DYNSYM);
		if (added > 0 && strcmp(n->symbols, "none") == 0)
			n->symbols = "dynsym";
		rc = added < 0 ? added : 0;
	}
	if (rc == 0)
		rc = symtab_add_plt(&n->symtab, &n->own.elf, &n->module->symbolizer->strings);
	return rc;
}

static void text_bounds(const struct module *module, uint64_t *ret_low, uint64_t *ret_high)
{
	uint64_t low = UINT64_MAX, high = 0;

	for (size_t i = 0; i < module->image.n_phdr; i++) {
		const Elf64_Phdr *p = &module->image.phdr[i];

		if (p->p_type != PT_LOAD || !(p->p_flags & PF_X) ||
			p->p_memsz > UINT64_MAX - p->p_vaddr)
			continue;
		low = p->p_vaddr < low ? p->p_vaddr : low;
		high = p->p_vaddr + p->p_memsz > high ? p->p_vaddr + p->p_memsz : high;
	}
	*ret_low = low;
	*ret_high = high;
}

/* The supplement of a file that dwz has shortened. */
static int load_supplement(struct names *n, struct source *from, bool *ret_missing)
{
	struct debugfile found;
	int rc = debugfile_find_supplement(n->module->symbolizer, from->path, &from->elf, &found);

	*ret_missing = rc == -ENXIO;
	if (rc)
		return rc == -ENOMEM ? rc : 0;
	if (skip_of(n->module, found.path) != SYMBOLIZER_SKIP_NOTHING) {
		image_release(&found.image);
		*ret_missing = true;
		return 0;
	}
	n->supplement.path = found.path;
	n->supplement.image = found.image;
	(void)open_elf(n, &n->supplement, &n->supplement.image);
	return 0;
}

static int load_lines_from(struct names *n, struct source *from)
{
	struct module *module = n->module;
	struct elffile *supplement;
	uint64_t low, high;
	bool missing;
	int rc;

	if (skip_of(module, from->path) != SYMBOLIZER_SKIP_NOTHING)
		return complain_about(module,
			"its debug information is left alone because it made the parser crash",
			from->path);
	work_on(module, from->path);
	rc = load_supplement(n, from, &missing);
	supplement = n->supplement.elf.elf ? &n->supplement.elf : NULL;
	text_bounds(module, &low, &high);
	n->working_on = from->path;
	budget_watch_begin(&n->budget);
	if (rc == 0)
		rc = debuginfo_open(&from->elf, supplement, &module->symbolizer->strings, low, high,
			&n->debuginfo);
	budget_watch_end(&n->budget);
	work_on(module, NULL);
	if (rc == -E2BIG || rc == -ENOMEM)
		return blame(n, rc);
	n->working_on = NULL;
	if (rc == 0) {
		n->lines = n->working_on = from->path;
		if (missing)
			rc = complain_about(module,
				"a file that dwz shortened, and its supplement is missing: install "
				"the debug package again",
				from->path);
		if (debuginfo_is_split(n->debuginfo))
			module_complain(module,
				"its debug information is split into .dwo files, "
				"which are not read: build without -gsplit-dwarf");
	} else if (rc == -ENOEXEC) {
		rc = complain_about(module, "its debug information is damaged", from->path);
	}
	return rc;
}

static int load_lines(struct names *n)
{
	int rc = -ENOENT;

	if (n->module->symbolizer->options.no_debug_info)
		return 0;
	if (n->own.elf.elf)
		rc = load_lines_from(n, &n->own);
	if (rc == -ENOENT && n->debug.elf.elf)
		rc = load_lines_from(n, &n->debug);
	return rc == -ENOENT ? 0 : rc;
}

static void say_what_is_missing(struct names *n)
{
	if (strcmp(n->symbols, "none") == 0)
		module_complain(n->module, "it has no symbol table: install its debug package");
	else if (strcmp(n->lines, "none") == 0 && !n->module->symbolizer->options.no_debug_info &&
		strcmp(n->module->key.path, "[vdso]") != 0)
		module_complain(n->module,
			"it has no debug information, so no lines and no inlined "
			"functions: install its debug package, or build with -g");
}

static int load(struct names *n)
{
	struct module *module = n->module;
	enum symbolizer_skip skip;
	int rc = 0;

	n->symbols = n->lines = "none";
	n->own.path = module->key.path;
	if (!module->headers_ok)
		return 0;
	skip = skip_of(module, module->key.path);
	if (skip == SYMBOLIZER_SKIP_FILE) {
		n->left_alone = true;
		module_complain(module, "it is left alone because it made the parser crash");
		return 0;
	}
	work_on(module, module->key.path);
	/* An image from memory has no section table; libelf would look for one. */
	if (!module->from_memory && open_elf(n, &n->own, &module->image))
		module_complain(module, "its section headers are damaged");
	rc = load_symbols(n);
	work_on(module, NULL);
	n->lines_wanted = skip == SYMBOLIZER_SKIP_NOTHING;
	if (rc == -E2BIG || rc == -ENOMEM) {
		symtab_release(&n->symtab);
		n->symbols = "none";
		rc = blame(n, rc);
	}
	symtab_seal(&n->symtab);
	return rc;
}

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
	if (load(n)) {
		names_free(n);
		return NULL;
	}
	module->names = n;
	return n;
}

static void release_source(struct source *source)
{
	elffile_close(&source->elf);
	image_release(&source->image);
}

void names_free(struct names *names)
{
	if (!names)
		return;
	debuginfo_close(names->debuginfo);
	symtab_release(&names->symtab);
	elffile_close(&names->own.elf);
	release_source(&names->debug);
	release_source(&names->supplement);
	release_source(&names->mini);
	free(names->answers);
	spelling_release(&names->spellings);
	unwind_table_free(names->ranges);
	arena_release(&names->arena);
	free(names);
}

bool names_is_blamed(const struct names *names)
{
	return names->blamed;
}

const char *names_symbols(const struct names *names)
{
	return names->symbols;
}

const char *names_lines(const struct names *names)
{
	return names->lines;
}

int names_begin(struct names *names)
{
	bool first = !names->begun;
	int rc = 0;

	names->begun = true;
	if (names->lines_wanted)
		rc = load_lines(names);
	names->lines_wanted = false;
	if (rc == 0)
		budget_watch_begin(&names->budget);
	if (first && names->module->headers_ok)
		say_what_is_missing(names);
	if (rc == 0 && names->working_on)
		work_on(names->module, names->working_on);
	return rc;
}

void names_end(struct names *names)
{
	budget_watch_end(&names->budget);
	if (names->working_on)
		work_on(names->module, NULL);
}

/*
 * The name of one frame. A function's linkage name says it in full. Where it has none and the
 * language has namespaces, the symbol at its address does; an inlined call has no symbol.
 */
static int name_frame(struct names *n, const struct debuginfo_frame *from,
	const struct symbol *symbol, struct frame *to)
{
	struct strpool *strings = &n->module->symbolizer->strings;
	const char *linked = from->linkage_name;
	struct spelling name, clone;
	size_t bytes;
	int rc;

	if (!linked && symbol && (!from->name || !from->qualified))
		linked = symbol->name;
	if (!linked)
		linked = from->name ? from->name : "";
	rc = spelling_find(&n->spellings, strings, &n->budget, linked, &name);
	/* "foo.constprop.0": the linker's word for a clone of what DWARF calls foo. */
	bytes = strlen(linked);
	if (rc == 0 && symbol && strncmp(symbol->name, linked, bytes) == 0 &&
		symbol->name[bytes] == '.') {
		rc = spelling_find(&n->spellings, strings, &n->budget, symbol->name, &clone);
		name.linked = clone.linked;
	}
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

/* Where no name is known, the function's place stands for it. */
static int make_unnamed(struct names *n, uint64_t svma, struct frame_chain *ret_chain)
{
	struct frame *frame;
	const char *name = NULL;
	int rc = n->left_alone ? 0 : unnamed_find(n->module, &n->ranges, svma, &name);

	if (rc || !name)
		return rc;
	frame = arena_alloc(&n->arena, sizeof(*frame));
	if (!frame)
		return -ENOMEM;
	*frame = (struct frame){.function = name, .symbol = name, .file = "", .unnamed = true};
	*ret_chain = (struct frame_chain){.frame = frame, .n = 1};
	return 0;
}

/* What the debug information says; nothing, if it has to be given up. */
static int find_frames(
	struct names *n, uint64_t svma, struct debuginfo_frame *found, size_t *ret_count)
{
	int rc = n->debuginfo ? debuginfo_find(n->debuginfo, svma, found, ret_count) : 0;

	if (rc) {
		*ret_count = 0;
		rc = blame(n, rc);
	}
	return rc;
}

static int make_chain(struct names *n, uint64_t svma, struct frame_chain *ret_chain)
{
	struct debuginfo_frame found[DEBUGINFO_FRAMES_MAX];
	const struct symbol *symbol = symtab_find(&n->symtab, svma);
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

static struct answer *answer_slot(struct names *n, uint64_t svma)
{
	size_t at = (size_t)(svma * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (n->answers_capacity - 1);

	while (n->answers[at].used && n->answers[at].svma != svma)
		at = (at + 1) & (n->answers_capacity - 1);
	return &n->answers[at];
}

static int grow_answers(struct names *n)
{
	struct answer *old = n->answers;
	size_t old_capacity = n->answers_capacity;
	size_t capacity = old_capacity ? old_capacity * 2 : 64;
	struct answer *answers = calloc(capacity, sizeof(*answers));

	if (!answers)
		return -ENOMEM;
	n->answers = answers;
	n->answers_capacity = capacity;
	for (size_t i = 0; i < old_capacity; i++)
		if (old[i].used)
			*answer_slot(n, old[i].svma) = old[i];
	free(old);
	return 0;
}

int names_resolve(struct names *names, uint64_t svma, struct frame_chain *ret_chain)
{
	struct frame_chain chain;
	struct answer *answer;
	int rc;

	if (names->n_answers * 2 >= names->answers_capacity && grow_answers(names))
		return -ENOMEM;
	answer = answer_slot(names, svma);
	if (answer->used) {
		*ret_chain = answer->chain;
		return 0;
	}
	rc = make_chain(names, svma, &chain);
	/* The answers may have been thrown away meanwhile. */
	if (rc == 0 && names->n_answers * 2 >= names->answers_capacity)
		rc = grow_answers(names);
	if (rc)
		return rc;
	answer = answer_slot(names, svma);
	*answer = (struct answer){.used = true, .svma = svma, .chain = chain};
	names->n_answers++;
	*ret_chain = chain;
	return 0;
}

int module_section(struct module *module, const char *name, const uint8_t **ret_data,
	size_t *ret_bytes, uint64_t *ret_svma)
{
	struct names *names = names_of(module);
	struct elffile_section section;
	int found;

	if (!names)
		return -ENOMEM;
	work_on(module, module->key.path);
	found = elffile_find(&names->own.elf, name, &section);
	if (found < 0 && names->debug.elf.elf) {
		work_on(module, names->debug.path);
		found = elffile_find(&names->debug.elf, name, &section);
	}
	work_on(module, NULL);
	if (found < 0)
		return -ENOENT;
	*ret_data = section.data;
	*ret_bytes = (size_t)section.bytes;
	if (ret_svma)
		*ret_svma = section.svma;
	return 0;
}

bool names_bounds(struct names *n, uint64_t svma, uint64_t *ret_start, uint64_t *ret_end)
{
	const struct symbol *symbol = n->begun ? symtab_find(&n->symtab, svma) : NULL;
	struct unwind_entry entry;

	if (symbol) {
		*ret_start = symbol->svma;
		*ret_end = symbol->svma + symbol->bytes;
		return true;
	}
	if (!n->ranges || unwind_table_find(n->ranges, svma, &entry) < 0)
		return false;
	*ret_start = entry.low;
	*ret_end = entry.high;
	return true;
}
