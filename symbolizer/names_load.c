/* SPDX-License-Identifier: MIT */
/* Creates a module's names, loads its files, and finds sections in them. */
#include "symbolizer/names.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/pool.h"
#include "symbolizer/debugfile.h"
#include "symbolizer/debuginfo.h"
#include "symbolizer/gopclntab.h"
#include "symbolizer/minidebug.h"
#include "symbolizer/module.h"
#include "symbolizer/splitfile.h"

void names_work_on(const struct module *module, const char *path)
{
	struct symbolizer *symbolizer = module->symbolizer;

	symbolizer->working_on = path;
	if (symbolizer->options.working_on)
		symbolizer->options.working_on(symbolizer->options.context, path);
}

static enum symbolizer_skip skip_of(const struct module *module, const char *path)
{
	const struct symbolizer_options *options = &module->symbolizer->options;

	return options->skip ? options->skip(options->context, path) : SYMBOLIZER_SKIP_NOTHING;
}

/* The most bytes of a file without section headers that are searched for Go's table. */
#define GO_SEARCH_MOST (UINT64_C(512) << 20)

/*
 * The value of module_info.symbols or .lines if the file has symbols or debug information that were
 * not read; module_info.problem says why.
 */
static const char unread[] = "unread";

static int complain_about(struct module *module, const char *what, const char *path)
{
	char text[1024];
	const char *problem;
	int n = snprintf(text, sizeof(text), "%s (%.900s)", what, path);

	problem = n > 0 ? pool_intern(&module->symbolizer->strings, text, sizeof(text)) : NULL;
	if (!problem)
		return -ENOMEM;
	module_complain(module, problem);
	return 0;
}

int names_blame(struct names *n, int error)
{
	struct module *module = n->module;
	char text[512];
	const char *problem;

	(void)snprintf(text, sizeof(text), "its debug information is left out: %s (%.300s)",
		error == -ENOMEM ? "there is not enough memory for it"
				 : "it takes far more memory than a file of its size should",
		n->working_on ? n->working_on : module->key.path);
	names_work_on(module, NULL);
	debuginfo_close(n->debuginfo);
	n->debuginfo = NULL;
	n->lines = unread;
	n->lines_wanted = false;
	n->working_on = NULL;
	n->blamed = true;
	/* Forgets what names_resolve() has found, as it came from the debug information. */
	table_clear(&n->table);
	n->n_answers = 0;
	problem = pool_intern(&module->symbolizer->strings, text, sizeof(text));
	if (!problem)
		return -ENOMEM;
	module->problem = problem; /* Replaces earlier problems, which follow from this one. */
	return 0;
}

static int open_elf(struct names *n, struct names_source *source, const struct elfimage *image)
{
	int rc = elffile_open(&source->elf, image);

	if (rc == 0) {
		budget_admit(&n->budget, image->bytes);
		source->elf.budget = &n->budget;
	}
	return rc;
}

/* Adds the symbols of MiniDebugInfo: local functions, which .dynsym lacks. */
static int load_mini(struct names *n)
{
	struct elffile_section section;
	int rc;

	if (elffile_find(&n->own.elf, ".gnu_debugdata", &section) < 0)
		return 0;
	rc = minidebug_unpack(section.data, (size_t)section.bytes, &n->budget, &n->mini.image);
	if (rc == -ENOTSUP)
		module_complain(n->module,
			"its .gnu_debugdata is not read: built without liblzma "
			"(Debian: liblzma-dev)");
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
		elfimage_release(&found.image);
		return complain_about(module,
			"its debug file is left alone because it made the parser crash",
			found.path);
	}
	n->debug.path = found.path;
	n->debug.image = found.image;
	names_work_on(module, found.path);
	if (open_elf(n, &n->debug, &n->debug.image) == 0 && strcmp(n->symbols, "symtab") != 0) {
		rc = symtab_add(&n->symtab, &n->debug.elf, SHT_SYMTAB);
		if (rc > 0)
			n->symbols = found.how;
	}
	names_work_on(module, module->key.path);
	return rc < 0 ? rc : 0;
}

