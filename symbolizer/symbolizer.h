/* SPDX-License-Identifier: MIT */
/*
 * Addresses in, frames out.
 *
 * A symbolizer owns the modules (ELF files) that it has seen, shared by all address spaces. A space
 * is one process image: the mappings of /proc/PID/maps. space_find() turns a runtime address into a
 * location (a module and an address as in its file), which outlives the space; symbolizer_resolve()
 * turns many locations into names and lines at once.
 *
 *	pc    runtime address
 *	svma  address as in the ELF file; bias = pc - svma
 *
 * Nothing here knows how an address was sampled, prints, or exits. Results are 0 or positive, or
 * -errno. A file that is missing or broken is never an error of a call: its module says so
 * (module_describe()), and its locations resolve to no function.
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
	SYMBOLIZER_SKIP_DEBUG_INFO, /* only symbols, no libdwarf */
	SYMBOLIZER_SKIP_FILE,       /* do not parse the file at all */
};

struct symbolizer_options {
	size_t size;                   /* sizeof(struct symbolizer_options) */
	const char *debug_directories; /* colon-separated; NULL: /usr/lib/debug */
	bool no_debug_info;            /* only symbols: no lines, no inlined frames */
	/*
	 * Called with the path of a file just before third-party code (libelf, libdwarf) works on
	 * it, and with NULL afterwards, so that a crash can be attributed. May be NULL.
	 */
	void (*working_on)(void *context, const char *path);
	/* How much of a file to skip (a predecessor crashed on it). May be NULL. */
	enum symbolizer_skip (*skip)(void *context, const char *path);
	void *context;
	struct opener *opener; /* opens files; must outlive the symbolizer. NULL: this process */
};

/* Creates a symbolizer with a copy of @options; NULL: all are 0. -ENOMEM. */
int symbolizer_new(const struct symbolizer_options *options, struct symbolizer **ret_symbolizer);
/*
 * Frees the symbolizer with its modules and all strings it returned. All spaces must be freed
 * before. NULL is allowed.
 */
void symbolizer_free(struct symbolizer *symbolizer);

/*
 * Creates a process image. @pid > 0: files are searched under /proc/PID/root first (other mount
 * namespaces), and deleted or replaced ones through /proc/PID/map_files if permitted; they are
 * opened in space_set_maps(), while the process lives. @pid 0: only the paths as given; a file
 * whose inode differs from that in the maps is used, and its module's problem says so.
 */
int space_new(struct symbolizer *symbolizer, int pid, struct space **ret_space);
/* Creates the same mappings under another pid: the image of a forked child. */
int space_fork(const struct space *space, int pid, struct space **ret_space);
void space_free(struct space *space);

/*
 * Replaces the mappings by the text of a /proc/PID/maps (need not be NUL-terminated). Returns the
 * number of invalid lines, which are skipped. Locations found before stay valid.
 */
int space_set_maps(struct space *space, const char *text, size_t bytes);

/*
 * Replaces the mappings by the executable segments of the file at @path, an absolute path, at their
 * addresses in the file. -ENOEXEC: not an ELF file; -ENOENT and so on: it cannot be opened. Then
 * nothing has changed.
 */
int space_set_file(struct space *space, const char *path);

/*
 * The path of the first mapping of a jitdump, "…/jit-PID.dump", which has the names of the
 * process's generated code. NULL: none. Valid until the symbolizer is freed.
 */
const char *space_jitdump(const struct space *space);

/*
 * Of a Go program: the bytes from the thread-local word "g" up to the thread pointer. 0: it is no
 * Go program, or this is not known. Reads the symbols of the first executable mapping's file.
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
	const char *build_id; /* hex, "" none */
	/* The executable segment that contains the location, for pprof's Mapping. */
	uint64_t segment_svma, segment_bytes, segment_offset;
	bool deleted;    /* deleted, or replaced by another file */
	bool unanswered; /* the server of the file does not answer */
	/* The following fields are "" until symbolizer_resolve() has been called for the module. */
	const char *
		symbols; /* where names came from: "symtab", "dynsym", ".gnu_debugdata", … "none" */
	const char *lines;    /* where lines came from: path of the file with DWARF, or "none" */
	const char *problem;  /* what is missing, and the remedy, in one sentence; "" none */
	const char *language; /* "Go"; "": unknown */
	bool blamed;          /* the file was over its budget, and the problem says so */
};

/*
 * Describes a module, and its segment at @svma. Parses nothing. The symbolizer owns the strings.
 */
void module_describe(const struct module *module, uint64_t svma, struct module_info *ret_info);
/* Has the file been written to since it was opened? Then the results are doubtful. */
bool module_has_changed(const struct module *module);

/* One function at a location; a location with inlined calls has several. */
struct frame {
	const char *function;   /* demangled */
	const char *symbol;     /* as linked (equal to function if not mangled) */
	const char *file;       /* of the line; "" unknown */
	uint32_t line;          /* 0 unknown */
	uint32_t function_line; /* line of the function's declaration, 0 unknown */
	bool inlined;           /* inlined into the next frame of the chain */
	bool unnamed;           /* no name is known: function is "[FILE+0xSTART]" */
};

struct frame_chain {
	const struct frame *frame; /* innermost first */
	size_t n;                  /* 0: nothing is known */
};

/*
 * Resolves @n locations at once; ret_chains[i] belongs to locations[i]. The caller owns the array,
 * the symbolizer the frames and strings. The address must point *into* the instruction: for a
 * return address pass svma - 1. -ENOMEM is the only error.
 */
int symbolizer_resolve(struct symbolizer *symbolizer, const struct code_location *locations,
	size_t n, struct frame_chain *ret_chains);

/*
 * The bounds of the function at a location that was resolved, from symbols or unwind information.
 * False: unknown.
 */
bool symbolizer_bounds(
	const struct code_location *location, uint64_t *ret_start, uint64_t *ret_end);

/*
 * The bytes of code from a location to the end of its segment, as in the file, and the machine
 * (EM_…) of the code. Owned by the module. NULL: not available.
 */
const uint8_t *symbolizer_code(
	const struct code_location *location, size_t *ret_bytes, unsigned *ret_machine);

/*
 * The name of the function at a location, and the location's offset in it. The location need not
 * have been resolved. NULL: no name. Owned by the symbolizer.
 */
const char *symbolizer_function_at(
	struct symbolizer *symbolizer, const struct code_location *location, uint64_t *ret_offset);

#endif
