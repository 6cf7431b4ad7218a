/* SPDX-License-Identifier: MIT */
#ifndef SYMBOLIZER_UNNAMED_H
#define SYMBOLIZER_UNNAMED_H

#include <stdint.h>

struct module;
struct unwind_table;

/*
 * A name for code of a stripped file: the unwind information still has the start of each function.
 * "[liblzma.so.5+0x1b2c0]" is the function at svma 0x1b2c0 of that file. *@table is created at the
 * first use; the caller frees it. *@ret_name is interned, NULL if no function is known there.
 * -ENOMEM.
 */
int unnamed_find(
	struct module *module, struct unwind_table **table, uint64_t svma, const char **ret_name);

#endif
