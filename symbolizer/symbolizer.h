/* SPDX-License-Identifier: MIT */
/*
 * Turns addresses into frames. A symbolizer owns the modules (ELF files) of all address spaces. A
 * space is one process image: the mappings of /proc/PID/maps. space_find() turns a pc into a
 * location (module and svma), which outlives the space; symbolizer_resolve() turns locations into
 * names and lines.
 *
 *	pc    runtime address
 *	svma  address as in the ELF file; bias = pc - svma
 *
 * Results are 0 or positive, or -errno. A missing or broken file is no error of a call:
 * module_describe() tells of it, and its locations resolve to no function.
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
	SYMBOLIZER_SKIP_DEBUG_INFO, /* read only symbols, without libdwarf */
	SYMBOLIZER_SKIP_FILE,       /* do not parse the file at all */
};

struct symbolizer_options {
	size_t size;                   /* sizeof(struct symbolizer_options) */
	const char *debug_directories; /* colon-separated; NULL: /usr/lib/debug */
	bool no_debug_info;            /* only symbols: no lines, no inlined frames */
	/*
	 * Called with a file's path before libelf or libdwarf works on it, and with NULL
	 * afterwards, so that a crash can be attributed. May be NULL.
	 */
	void (*working_on)(void *context, const char *path);
	/* How much to skip of a file on which an earlier process crashed. May be NULL. */
	enum symbolizer_skip (*skip)(void *context, const char *path);
	void *context;
	struct opener *opener; /* opens files; must outlive the symbolizer. NULL: this process */
};

/* Creates a symbolizer with a copy of @options; NULL: all are 0. -ENOMEM. */
int symbolizer_new(const struct symbolizer_options *options, struct symbolizer **ret_symbolizer);
/* Frees also the modules and all strings returned. Free all spaces before. NULL is allowed. */
void symbolizer_free(struct symbolizer *symbolizer);

/*
 * Creates a process image. @pid > 0: space_set_maps() opens each mapped file under /proc/PID/root,
 * as the process may be in another mount namespace. It opens a deleted or replaced file by
 * /proc/PID/map_files, if permitted. The process must still live. @pid 0: space_set_maps() opens
 * files by their paths. A file whose inode is not the one in the maps is used, and its module's
 * problem says so.
 */
int space_new(struct symbolizer *symbolizer, int pid, struct space **ret_space);
/* Creates a forked child's image: the same mappings under another pid. */
int space_fork(const struct space *space, int pid, struct space **ret_space);
void space_free(struct space *space);

/* Sets mappings by a maps file's text. Returns how many invalid lines were skipped, or -ENOMEM. */
int space_set_maps(struct space *space, const char *text, size_t bytes);

/*
 * Sets the mappings to the executable segments of the file at the absolute @path, with bias 0.
 * -ENOEXEC: not an ELF file; another -errno: it cannot be opened. On error nothing has changed.
 */
int space_set_file(struct space *space, const char *path);

/* Path of the first mapped jitdump, "…/jit-PID.dump"; NULL: none. Owned by the symbolizer. */
const char *space_jitdump(const struct space *space);

/*
 * How many bytes a Go program's thread-local word "g", which has the current goroutine, lies below
 * the thread pointer; 0: unknown, or not Go. Parses the file of the first executable mapping.
 */
uint32_t space_go(const struct space *space);

struct code_location {
	struct module *module; /* owned by the symbolizer; never NULL after space_find() */
	uint64_t svma;
};

/* Is pc in a known mapping? If not, the location is in the module "[unknown]". */
bool space_find(const struct space *space, uint64_t pc, struct code_location *ret_location);

struct module_info {
	const char *path; /* as in maps, without " (deleted)"; "[vdso]", "[anon]", "[unknown]" … */
	const char *build_id; /* hex, "": none */
	/* The PT_LOAD segment that contains the location, for pprof's Mapping. */
	uint64_t segment_svma, segment_bytes, segment_offset;
	bool deleted;    /* deleted, or replaced by another file */
	bool unanswered; /* the file's network file system does not answer */
	/* The following fields are complete only after symbolizer_resolve() for the module. */
	const char *
		symbols; /* where names came from: "symtab", "dynsym", ".gnu_debugdata", … "none" */
	/*
	 * path of the file with DWARF; ".gopclntab": from Go's own table; "unread": it has DWARF
	 * that was not read, and @problem says why; "none"
	 */
	const char *lines;
	const char *problem;  /* what is missing, and the remedy, in one sentence; "": nothing */
	const char *language; /* "Go"; "": unknown */
	/* debug information was left out, as it took too much memory; @problem says so */
	bool blamed;
};

/* Describes a module and its segment at @svma. Parses nothing. The symbolizer owns the strings. */
void module_describe(const struct module *module, uint64_t svma, struct module_info *ret_info);
/* Has the file been written to since it was opened? Then the results are doubtful. */
bool module_has_changed(const struct module *module);

/* One function at a location; a location with inlined calls has several. */
struct frame {
	const char *function;   /* demangled */
	const char *symbol;     /* as linked (equal to function if not mangled) */
	const char *file;       /* of the line; "": unknown */
	uint32_t line;          /* 0: unknown */
	uint32_t function_line; /* line of the function's declaration; 0: unknown */
	bool inlined;           /* inlined into the next frame of the chain */
	bool unnamed;           /* no name is known: function is "[FILE+0xSTART]" */
};

struct frame_chain {
	const struct frame *frame; /* innermost first */
	size_t n;                  /* 0: nothing is known */
};

/*
 * Resolves @n locations; ret_chains[i] belongs to locations[i]. The symbolizer owns frames and
 * strings. Pass an address inside the instruction that is meant. A return address lies behind the
 * call, so pass the return address - 1. -ENOMEM is the only error.
 */
int symbolizer_resolve(struct symbolizer *symbolizer, const struct code_location *locations,
	size_t n, struct frame_chain *ret_chains);

/* The bounds of the function at a location that was resolved. False: unknown. */
bool symbolizer_bounds(
	const struct code_location *location, uint64_t *ret_start, uint64_t *ret_end);

/* The module's code from a location to its segment's end; NULL: none. *@ret_machine: EM_… */
const uint8_t *symbolizer_code(
	const struct code_location *location, size_t *ret_bytes, unsigned *ret_machine);

/* Resolves one location to the function's name and the offset in it. NULL: no name. */
const char *symbolizer_function_at(const struct code_location *location, uint64_t *ret_offset);

#endif
