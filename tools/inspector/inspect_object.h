/* SPDX-License-Identifier: MIT */
/* Answers sprofreport's requests about an object (proto/inspection.h), in a sandbox. */
#ifndef TOOLS_INSPECTOR_INSPECT_OBJECT_H
#define TOOLS_INSPECTOR_INSPECT_OBJECT_H

#include <stdio.h>

#include "proto/inspection.h"

struct opener;
struct symbolizer;

/* Answers about the addresses in @asked. 0 or -errno; -EPROTO: fewer addresses than announced. */
int inspect_object(struct symbolizer *symbolizer, struct opener *opener,
	const struct inspection_object *object, struct reader *asked, FILE *out);

#endif
