/* SPDX-License-Identifier: MIT */
/* Answers what sprofreport asks about an object (proto/inspection.h); in a sandbox. */
#ifndef TOOLS_INSPECT_OBJECT_H
#define TOOLS_INSPECT_OBJECT_H

#include <stdio.h>

#include "proto/inspection.h"

struct opener;
struct symbolizer;

/*
 * Reads the addresses of @object from @asked, and writes the answer. -EPROTO: fewer addresses than
 * were announced. -ENOMEM.
 */
int inspect_object(struct symbolizer *symbolizer, struct opener *opener,
	const struct inspection_object *object, struct reader *asked, FILE *out);

#endif
