/* SPDX-License-Identifier: MIT */
#ifndef SYMBOLIZER_MINIDEBUG_H
#define SYMBOLIZER_MINIDEBUG_H

#include <stddef.h>
#include <stdint.h>

struct budget;
struct elfimage;

/*
 * Decompresses .gnu_debugdata (an ELF file with a symbol table, compressed by xz) into @image.
 * -ENOTSUP: built without liblzma; -EINVAL: damaged; -E2BIG: over the budget; -ENOMEM.
 */
int minidebug_unpack(
	const uint8_t *data, size_t bytes, struct budget *budget, struct elfimage *image);

#endif
