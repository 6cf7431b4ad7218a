/* SPDX-License-Identifier: MIT */
#ifndef SYMBOLIZER_DEMANGLE_H
#define SYMBOLIZER_DEMANGLE_H

struct strpool;

/*
 * The name as its programmer wrote it: C++, Rust and D names demangled (where libiberty was built
 * in), without gcc's marks of clones (.constprop.0, .isra.0, .part.0, .cold, .lto_priv.0): they are
 * the same function. @name itself when nothing is to be done. NULL: out of memory. @name must
 * be interned, and so is the result.
 */
const char *demangle_name(struct strpool *strings, const char *name);

#endif
