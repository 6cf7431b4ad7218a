/* SPDX-License-Identifier: MIT */
#include "view/paths.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* Minimum columns for cutting a path frame by frame. In fewer, the path loses its beginning. */
enum { LEAST_COLUMNS = 12 };

struct path {
	char **cell;
	char *text;   /* the frames' names, each with a NUL at its end */
	char **frame; /* pointers into @text, outermost first */
	size_t frames;
	size_t common; /* number of innermost frames that the most similar path has, too */
	/*
	 * The frame outside of the common ones may differ from the same frame of the most similar
	 * path only in the arguments of a function ("f(int)" and "f(long)"). Then: the number of
	 * bytes with which both names begin. Otherwise 0.
	 */
	size_t differ_at;
};

static void release(struct path *path, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(path[i].text);
		free(path[i].frame);
	}
	free(path);
}

char *paths_separator(char *text)
{
	for (; *text; text++) {
		if (text[0] == ';' && text[1] != ' ')
			return text;
	}
	return NULL;
}

static int split(struct path *path, char **cell)
{
	size_t most = 1;

	*path = (struct path){.cell = cell, .text = strdup(*cell)};
	for (const char *p = *cell; *p; p++)
		most += *p == ';';
	path->frame = calloc(most, sizeof(*path->frame));
	if (!path->text || !path->frame) {
		free(path->text);
		free(path->frame);
		return -ENOMEM;
	}
	for (char *at = path->text; at;) {
		char *end = paths_separator(at);

		path->frame[path->frames++] = at;
		at = end ? end + 1 : NULL;
		if (end)
			*end = '\0';
	}
	return 0;
}

/* Frame @index, counted from the leaf (0) outwards; NULL: none. */
static const char *from_leaf(const struct path *path, size_t index)
{
	return index < path->frames ? path->frame[path->frames - 1 - index] : NULL;
}

/* Compares from the leaf outwards, so that similar paths become neighbours. */
static int compare_paths(const void *a, const void *b)
{
	const struct path *x = a, *y = b;

	for (size_t i = 0;; i++) {
		const char *of_x = from_leaf(x, i), *of_y = from_leaf(y, i);
		int r;

		if (!of_x || !of_y)
			return (of_x != NULL) - (of_y != NULL);
		r = strcmp(of_x, of_y);
		if (r)
			return r;
	}
}

static int brief_name(const char *name, bool ascii, char **ret_brief)
{
	char *brief = strdup(name);

	if (!brief || text_empty_brackets(&brief, ascii) < 0) {
		free(brief);
		return -ENOMEM;
	}
	*ret_brief = brief;
	return 0;
}

static int is_same_in_brief(const char *a, const char *b, bool ascii)
{
	char *brief_a, *brief_b;
	int r = brief_name(a, ascii, &brief_a);

	if (r < 0)
		return r;
	r = brief_name(b, ascii, &brief_b);
	if (r == 0) {
		r = !strcmp(brief_a, brief_b);
		free(brief_b);
	}
	free(brief_a);
	return r;
}

static void note_common(struct path *path, size_t common, size_t differ_at)
{
	if (common < path->common || (common == path->common && differ_at <= path->differ_at))
		return;
	path->common = common;
	path->differ_at = differ_at;
}

/* Sets @common and @differ_at of two neighbouring paths. */
static int distinguish(struct path *a, struct path *b, bool ascii)
{
	size_t common = 0, differ_at = 0;
	int same;

	while (from_leaf(a, common) && from_leaf(b, common) &&
		!strcmp(from_leaf(a, common), from_leaf(b, common)))
		common++;
	same = from_leaf(a, common) && from_leaf(b, common)
		? is_same_in_brief(from_leaf(a, common), from_leaf(b, common), ascii)
		: 0;
	if (same < 0)
		return same;
	for (const char *x = from_leaf(a, common), *y = from_leaf(b, common);
		same && x[differ_at] == y[differ_at];)
		differ_at++;
	note_common(a, common, differ_at);
	note_common(b, common, differ_at);
	return 0;
}

/* A path as shown: frame @apart, and the frames from @tail to the leaf. */
struct showing {
	char **name;      /* by frame, cut */
	size_t *width;    /* by frame: columns of its name */
	size_t apart;     /* the frame that distinguishes the path from the most similar one */
	size_t differ_at; /* struct path's */
	size_t tail;      /* the outermost of the frames shown up to the leaf without a gap */
	size_t dots;      /* columns of an ellipsis */
};

/* Columns before the tail, semicolons included. */
static size_t width_before(const struct showing *s)
{
	if (s->apart < s->tail)
		return s->width[s->apart] + 1 + (s->apart > 0 ? s->dots + 1 : 0) +
			(s->apart + 1 < s->tail ? s->dots + 1 : 0);
	return s->tail > 0 ? s->dots + 1 : 0;
}

