/* SPDX-License-Identifier: MIT */
#include "analyst/jit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyst/arrays.h"
#include "profile/profile.h"

/* A map larger than this is not worth its memory. */
#define MAP_MOST (UINT64_C(256) << 20)
/* Of pieces that overlap, this many are looked at. */
#define OVERLAPS_MOST 4096

struct jit_place {
	uint64_t pc;
	uint32_t location;
	bool used, named;
};

struct jit {
	struct profile *profile;
	uint32_t pid;
	bool live;
	int fd; /* of the map, -1 not there yet */
	uint64_t read_bytes;
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

struct jit *jit_new(struct profile *profile, uint32_t pid, bool live)
{
	struct jit *jit = calloc(1, sizeof(*jit));

	if (!jit)
		return NULL;
	*jit = (struct jit){.profile = profile, .pid = pid, .live = live, .fd = -1};
	return jit;
}

void jit_free(struct jit *jit)
{
	if (!jit)
		return;
	if (jit->fd >= 0)
		(void)close(jit->fd);
	jit_map_release(&jit->map);
	free(jit->place);
	free(jit);
}

/* Its pid in its own pid namespace: the last number of "NSpid:\t4242\t7\n". */
static uint32_t inner_pid(uint32_t pid)
{
	char path[48], line[256];
	uint32_t inner = pid;
	FILE *file;

	(void)snprintf(path, sizeof(path), "/proc/%u/status", pid);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file)) {
		char *last;

		if (strncmp(line, "NSpid:", 6) != 0)
			continue;
		last = strrchr(line, '\t');
		if (last)
			inner = (uint32_t)strtoul(last + 1, NULL, 10);
		break;
	}
	if (file)
		(void)fclose(file);
	return inner ? inner : pid;
}

static int open_map(const struct jit *jit)
{
	char path[64];
	int fd = -1;

	if (jit->live) {
		(void)snprintf(path, sizeof(path), "/proc/%u/root/tmp/perf-%u.map", jit->pid,
			inner_pid(jit->pid));
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	}
	if (fd < 0) {
		(void)snprintf(path, sizeof(path), "/tmp/perf-%u.map", jit->pid);
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	}
	return fd;
}

/* Reads what has been appended. 1: there was something. */
static int read_more(struct jit *jit)
{
	struct stat st;
	char *text;
	ssize_t got;
	long taken;

	if (jit->fd < 0)
		jit->fd = open_map(jit);
	if (jit->fd < 0 || fstat(jit->fd, &st) < 0 || !S_ISREG(st.st_mode) ||
		(uint64_t)st.st_size <= jit->read_bytes || (uint64_t)st.st_size > MAP_MOST)
		return 0;
	text = malloc((size_t)((uint64_t)st.st_size - jit->read_bytes));
	if (!text)
		return -ENOMEM;
	got = pread(jit->fd, text, (size_t)((uint64_t)st.st_size - jit->read_bytes),
		(off_t)jit->read_bytes);
	taken = got > 0 ? jit_map_add(&jit->map, text, (size_t)got) : 0;
	free(text);
	if (taken > 0)
		jit->read_bytes += (uint64_t)taken;
	return taken < 0 ? -ENOMEM : taken > 0;
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