static int load_go(struct names *n)
{
	struct elffile *elf = n->own.elf.elf ? &n->own.elf : NULL;
	int rc;

	/* Without section headers, the whole file is searched: too slow if it is large. */
	if (!elf && n->module->image.bytes > GO_SEARCH_MOST)
		return 0;
	rc = gopclntab_open(&n->module->image, elf, &n->module->symbolizer->strings, &n->pclntab);
	if (rc == 0 && (strcmp(n->symbols, "none") == 0 || strcmp(n->symbols, "dynsym") == 0))
		n->symbols = ".gopclntab";
	return rc == -ENOMEM ? rc : 0;
}

/* An image from memory has no section headers, so only exported functions have names. */
static int load_exported(struct names *n)
{
	int rc;

	budget_admit(&n->budget, n->module->image.bytes);
	rc = symtab_add_exported(&n->symtab, &n->module->image, &n->budget);
	if (rc > 0 && strcmp(n->symbols, "none") == 0)
		n->symbols = "dynsym";
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
	if (rc >= 0 && n->module->from_memory)
		rc = load_exported(n);
	if (rc < 0 || !n->own.elf.elf)
		return rc < 0 ? rc : load_go(n);
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
	return rc < 0 ? rc : load_go(n);
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

static int load_supplement(struct names *n, struct names_source *from, bool *ret_missing)
{
	struct debugfile found;
	int rc = debugfile_find_supplement(n->module->symbolizer, from->path, &from->elf, &found);

	*ret_missing = rc == -ENXIO;
	if (rc)
		return rc == -ENOMEM ? rc : 0;
	if (skip_of(n->module, found.path) != SYMBOLIZER_SKIP_NOTHING) {
		elfimage_release(&found.image);
		*ret_missing = true;
		return 0;
	}
	n->supplement.path = found.path;
	n->supplement.image = found.image;
	(void)open_elf(n, &n->supplement, &n->supplement.image);
	return 0;
}

static int load_split(struct names *n)
{
	int rc = splitfiles_new(
		n->module->symbolizer, n->own.path, n->debug.path, &n->budget, &n->splitfiles);

	if (rc == 0)
		debuginfo_set_splitfiles(n->debuginfo, n->splitfiles);
	return rc;
}

void names_say_split_is_missing(struct names *n)
{
	const char *path, *problem;
	size_t missing = n->splitfiles ? splitfiles_missing(n->splitfiles, &path) : 0;
	char text[1024], more[48] = "";

	if (!missing)
		return;
	if (missing > 1)
		(void)snprintf(more, sizeof(more), " and %zu more", missing - 1);
	(void)snprintf(text, sizeof(text),
		"its debug information is split, and %.400s%s is not there, or of another build, "
		"so inlined functions are missing: bring the .dwo files back, or beside the "
		"program put its .dwp, which \"dwp -e PROGRAM\" makes where they are",
		path, more);
	problem = pool_intern(&n->module->symbolizer->strings, text, strlen(text));
	if (problem)
		module_complain(n->module, problem);
}

static int leave_lines(struct names *n, const char *path)
{
	n->lines = unread;
	return complain_about(n->module,
		"its debug information is left alone because it made the parser crash", path);
}

static int load_lines_from(struct names *n, struct names_source *from)
{
	struct module *module = n->module;
	struct elffile *supplement;
	uint64_t low, high;
	bool missing;
	int rc;

	if (skip_of(module, from->path) != SYMBOLIZER_SKIP_NOTHING)
		return leave_lines(n, from->path);
	names_work_on(module, from->path);
	rc = load_supplement(n, from, &missing);
	supplement = n->supplement.elf.elf ? &n->supplement.elf : NULL;
	text_bounds(module, &low, &high);
	n->working_on = from->path;
	budget_watch_begin(&n->budget);
	if (rc == 0)
		rc = debuginfo_open(&from->elf, supplement, &module->symbolizer->strings, low, high,
			&n->debuginfo);
	budget_watch_end(&n->budget);
	names_work_on(module, NULL);
	if (rc == -E2BIG || rc == -ENOMEM)
		return names_blame(n, rc);
	n->working_on = NULL;
	if (rc < 0 && from->elf.unknown_compression) {
		n->lines = unread;
		return complain_about(module,
			"its debug information is compressed in a way that the installed libelf "
			"cannot read (zstd needs libelf 0.189): objcopy "
			"--decompress-debug-sections "
			"FILE makes it readable",
			from->path);
	}
	if (rc == 0) {
		n->lines = n->working_on = from->path;
		if (missing)
			rc = complain_about(module,
				"a file that dwz shortened, and its supplement is missing: install "
				"the debug package again",
				from->path);
		if (debuginfo_is_split(n->debuginfo))
			rc = rc ? rc : load_split(n);
	} else if (rc == -ENOEXEC) {
		n->lines = unread;
		rc = complain_about(module, "its debug information is damaged", from->path);
	}
	return rc;
}

int names_load_lines(struct names *n)
{
	int rc = -ENOENT;

	if (n->module->symbolizer->options.no_debug_info)
		return 0;
	if (n->own.elf.elf)
		rc = load_lines_from(n, &n->own);
	if (rc == -ENOENT && n->debug.elf.elf)
		rc = load_lines_from(n, &n->debug);
	if (rc == -ENOENT && n->pclntab)
		n->lines = ".gopclntab";
	return rc == -ENOENT ? 0 : rc;
}

void names_say_what_is_missing(struct names *n)
{
	if (strcmp(n->symbols, "none") == 0)
		module_complain(n->module, "it has no symbol table: install its debug package");
	else if (strcmp(n->lines, "none") == 0 && !n->module->symbolizer->options.no_debug_info &&
		strcmp(n->module->key.path, "[vdso]") != 0)
		module_complain(n->module,
			"it has no debug information, so no lines and no inlined "
			"functions: install its debug package, or build with -g");
}

/* Loads symbols and debug file. -ENOMEM. */
static int load(struct names *n)
{
	struct module *module = n->module;
	struct elffile_section section;
	enum symbolizer_skip skip;
	int rc = 0;

	n->symbols = n->lines = "none";
	n->own.path = module->key.path;
	if (!module->headers_ok)
		return 0;
	skip = skip_of(module, module->key.path);
	if (skip == SYMBOLIZER_SKIP_FILE) {
		n->left_alone = true;
		n->symbols = n->lines = unread;
		module_complain(module, "it is left alone because it made the parser crash");
		return 0;
	}
	names_work_on(module, module->key.path);
	/* An image from memory lacks the section table that libelf would read. */
	if (!module->from_memory && open_elf(n, &n->own, &module->image))
		module_complain(module, "its section headers are damaged");
	n->go = elffile_find(&n->own.elf, ".note.go.buildid", &section) > 0;
	rc = load_symbols(n);
	names_work_on(module, NULL);
	n->lines_wanted = skip == SYMBOLIZER_SKIP_NOTHING;
	if (rc == 0 && !n->lines_wanted)
		rc = leave_lines(n, module->key.path);
	if (rc == -E2BIG || rc == -ENOMEM) {
		symtab_release(&n->symtab);
		n->symbols = "none";
		rc = names_blame(n, rc);
	}
	symtab_seal(&n->symtab);
	return rc;
}

static void release_source(struct names_source *source)
{
	elffile_close(&source->elf);
	elfimage_release(&source->image);
}

void names_release_files(struct names *names)
{
	debuginfo_close(names->debuginfo);
	gopclntab_free(names->pclntab);
	splitfiles_free(names->splitfiles);
	symtab_release(&names->symtab);
	elffile_close(&names->own.elf);
	release_source(&names->debug);
	release_source(&names->supplement);
	release_source(&names->mini);
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
		names_release_files(n);
		free(n);
		return NULL;
	}
	module->names = n;
	return n;
}

int module_section(struct module *module, const char *name, const uint8_t **ret_data,
	size_t *ret_bytes, uint64_t *ret_svma)
{
	const char *before = module->symbolizer->working_on;
	struct names *names = names_of(module);
	struct elffile_section section;
	int found;

	if (!names)
		return -ENOMEM;
	names_work_on(module, module->key.path);
	found = elffile_find(&names->own.elf, name, &section);
	if (found < 0 && names->debug.elf.elf) {
		names_work_on(module, names->debug.path);
		found = elffile_find(&names->debug.elf, name, &section);
	}
	/* If a series of names_resolve() is under way, libdwarf works on file @before for it. */
	names_work_on(module, before);
	if (found < 0)
		return -ENOENT;
	*ret_data = section.data;
	*ret_bytes = (size_t)section.bytes;
	if (ret_svma)
		*ret_svma = section.svma;
	return 0;
}
