/* SPDX-License-Identifier: MIT */
/*
 * A flame graph in one SVG file, which loads nothing: a picture with tooltips. Where scripts run,
 * it can be searched, and zoomed and navigated by mouse and keyboard (flame.js).
 *
 * A frame's width is its share of the weight. Colours distinguish objects.
 */
#ifndef VIEW_EXPORT_SVG_H
#define VIEW_EXPORT_SVG_H

#include <stdint.h>

#include "view/report/tree_report.h"

struct svg_changes;

/* Writes the graph as an element of an HTML page, without the text above and below the frames. */
int svg_write_element(const struct profile *profile, const struct report_options *options,
	FILE *out, char **ret_problem);

/*
 * Writes the graph of a comparison. @profile has the call paths of both sides (svg_diff.c).
 * @changes has the rows of the comparison, from which frames get colours and tooltips.
 */
int svg_write_diff(const struct profile *profile, const struct report_options *options,
	struct svg_changes *changes, FILE *out, char **ret_problem);

/* Pixels, before the script fits the graph to the window. */
enum { SVG_WIDTH = 1200, SVG_MARGIN = 10, SVG_LINE = 18, SVG_ROW = 18, SVG_FRAME = 17 };

/* Objects with a colour of their own; others are grey. */
enum { SVG_OBJECTS = 10 };

struct svg {
	const struct profile *profile;
	const struct report_options *options;
	const struct tree *tree;
	const struct tree_choice *choice;
	FILE *out;
	uint32_t rows;                     /* rows of frames, with the root's */
	unsigned top;                      /* y of the first row of frames */
	bool element;                      /* the graph is an element of an HTML page */
	const struct svg_changes *changes; /* for two sides; NULL: a single profile */
	struct text_scale *scale;

	/* Objects with their own colour, greatest self first; @other_self: self of all others. */
	const char *object[SVG_OBJECTS];
	int64_t object_self[SVG_OBJECTS];
	size_t objects;
	int64_t other_self;
};

/* Sets the members @object, @object_self, @objects and @other_self. 0 or -ENOMEM. */
int svg_choose_objects(struct svg *svg);
/* Returns the number of an object's colour: 0 … svg->objects - 1, or SVG_OBJECTS for grey. */
unsigned svg_object_of(const struct svg *svg, const char *object);
/*
 * Writes the colour of a function's frame to @to, as "#rrggbb". It is a shade of the colour of the
 * function's object. The function's name determines the shade.
 */
void svg_color(unsigned object, const char *function, char to[8]);

/* 0 or -ENOMEM. */
int svg_frames(const struct svg *svg);

/*
 * Writes @text with XML escapes. What XML forbids, or what changes the direction of text, becomes
 * U+FFFD.
 */
void svg_text(FILE *out, const char *text);

/* flame.css and flame.js, converted to C by the build. */
extern const char svg_style[], svg_script[];

#endif
