/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "view/export/svg.h"

struct object {
	const char *name;
	int64_t self;
};

static int compare_objects(const void *a, const void *b)
{
	const struct object *x = a, *y = b;

	if (x->self != y->self)
		return x->self > y->self ? -1 : 1;
	return strcmp(x->name, y->name);
}

static bool object_equal(const void *items, uint32_t index, const void *key)
{
	return ((const struct object *)items)[index].name == (const char *)key;
}

/*
 * Adds up elements with the same name. Returns the number of different names. *@error: set to
 * -ENOMEM on failure; if it is negative before, nothing is done.
 */
static size_t join(struct object *object, size_t n, struct table *table, int *error)
{
	size_t objects = 0;

	for (size_t i = 0; i < n && *error >= 0; i++) {
		uint64_t hash = table_mix((uintptr_t)object[i].name, 0);
		int same = table_find(table, hash, object_equal, object, object[i].name);

		if (same >= 0) {
			object[same].self += object[i].self;
			continue;
		}
		object[objects] = object[i];
		*error = table_add(table, hash, (uint32_t)objects++);
	}
	return objects;
}

int svg_choose_objects(struct svg *svg)
{
	const struct tree *tree = svg->tree;
	struct object *object = calloc(tree->n + 1, sizeof(*object));
	struct table table = {0};
	size_t n = 0;
	int error = 0;

	if (!object)
		return -ENOMEM;
	for (size_t i = 0; i < tree->n; i++) {
		uint32_t place = tree->node[i].place;

		if (place == TREE_NONE)
			continue;
		object[n].name = tree->places.place[place].object;
		object[n++].self = tree_self_weight(tree, i);
	}
	n = join(object, n, &table, &error);
	table_release(&table);
	if (error >= 0 && n)
		qsort(object, n, sizeof(*object), compare_objects);
	for (size_t i = 0; i < n && error >= 0; i++) {
		if (i < SVG_OBJECTS) {
			svg->object[svg->objects] = object[i].name;
			svg->object_self[svg->objects++] = object[i].self;
		} else {
			svg->other_self += object[i].self;
		}
	}
	free(object);
	return error < 0 ? error : 0;
}

unsigned svg_object_of(const struct svg *svg, const char *object)
{
	for (unsigned i = 0; i < svg->objects; i++) {
		if (svg->object[i] == object)
			return i;
	}
	return SVG_OBJECTS;
}

/*
 * The colours of objects, and white mixed in by the function's name. Black text is legible on all
 * of them, and most colour-blind people can tell the objects apart.
 */
void svg_color(unsigned object, const char *function, char to[8])
{
	static const uint8_t colors[SVG_OBJECTS + 1][3] = {{0xf4, 0xa2, 0x59}, {0x8a, 0xb8, 0xec},
		{0x93, 0xcf, 0x86}, {0xc6, 0xa4, 0xea}, {0xef, 0xd4, 0x5c}, {0x74, 0xcf, 0xc6},
		{0xf3, 0x9b, 0xb4}, {0xcb, 0xad, 0x84}, {0xbd, 0xd9, 0x5e}, {0xa6, 0xb8, 0xc9},
		{0xd0, 0xd0, 0xd0}};
	const uint8_t *color = colors[object < SVG_OBJECTS ? object : SVG_OBJECTS];
	/* Sixteenths of white in the colour, by the function's name. */
	unsigned white = (unsigned)(table_hash_bytes(0, function, strlen(function)) >> 13) % 8;
	unsigned part[3];

	for (size_t i = 0; i < 3; i++)
		part[i] = color[i] + (255u - color[i]) * white / 16;
	(void)snprintf(to, 8, "#%02x%02x%02x", part[0] & 0xff, part[1] & 0xff, part[2] & 0xff);
}
