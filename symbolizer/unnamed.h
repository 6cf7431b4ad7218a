/* SPDX-License-Identifier: MIT */
#ifndef SYMBOLIZER_UNNAMED_H
#define SYMBOLIZER_UNNAMED_H

#include <stdint.h>

struct module;

/*
 * Names code of a stripped file by the function's start, from unwind information:
 * "[liblzma.so.5+0x1b2c0]" begins at svma 0x1b2c0. *@ret_name is interned; NULL: no function is
 * known. -ENOMEM.
 */
int unnamed_find(struct module *module, uint64_t svma, const char **ret_name);

#endif
