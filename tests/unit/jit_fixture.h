/* SPDX-License-Identifier: MIT */
#ifndef TESTS_JIT_FIXTURE_H
#define TESTS_JIT_FIXTURE_H

#include "analyst/jit/jit.h"

static const char *name_at(struct jit_map *map, uint64_t pc)
{
	struct jit_source source;

	return jit_map_look_up(map, pc, &source) ? source.name : NULL;
}

#endif
