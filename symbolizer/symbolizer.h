/* SPDX-License-Identifier: MIT */
/*
 * Addresses in, frames out.
 *
 * A symbolizer owns the modules (ELF files) that it has seen, shared by all address spaces. A space
 * is one process image: the mappings of /proc/PID/maps. space_find() turns a runtime address into a
 * place (a module and an address as in its file), which outlives the space; symbolizer_resolve()
 * turns many places into names and lines at once.
 *
 *	pc    runtime address
 *	svma  address as in the ELF file; bias = pc - svma
 *
 * Nothing here knows how an address was sampled, prints, or exits. Results are 0 or positive, or
 * -errno. A file that is missing or broken is never an error of a call: its module says so
 * (module_describe()), and its places resolve to no function.
 */
#ifndef SYMBOLIZER_SYMBOLIZER_H
#define SYMBOLIZER_SYMBOLIZER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct opener;
struct symbolizer;
struct space;
struct module;

enum symbolizer_skip {
	SYMBOLIZER_SKIP_NOTHING,
	SYMBOLIZER_SKIP_DEBUG_INFO, /* symbols only, no libdwarf */
	SYMBOLIZER_SKIP_FILE,       /* do not parse the file at all */
};

struct symbolizer_options {
	size_t size;                   /* sizeof(struct symbolizer_options) */
	const char *debug_directories; /* colon-separated; NULL: /usr/lib/debug */
	bool no_debug_info;            /* symbols only: no lines, no inlined frames */
	/*
	 * Called with the path of a file just before foreign code (libelf, libdwarf) works on it,
	 * and with NULL when that is over, so that a crash can be blamed. May be NULL.
	 */
	void (*working_on)(void *context, const char *path);
	/* How much of a file to leave alone (it made a predecessor crash). May be NULL. */
	enum symbolizer_skip (*skip)(void *context, const char *path);
	void *context;
	struct opener *opener; /* opens files; NULL: this process does. Must outlive it */
};

/* Copies @options. */
int symbolizer_new(const struct symbolizer_options *options, struct symbolizer **ret_symbolizer);
/* Frees it with its modules and all strings it gave out. All spaces must be freed before. NULL is
 * fine. */
void symbolizer_free(struct symbolizer *symbolizer);

/*
 * A process image. @pid > 0: files are looked for under /proc/PID/root first (other mount
 * namespaces), and deleted or replaced ones through /proc/PID/map_files where we may; they are
 * opened at space_set_maps(), while the process lives. @pid 0: only the paths as they stand; a file
 * with another inode than the maps say is used, and its module's problem says so.
 */
int space_new(struct symbolizer *symbolizer, int pid, struct space **ret_space);
/* The same mappings under another pid: the image of a forked child. */
int space_fork(const struct space *space, int pid, struct space **ret_space);
void space_free(struct space *space);

/*
 * Replaces the mappings by the text of a /proc/PID/maps (need not be NUL-terminated). Lines that
 * make no sense are skipped; returns their number. Places found before stay valid.
 */
int space_set_maps(struct space *space, const char *text, size_t bytes);

/*
 * Replaces the mappings by the executable segments of the file at @path, which is absolute, at the
 * addresses that they have in the file. -ENOEXEC: it is no ELF file; -ENOENT and so on: it cannot
 * be opened. Nothing has changed then.
 */
int space_set_file(struct space *space, const char *path);

/*
 * The path of the first mapping that is a jitdump, "…/jit-PID.dump", by which a process tells where
 * the names of its generated code are. NULL: none. Valid until the symbolizer is freed.
 */
const char *space_jitdump(const struct space *space);

struct place {
	struct module *module; /* owned by the symbolizer; never NULL after space_find() */
	uint64_t svma;
};

/* Is pc in a known mapping? A pc in none yields the module "[unknown]" and false. */
bool space_find(const struct space *space, uint64_t pc, struct place *ret_place);

struct module_info {
	const char *path; /* as in maps, without " (deleted)"; "[vdso]", "[anon]", "[unknown]" … */
	const char *build_id; /* hex, "" none */
	/* The executable segment that holds the place, for pprof's Mapping. */
	uint64_t segment_svma, segment_bytes, segment_offset;
	bool deleted; /* gone from the file system, or replaced by another file */
	/* The rest is known once symbolizer_resolve() has looked at the module, and "" before. */
	const char *
		symbols; /* where names came from: "symtab", "dynsym", ".gnu_debugdata", … "none" */
	const char *lines;   /* where lines came from: path of the file with DWARF, or "none" */
	const char *problem; /* what is missing, and the way out; "" none. One sentence. */
	bool blamed;         /* the file was too much for us, and the problem says so */
};

/* Cheap: parses nothing. Strings are owned by the symbolizer. @svma picks the segment. */
void module_describe(const struct module *module, uint64_t svma, struct module_info *ret_info);
/* Has its file been written to since it was opened? What was found in it is then in doubt. */
bool module_has_changed(const struct module *module);

/* One function at a place; a place has several when calls were inlined there. */
struct frame {
	const char *function;   /* demangled */
	const char *symbol;     /* as linked (equal to function where nothing was mangled) */
	const char *file;       /* of the line; "" unknown */
	uint32_t line;          /* 0 unknown */
	uint32_t function_line; /* where the function is declared, 0 unknown */
	bool inlined;           /* inlined into the next frame of the chain */
	bool unnamed;           /* no name is known: function is "[FILE+0xSTART]" */
};

struct frame_chain {
	const struct frame *frame; /* innermost first */
	size_t n;                  /* 0: nothing is known */
};

/*
 * Resolves @n places at once; ret_chains[i] belongs to places[i]. The caller owns the array, the
 * symbolizer the frames and strings. The address must point *into* the instruction: for a return
 * address pass svma - 1. -ENOMEM is the only error.
 */
int symbolizer_resolve(struct symbolizer *symbolizer, const struct place *places, size_t n,
	struct frame_chain *ret_chains);

/*
 * The bounds of the function that a place which was resolved is in, as symbols or unwind
 * information tell them. False: they do not.
 */
bool symbolizer_bounds(const struct place *place, uint64_t *ret_start, uint64_t *ret_end);

/*
 * The bytes of a place as its file has them, and for which machine (EM_…) they are. NULL: they are
 * not to be had.
 */
const uint8_t *symbolizer_code(const struct place *place, size_t *ret_bytes, unsigned *ret_machine);

/*
 * The name of the function at a place, and how far into it that is. It need not have been resolved.
 * NULL: it has no name. Owned by the symbolizer.
 */
const char *symbolizer_function_at(
	struct symbolizer *symbolizer, const struct place *place, uint64_t *ret_offset);

#endif
