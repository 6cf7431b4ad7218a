/* SPDX-License-Identifier: MIT */
#include "analyst/jit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyst/arrays.h"
#include "opener/opener.h"
#include "profile/profile.h"

/*
 * The memory that one map may take, and all together. The largest of Java have some 100,000 pieces,
 * 10 MiB; but 6 bytes of a file, "0 1 a\n", can take 42 of ours.
 */
#define MAP_MOST   (UINT64_C(128) << 20)
#define MAPS_MOST  (UINT64_C(512) << 20)
#define NOTES_MOST 8
#define NAME_MOST  4096 /* longer ones are cut */
/* Read at a time; a longer line is none. */
#define CHUNK_BYTES (UINT64_C(1) << 20)
/* Of pieces that overlap, this many are looked at. */
#define OVERLAPS_MOST 4096

struct jit_place {
	uint64_t pc;
	uint32_t location;
	bool used, named;
};

struct jit {
	struct profile *profile;
	struct jit_budget *budget;
	struct opener *opener;
	uint32_t pid;
	bool live;     /* its own root folder may be looked into */
	char name[48]; /* of the map */
	int fd;        /* of the map, -1 not there yet */
	uint64_t read_bytes;
	bool over; /* too large: it is read no further */
	struct jit_map map;
	struct jit_place *place; /* open addressing, a power of two */
	size_t places, place_room;
};

/* One line without its newline. */
static int add_line(struct jit_map *map, const char *line, size_t bytes)
{
	char number[40], *at;
	uint64_t start, size;
	size_t n = bytes < sizeof(number) - 1 ? bytes : sizeof(number) - 1, name;

	memcpy(number, line, n);
	number[n] = '\0';
	start = strtoull(number, &at, 16);
	if (at == number || *at != ' ')
		return 0;
	size = strtoull(at + 1, &at, 16);
	if (*at != ' ' || size == 0 || size > UINT64_MAX - start)
		return 0;
	name = (size_t)(at + 1 - number);
	if (name >= bytes)
		return 0;
	if (bytes - name > NAME_MOST)
		bytes = name + NAME_MOST;
	if (arrays_grow((void **)&map->code, &map->room, map->n + 1, sizeof(*map->code)) < 0 ||
		arrays_grow((void **)&map->text, &map->text_room,
			map->text_bytes + bytes - name + 1, 1) < 0)
		return -ENOMEM;
	map->code[map->n] = (struct jit_code){.start = start,
		.end = start + size,
		.name = map->text_bytes,
		.order = (uint32_t)map->n};
	map->n++;
	memcpy(map->text + map->text_bytes, line + name, bytes - name);
	map->text_bytes += bytes - name;
	map->text[map->text_bytes++] = '\0';
	map->sealed = false;
	return 0;
}

long jit_map_add(struct jit_map *map, const char *text, size_t bytes)
{
	size_t taken = 0;

	while (taken < bytes) {
		const char *line = text + taken, *end = memchr(line, '\n', bytes - taken);

		if (!end)
			break;
		if (add_line(map, line, (size_t)(end - line)) < 0)
			return -ENOMEM;
		taken = (size_t)(end + 1 - text);
	}
	return (long)taken;
}

static int by_start(const void *a, const void *b)
{
	const struct jit_code *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static void seal(struct jit_map *map)
{
	uint64_t reach = 0;

	if (map->n)
		qsort(map->code, map->n, sizeof(*map->code), by_start);
	for (size_t i = 0; i < map->n; i++) {
		if (map->code[i].end > reach)
			reach = map->code[i].end;
		map->code[i].reach = reach;
	}
	map->sealed = true;
}

const char *jit_map_find(struct jit_map *map, uint64_t pc)
{
	const struct jit_code *best = NULL;
	size_t low = 0, high = map->n;

	if (!map->sealed)
		seal(map);
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (map->code[middle].start <= pc)
			low = middle + 1;
		else
			high = middle;
	}
	for (size_t n = 0; low > 0 && n < OVERLAPS_MOST && map->code[low - 1].reach > pc; n++) {
		const struct jit_code *code = &map->code[--low];

		if (pc < code->end && (!best || code->order > best->order))
			best = code;
	}
	return best ? map->text + best->name : NULL;
}

void jit_map_release(struct jit_map *map)
{
	free(map->code);
	free(map->text);
	*map = (struct jit_map){0};
}

uint64_t jit_map_bytes(const struct jit_map *map)
{
	return map->n * sizeof(*map->code) + map->text_bytes;
}

struct jit *jit_new(struct profile *profile, struct opener *opener, uint32_t pid, bool live,
	struct jit_budget *budget)
{
	struct opened noted;
	struct jit *jit = calloc(1, sizeof(*jit));

	if (!jit)
		return NULL;
	*jit = (struct jit){.profile = profile,
		.budget = budget,
		.opener = opener,
		.pid = pid,
		.live = live,
		.fd = -1};
	/* While the process lives: whose it is, and which pid it has for itself. */
	if (live)
		(void)opener_ask_path(opener, OPENING_PROCESS, pid, "", &noted);
	return jit;
}

void jit_free(struct jit *jit)
{
	if (!jit)
		return;
	if (jit->fd >= 0)
		(void)close(jit->fd);
	jit->budget->used_bytes -= jit_map_bytes(&jit->map);
	jit_map_release(&jit->map);
	free(jit->place);
	free(jit);
}

