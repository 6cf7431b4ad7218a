/* SPDX-License-Identifier: MIT */
/*
 * A flame graph in one SVG file: without its script a picture with tooltips, with it searched,
 * zoomed and walked by mouse and keyboard (flame.js). It loads nothing from anywhere.
 *
 * A frame is as wide as its share of what the samples are weighed by. Colours tell the objects.
 */
#ifndef VIEW_SVG_H
#define VIEW_SVG_H

#include <stdint.h>

#include "view/tree_report.h"

struct svg_diff;

/* As export_format->write. */
int svg_write(const struct profile *profile, const struct report_options *options, FILE *out,
	char **ret_problem);

/* The same as an element of an HTML page, without what stands above and below the frames. */
int svg_write_element(const struct profile *profile, const struct report_options *options,
	FILE *out, char **ret_problem);

/* The same of the paths of two sides (svg_diff.h), which are the profile's stacks. */
int svg_write_diff(const struct profile *profile, const struct report_options *options,
	struct svg_diff *diff, FILE *out, char **ret_problem);

/* Where things are, in pixels, before the script fits them to the window. */
enum { SVG_WIDTH = 1200, SVG_MARGIN = 10, SVG_LINE = 18, SVG_ROW = 18, SVG_FRAME = 17 };

/* Objects that have a colour of their own; the others are grey. */
enum { SVG_OBJECTS = 10 };

struct svg {
	const struct profile *profile;
	const struct report_options *options;
	const struct tree *tree;
	const struct tree_choice *choice;
	FILE *out;
	uint32_t rows; /* frames above each other, the root's too */
	unsigned top;  /* of the frames */
	bool element;  /* of an HTML page */
	const struct svg_diff *diff; /* of two sides; NULL: of one */
	struct text_scale *scale;

	/* What makes the most time itself comes first. */
	const char *object[SVG_OBJECTS];
	int64_t object_self[SVG_OBJECTS];
	size_t objects;
	int64_t other_self;
};

/* Finds the objects (svg_objects.c). -ENOMEM. */
int svg_choose_objects(struct svg *svg);
/* 0 … svg->objects - 1, or SVG_OBJECTS for those that are grey. */
unsigned svg_object_of(const struct svg *svg, const char *object);
/* "#rrggbb" of a function; equal functions are equal everywhere, neighbours mostly not. */
void svg_color(unsigned object, const char *function, char to[8]);

/* All frames (svg_frames.c). */
int svg_frames(const struct svg *svg);

/* @text with what XML wants escaped; what it cannot have becomes U+FFFD (svg_text.c). */
void svg_text(FILE *out, const char *text);

/* style.css and flame.js, made C by the build. */
extern const char svg_style[], svg_script[];

#endif