/*
 * Cuts the name of a frame in its middle. The name of frame @apart is cut at its end instead if
 * what distinguishes the name stays visible.
 */
static int cut_name(struct showing *s, size_t frame, size_t columns, bool ascii)
{
	int r = frame == s->apart && s->differ_at && s->differ_at + s->dots < columns
		? text_cut_sentence(&s->name[frame], columns, ascii)
		: text_cut_name(&s->name[frame], columns, ascii);

	s->width[frame] = text_columns(s->name[frame]);
	return r;
}

/*
 * Cuts the names of frame @apart and of the leaf to the room for both. The leaf gets two thirds of
 * the room. A name that needs less than its part leaves the rest to the other name.
 */
static int cut_names(struct showing *s, size_t frames, size_t columns, bool ascii)
{
	size_t leaf = frames - 1, other = s->apart < leaf ? s->width[s->apart] : 0, room;
	int r = 0;

	if (width_before(s) + s->width[leaf] <= columns)
		return 0;
	room = columns - (width_before(s) - other);
	if (other > room / 3)
		other = s->width[leaf] + room / 3 < room ? room - s->width[leaf] : room / 3;
	if (s->apart < leaf)
		r = cut_name(s, s->apart, other, ascii);
	return r < 0 ? r : cut_name(s, leaf, room - other, ascii);
}

static int put(const struct path *path, const struct showing *s, bool ascii)
{
	const char *dots = text_ellipsis(ascii);
	char *text = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);

	if (!out)
		return -ENOMEM;
	if (s->apart < s->tail)
		fprintf(out, "%s%s%s;%s%s", s->apart ? dots : "", s->apart ? ";" : "",
			s->name[s->apart], s->apart + 1 < s->tail ? dots : "",
			s->apart + 1 < s->tail ? ";" : "");
	else if (s->tail)
		fprintf(out, "%s;", dots);
	for (size_t i = s->tail; i < path->frames; i++)
		fprintf(out, "%s%s", i > s->tail ? ";" : "", s->name[i]);
	if (fclose(out)) {
		free(text);
		return -ENOMEM;
	}
	free(*path->cell);
	*path->cell = text;
	return 0;
}

static int show(const struct path *path, struct showing *s, size_t columns, bool ascii)
{
	size_t tail_width = 0;
	int r = cut_names(s, path->frames, columns, ascii);

	if (r < 0)
		return r;
	tail_width = s->width[s->tail];
	while (s->tail > 0) {
		s->tail--;
		tail_width += s->width[s->tail] + 1;
		if (width_before(s) + tail_width <= columns)
			continue;
		s->tail++;
		break;
	}
	return put(path, s, ascii);
}

static int cut_path(const struct path *path, size_t columns, bool ascii)
{
	struct showing s = {.name = calloc(path->frames, sizeof(*s.name)),
		.width = calloc(path->frames, sizeof(*s.width)),
		.apart = path->common < path->frames ? path->frames - 1 - path->common : 0,
		.differ_at = path->differ_at,
		.tail = path->frames - 1,
		.dots = text_columns(text_ellipsis(ascii))};
	int r = s.name && s.width ? 0 : -ENOMEM;

	for (size_t i = 0; i < path->frames && r == 0; i++) {
		if (i != s.apart || !path->differ_at) {
			r = brief_name(path->frame[i], ascii, &s.name[i]);
		} else {
			s.name[i] = strdup(path->frame[i]);
			r = s.name[i] ? 0 : -ENOMEM;
		}
		s.width[i] = r == 0 ? text_columns(s.name[i]) : 0;
	}
	if (r == 0)
		r = show(path, &s, columns, ascii);
	for (size_t i = 0; i < path->frames && s.name; i++)
		free(s.name[i]);
	free(s.name);
	free(s.width);
	return r;
}

static int cut_all(struct path *path, size_t n, size_t columns, bool ascii)
{
	int r = 0;

	qsort(path, n, sizeof(*path), compare_paths);
	for (size_t i = 0; i + 1 < n && r == 0; i++)
		r = distinguish(&path[i], &path[i + 1], ascii);
	for (size_t i = 0; i < n && r == 0; i++) {
		if (text_columns(*path[i].cell) <= columns)
			continue;
		r = columns < LEAST_COLUMNS ? text_cut_path(path[i].cell, columns, ascii)
					    : cut_path(&path[i], columns, ascii);
	}
	return r;
}

int paths_cut(char **path, size_t n, size_t stride, size_t columns, bool ascii)
{
	struct path *list = calloc(n + 1, sizeof(*list));
	size_t paths = 0;
	int r = list ? 0 : -ENOMEM;

	for (size_t i = 0; i < n && r == 0; i++) {
		if (!path[i * stride])
			continue;
		r = split(&list[paths], &path[i * stride]);
		paths += r == 0;
	}
	if (r == 0)
		r = cut_all(list, paths, columns, ascii);
	if (list)
		release(list, paths);
	return r;
}
