/* SPDX-License-Identifier: MIT */
#ifndef SYMBOLIZER_DEMANGLE_H
#define SYMBOLIZER_DEMANGLE_H

struct pool;

/*
 * The name as in the source: C++, Rust and D names demangled (if built with libiberty), without a
 * clone's suffix (.constprop.0, .isra.0, .cold, …). @name and the result are interned; the result
 * is @name if nothing changes. NULL: out of memory.
 */
const char *demangle_name(struct pool *strings, const char *name);

#endif
