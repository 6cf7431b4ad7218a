/* SPDX-License-Identifier: MIT */
#ifndef SYMBOLIZER_DEMANGLE_H
#define SYMBOLIZER_DEMANGLE_H

struct pool;

/*
 * The name as in the source: C++, Rust and D names demangled (if libiberty was built in), without
 * gcc's suffixes of clones (.constprop.0, .isra.0, .part.0, .cold, .lto_priv.0), which are the same
 * function. Returns @name itself if nothing changes. NULL: out of memory. @name must be interned,
 * and the result is.
 */
const char *demangle_name(struct pool *strings, const char *name);

#endif
