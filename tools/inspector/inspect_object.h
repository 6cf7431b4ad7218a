/* SPDX-License-Identifier: MIT */
/* Answers requests of sprofreport about an object (proto/inspection.h); in a sandbox. */
#ifndef TOOLS_INSPECTOR_INSPECT_OBJECT_H
#define TOOLS_INSPECTOR_INSPECT_OBJECT_H

#include <stdio.h>

#include "proto/inspection.h"

struct opener;
struct symbolizer;

/*
 * Reads the addresses to look up in @object from @asked, and writes the answer to @out. 0 or
 * -errno; -EPROTO: fewer addresses than announced.
 */
int inspect_object(struct symbolizer *symbolizer, struct opener *opener,
	const struct inspection_object *object, struct reader *asked, FILE *out);

#endif