/* The names up to here are kept. */
static int say_too_large(struct jit *jit)
{
	char note[160];

	jit->over = true;
	(void)close(jit->fd);
	jit->fd = -1;
	if (jit->budget->said++ >= NOTES_MOST)
		return 0;
	(void)snprintf(note, sizeof(note),
		"%s: it is too large; after its first %llu MiB the names of "
		"generated code are missing",
		jit->name, (unsigned long long)(jit->read_bytes >> 20));
	return profile_add_note(jit->profile, note) < 0 ? -ENOMEM : 0;
}

/* Returns the bytes taken, 0: no whole line was there. */
static long read_chunk(struct jit *jit, char *text)
{
	uint64_t before = jit_map_bytes(&jit->map);
	ssize_t got = pread(jit->fd, text, CHUNK_BYTES, (off_t)jit->read_bytes);
	long taken = got > 0 ? jit_map_add(&jit->map, text, (size_t)got) : 0;

	jit->budget->used_bytes += jit_map_bytes(&jit->map) - before;
	/* A line without an end is passed over. */
	if (taken == 0 && got == (ssize_t)CHUNK_BYTES)
		taken = (long)got;
	if (taken > 0)
		jit->read_bytes += (uint64_t)taken;
	return taken;
}

/* /tmp/perf-PID.map, of the process's own root folder or of ours. */
static int open_map(struct jit *jit)
{
	struct opening what = {
		.kind = OPENING_PERF_MAP, .pid = jit->pid, .start = jit->live, .end = jit->live};
	struct opened opened;

	(void)opener_ask(jit->opener, &what, &opened);
	(void)snprintf(jit->name, sizeof(jit->name), "%.47s", opened.text);
	return opened.fd;
}

/* Reads what has been appended. 1: there was something. */
static int read_more(struct jit *jit)
{
	long taken = 1;
	struct stat st;
	char *text;
	int r = 0;

	if (jit->fd < 0 && !jit->over)
		jit->fd = open_map(jit);
	if (jit->fd < 0 || fstat(jit->fd, &st) < 0 || (uint64_t)st.st_size <= jit->read_bytes)
		return 0;
	text = malloc(CHUNK_BYTES);
	if (!text)
		return -ENOMEM;
	/* Up to the size of now: somebody may append faster than it is read. */
	while (taken > 0 && !jit->over && jit->read_bytes < (uint64_t)st.st_size) {
		taken = read_chunk(jit, text);
		r = taken < 0 ? (int)taken : r || taken > 0;
		if (taken > 0 &&
			(jit_map_bytes(&jit->map) > MAP_MOST ||
				jit->budget->used_bytes > MAPS_MOST) &&
			say_too_large(jit) < 0)
			r = -ENOMEM;
	}
	free(text);
	return r;
}

/* 1: it has a name now. */
static int name(struct jit *jit, struct jit_place *place)
{
	const char *text = jit_map_find(&jit->map, place->pc);
	int function;

	if (!text)
		return 0;
	function = profile_add_function(
		jit->profile, &(struct function){.name = text, .symbol = text, .file = ""});
	if (function < 0 ||
		profile_set_lines(jit->profile, place->location,
			&(struct location_line){.function = (uint32_t)function}, 1) < 0)
		return -ENOMEM;
	place->named = true;
	return 1;
}

static struct jit_place *place_of(struct jit_place *places, size_t room, uint64_t pc)
{
	size_t at = (size_t)((pc * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (room - 1);

	while (places[at].used && places[at].pc != pc)
		at = (at + 1) & (room - 1);
	return &places[at];
}

static int grow_places(struct jit *jit)
{
	size_t room = jit->place_room ? jit->place_room * 2 : 256;
	struct jit_place *grown;

	if (jit->places * 2 < jit->place_room)
		return 0;
	grown = calloc(room, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	for (size_t i = 0; i < jit->place_room; i++) {
		if (jit->place[i].used)
			*place_of(grown, room, jit->place[i].pc) = jit->place[i];
	}
	free(jit->place);
	jit->place = grown;
	jit->place_room = room;
	return 0;
}

int jit_location(struct jit *jit, uint64_t pc, uint64_t start)
{
	struct jit_place *place;
	int mapping, location, r;

	if (grow_places(jit) < 0)
		return -ENOMEM;
	place = place_of(jit->place, jit->place_room, pc);
	if (place->used)
		return (int)place->location;
	mapping = profile_add_mapping(
		jit->profile, &(struct mapping){.file = "[jit]", .build_id = "", .start = start});
	location =
		mapping < 0 ? mapping : profile_add_location(jit->profile, (uint32_t)mapping, pc);
	if (location < 0)
		return location;
	*place = (struct jit_place){.pc = pc, .location = (uint32_t)location, .used = true};
	jit->places++;
	r = name(jit, place);
	if (r == 0 && read_more(jit) > 0)
		r = name(jit, place);
	return r < 0 ? r : location;
}

int jit_finish(struct jit *jit)
{
	int r = read_more(jit);

	for (size_t i = 0; r >= 0 && i < jit->place_room; i++) {
		if (jit->place[i].used && !jit->place[i].named)
			r = name(jit, &jit->place[i]);
	}
	return r < 0 ? r : 0;
}
