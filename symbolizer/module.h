/* SPDX-License-Identifier: MIT */
/* Modules, mappings and spaces, for this folder. Modules live as long as the symbolizer. */
#ifndef SYMBOLIZER_MODULE_H
#define SYMBOLIZER_MODULE_H

#include "base/pool.h"
#include "base/table.h"
#include "symbolizer/base/budget.h"
#include "symbolizer/elfimage.h"
#include "symbolizer/symbolizer.h"

struct maps_line;
struct names; /* names.h: symbols, lines, inlined calls of a module */
struct unwind_table;

struct module_key {
	const char *path; /* interned */
	uint64_t dev, ino, bytes, mtime_ns;
	bool deleted;
};

struct module {
	struct symbolizer *symbolizer;
	struct module_key key;
	struct elfimage image; /* .data NULL: the file is not available, and `problem` says why */
	bool headers_ok;       /* elfimage_read_headers() succeeded */
	bool unanswered;       /* the file's network file system does not answer */
	bool from_memory;      /* the image was assembled from a process: no section headers */
	const char *build_id;  /* hex, "": none */
	const char *problem;   /* module_info.problem; "": none */
	struct names *names;   /* created by names_of() */
	struct unwind_table *frames; /* call frame information; created by unwind_table_find() */
};

struct symbolizer {
	struct symbolizer_options options;
	char *debug_directories;
	char *debuginfod_cache; /* libdebuginfod's cache folder; NULL: none */
	struct pool strings;
	struct budget budget; /* of all files */
	struct table table;   /* of modules */
	struct module **modules;
	size_t n_modules, modules_room;
	struct module *unknown, *anonymous;
	const char *working_on; /* the path that options.working_on got last; NULL: none */
};

struct mapping {
	uint64_t start, end, offset, bias;
	uint64_t inode;
	uint32_t major, minor;
	bool write, execute;
	/*
	 * The mapping has no file, or one without ELF headers, and has code that was moved here
	 * from @module's file (space_moved.c).
	 */
	bool moved;
	/* Was compared with moved code (space_find_moved()); @module and @bias are the result. */
	bool compared;
	const char *name; /* as in maps, interned */
	struct module *module;
};

/* Are the lines of @a and @b in the maps equal, apart from the permission to write? */
static inline bool mapping_is_same(const struct mapping *a, const struct mapping *b)
{
	return a->start == b->start && a->end == b->end && a->offset == b->offset &&
		a->inode == b->inode && a->major == b->major && a->minor == b->minor &&
		a->name == b->name && a->execute == b->execute;
}

struct space {
	struct symbolizer *symbolizer;
	int pid;
	struct mapping *mappings; /* ascending, not overlapping */
	size_t n;
};

/* Sets the biases of @n ascending mappings, whose modules are set (space_bias.c). -ENOMEM. */
int space_set_biases(struct mapping *mappings, size_t n);

/*
 * May the mapping be code that was moved from a file to memory without a file? Generated code,
 * which looks the same in the maps, gives true, too.
 */
bool space_may_be_moved(const struct mapping *mapping);
/* Does the mapping at @index adjoin one for which space_may_be_moved() is true? */
bool space_is_beside_moved(const struct mapping *mappings, size_t n, size_t index);
/*
 * Sets modules and biases of two kinds of mappings. For moved code they come from the mappings
 * beside it. For copies of moved code they come from the process's memory; a copy that was compared
 * already when it was in @space keeps them.
 */
void space_find_moved(const struct space *space, struct mapping *mappings, size_t n);

/* The mapping that contains @pc; NULL: none. Valid until the next space_set_maps(). */
const struct mapping *space_find_mapping(const struct space *space, uint64_t pc);

/*
 * Reads memory at @address from the file mapped there. Returns the number of bytes; 0: no file, or
 * a writable mapping, which may differ from its file.
 */
size_t space_read(const struct space *space, uint64_t address, void *to, size_t bytes);

/*
 * Finds a section of the module's file, or else of its debug file, and decompresses it. The bytes
 * live as long as the symbolizer. @ret_svma may be NULL. -ENOENT: no such section; -ENOMEM.
 */
int module_section(struct module *module, const char *name, const uint8_t **ret_data,
	size_t *ret_bytes, uint64_t *ret_svma);

/* The module for memory without a file: "[anon]", "[heap]", ... NULL: out of memory. */
struct module *module_special(struct symbolizer *symbolizer, const char *name);
/* Finds or opens a mapped file or the vdso. -ENOMEM; a missing file only sets module->problem. */
int module_open(struct symbolizer *symbolizer, int pid, const struct maps_line *line,
	struct module **ret_module);

/* Sets a module's problem, unless it has one: later ones are consequences of the first. */
void module_complain(struct module *module, const char *problem);

#endif
