/* SPDX-License-Identifier: MIT */
#include "analyst/jit/jit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyst/jit/jitdump.h"
#include "base/table.h"
#include "opener/opener.h"
#include "profile/profile.h"

/*
 * Most bytes of memory that a file's names take, and that those of all files take. Java's largest
 * maps have some 100,000 pieces, which take 10 MiB. A bound on the file's size would not do: a line
 * of 6 bytes, "0 1 a", takes 74 bytes of memory.
 */
#define MAP_MOST   (UINT64_C(128) << 20)
#define MAPS_MOST  (UINT64_C(512) << 20)
#define NOTES_MOST 8
/* Bytes that are read at a time. A map with a longer line is not read any further. */
#define CHUNK_BYTES (UINT64_C(1) << 20)
/*
 * Most bytes parsed of a file, as parsing takes time even if it keeps hardly anything in memory. A
 * perf map of valid lines reaches MAP_MOST first. The bound of a dump is higher, as it contains the
 * code, too. Skipped parts of a dump do not count.
 */
#define MAP_READ_MOST  (UINT64_C(256) << 20)
#define DUMP_READ_MOST (UINT64_C(1) << 30)

struct jit_entry {
	uint64_t pc; /* the first member: the key of struct jit.by_pc */
	uint32_t location;
	/*
	 * 2 + how many stacks had this address while it was nameless. Whenever this is a power of
	 * two, the file is read again.
	 */
	uint32_t unknown;
	bool named;
};

/* A perf map or a jitdump. */
struct jit_file {
	/* path of the dump in the process's file system; NULL: unknown, or a perf map */
	char *path;
	char name[48];
	int fd;                /* -1: not opened yet */
	uint64_t read_bytes;   /* offset at which the next read begins */
	uint64_t parsed_bytes; /* bytes before read_bytes that were parsed, not skipped */
	bool over;             /* it is too large, or damaged, and not read any further */
	struct jit_map map;
};

struct jit {
	struct profile *profile;
	struct jit_budget *budget;
	struct opener *opener;
	uint32_t pid;
	bool live; /* the process may be alive: its root folder and pid namespace are used */
	struct jit_file map, dump;
	struct jit_entry *entry; /* owned */
	size_t entries, entry_room;
	struct table by_pc; /* indexes of @entry */
};

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
		.map.fd = -1,
		.dump.fd = -1};
	/*
	 * Lets the opener note the process's user, and its pid in its own pid namespace, by which
	 * it finds and judges the files later: both are known only while the process lives.
	 */
	if (live)
		(void)opener_ask_path(opener, OPENING_PROCESS, pid, "", &noted);
	return jit;
}

static void release(struct jit *jit, struct jit_file *file)
{
	if (file->fd >= 0)
		(void)close(file->fd);
	jit->budget->used_bytes -= jit_map_bytes(&file->map);
	jit_map_release(&file->map);
	free(file->path);
}

void jit_set_dump(struct jit *jit, const char *path)
{
	if (path && !jit->dump.path)
		jit->dump.path = strdup(path); /* Out of memory: the dump is not read. */
}

void jit_free(struct jit *jit)
{
	if (!jit)
		return;
	release(jit, &jit->map);
	release(jit, &jit->dump);
	free(jit->entry);
	table_release(&jit->by_pc);
	free(jit);
}

/* Stops reading a file, and keeps the names so far. */
static int leave(struct jit *jit, struct jit_file *file, const char *why)
{
	char note[192];

	file->over = true;
	(void)close(file->fd);
	file->fd = -1;
	if (jit->budget->said++ >= NOTES_MOST)
		return 0;
	(void)snprintf(note, sizeof(note),
		"%s: it is %s; after its first %llu MiB the names of "
		"generated code are missing",
		file->name, why, (unsigned long long)(file->read_bytes >> 20));
	return profile_add_note(jit->profile, note) < 0 ? -ENOMEM : 0;
}

/*
 * Returns the bytes taken; 0: no complete line or record; -ENOMEM; -EINVAL: damaged, or a line of
 * the map is longer than a chunk.
 */
static int64_t read_chunk(struct jit *jit, struct jit_file *file, char *text, uint64_t left)
{
	uint64_t before = jit_map_bytes(&file->map);
	ssize_t got = pread(file->fd, text, CHUNK_BYTES, (off_t)file->read_bytes);
	int64_t taken = 0;

	if (got > 0 && file == &jit->map)
		taken = jit_map_add(&file->map, text, (size_t)got);
	else if (got > 0 && !file->read_bytes)
		taken = jitdump_head((const uint8_t *)text, (size_t)got);
	else if (got > 0)
		taken = jitdump_add(
			&file->map, (const uint8_t *)text, (size_t)got, left, CHUNK_BYTES);
	jit->budget->used_bytes += jit_map_bytes(&file->map) - before;
	/* A sparse file, for example, has terabytes of zeros without a newline. */
	if (taken == 0 && got == (ssize_t)CHUNK_BYTES && file == &jit->map)
		return -EINVAL;
	if (taken > 0) {
		file->read_bytes += (uint64_t)taken;
		file->parsed_bytes += (uint64_t)(taken < got ? taken : got);
	}
	return taken;
}

static bool is_too_large(const struct jit *jit, const struct jit_file *file)
{
	return jit_map_bytes(&file->map) > MAP_MOST || jit->budget->used_bytes > MAPS_MOST ||
		file->parsed_bytes > (file == &jit->map ? MAP_READ_MOST : DUMP_READ_MOST);
}

/*
 * Opens the dump or the perf map (/tmp/perf-PID.map). A file below the process's root folder takes
 * precedence over one below ours.
 */
static int open_file(struct jit *jit, struct jit_file *file)
{
	struct opening what = {
		.kind = OPENING_PERF_MAP, .pid = jit->pid, .start = jit->live, .end = jit->live};
	struct opened opened;

	if (file == &jit->dump) {
		what.kind = OPENING_JITDUMP;
		if (!file->path || strlen(file->path) >= sizeof(what.path))
			return -ENOENT;
		memcpy(what.path, file->path, strlen(file->path) + 1);
	}
	(void)opener_ask(jit->opener, &what, &opened);
	(void)snprintf(file->name, sizeof(file->name), "%.47s", opened.text);
	return opened.fd;
}

/* Reads what was appended to a file. 1: something was; 0: nothing was; -ENOMEM. */
static int read_file(struct jit *jit, struct jit_file *file)
{
	int64_t taken = 1;
	struct stat st;
	char *text;
	int r = 0;

	if (file->fd < 0 && !file->over)
		file->fd = open_file(jit, file);
	if (file->fd < 0 || fstat(file->fd, &st) < 0 || (uint64_t)st.st_size <= file->read_bytes)
		return 0;
	text = malloc(CHUNK_BYTES);
	if (!text)
		return -ENOMEM;
	/* Ends at the present size: data may be appended faster than they are read. */
	while (taken > 0 && !file->over && file->read_bytes < (uint64_t)st.st_size) {
		taken = read_chunk(jit, file, text, (uint64_t)st.st_size - file->read_bytes);
		if (taken == -EINVAL)
			taken = leave(jit, file,
				file == &jit->map ? "damaged by a line of more than 1 MiB"
						  : "damaged");
		r = taken < 0 ? (int)taken : r || taken > 0;
		if (taken > 0 && is_too_large(jit, file) && leave(jit, file, "too large") < 0)
			r = -ENOMEM;
	}
	free(text);
	return r;
}

static int read_more(struct jit *jit)
{
	int of_dump = read_file(jit, &jit->dump), of_map;

	if (of_dump < 0)
		return of_dump;
	of_map = read_file(jit, &jit->map);
	return of_map < 0 ? of_map : of_dump || of_map;
}

/* 1: *@ret_line names the code at @pc; 0: no name is known; -ENOMEM. */
static int find_name(struct jit *jit, uint64_t pc, struct location_line *ret_line)
{
	struct jit_source source;
	int function;

	if (!jit_map_look_up(&jit->dump.map, pc, &source) &&
		!jit_map_look_up(&jit->map.map, pc, &source))
		return 0;
	function = profile_add_function(jit->profile,
		&(struct function){
			.name = source.name, .symbol = source.name, .file = source.file});
	if (function < 0)
		return -ENOMEM;
	*ret_line = (struct location_line){.function = (uint32_t)function, .line = source.line};
	return 1;
}

/* Names the entry's location. 1: it has a name now; 0: none is known; -ENOMEM. */
static int name(struct jit *jit, struct jit_entry *entry)
{
	struct location_line line;
	int r = find_name(jit, entry->pc, &line);

	if (r > 0 && profile_set_lines(jit->profile, entry->location, &line, 1) < 0)
		return -ENOMEM;
	entry->named |= r > 0;
	return r;
}

/*
 * Adds the location of the entry's address. Another process may have other code at this address. So
 * a nameless address gets a location of its own, and only code with the same name shares one.
 */
static int add_location(struct jit *jit, struct jit_entry *entry, uint64_t start)
{
	struct location_line line = {0};
	int r = find_name(jit, entry->pc, &line), mapping, location;

	if (r == 0 && read_more(jit) > 0)
		r = find_name(jit, entry->pc, &line);
	if (r < 0)
		return r;
	mapping = profile_add_mapping(jit->profile,
		&(struct mapping){.file = "[jit]",
			.build_id = "",
			.start = start,
			.has_functions = r,
			.has_lines = line.line});
	if (mapping < 0)
		return mapping;
	location = r
		? profile_add_named_location(jit->profile, (uint32_t)mapping, entry->pc, &line, 1)
		: profile_add_separate_location(jit->profile, (uint32_t)mapping, entry->pc);
	if (location < 0)
		return location;
	entry->location = (uint32_t)location;
	entry->named = r;
	return 0;
}

static bool has_pc(const void *entries, uint32_t index, const void *pc)
{
	return ((const struct jit_entry *)entries)[index].pc == *(const uint64_t *)pc;
}

/* The index of the entry of @pc, added if it is new; -ENOMEM. */
static int entry_of(struct jit *jit, uint64_t pc, uint64_t start)
{
	struct jit_entry entry = {.pc = pc, .unknown = 2};
	int at = table_find(&jit->by_pc, pc, has_pc, jit->entry, &pc), r;

	if (at >= 0)
		return at;
	r = add_location(jit, &entry, start);
	if (r < 0)
		return r;
	return table_intern(
		&jit->by_pc, pc, has_pc, &jit->entry, &jit->entry_room, &jit->entries, &entry);
}

int jit_location(struct jit *jit, uint64_t pc, uint64_t start)
{
	int at = entry_of(jit, pc, start);

	return at < 0 ? at : (int)jit->entry[at].location;
}

int jit_unwind(struct jit *jit, uint64_t pc, uint64_t start, struct unwind_generated *ret_generated)
{
	int at = entry_of(jit, pc, start), r = 1;
	struct jit_entry *entry;

	if (at < 0)
		return at;
	/*
	 * CPython buffers its jitdump, so code runs before its name is in the file. The file is
	 * read again when @unknown is a power of two: at the 2nd, 6th, 14th, … stack.
	 */
	entry = &jit->entry[at];
	entry->unknown += !entry->named;
	if (!entry->named && !(entry->unknown & (entry->unknown - 1)))
		r = read_more(jit);
	/* A look-up of another address may have read the name. */
	if (r > 0 && !entry->named)
		r = name(jit, entry);
	if (r < 0)
		return r;
	return jit_map_unwind(&jit->dump.map, pc, start, ret_generated) ||
		jit_map_unwind(&jit->map.map, pc, start, ret_generated);
}

/* Makes the next read begin at the map's first byte. Names given to locations stay. */
static void forget_map(struct jit *jit)
{
	release(jit, &jit->map);
	jit->map = (struct jit_file){.fd = -1};
}

/*
 * A map's last line may lack a newline. If the process is still writing that line, the whole line
 * is read later as another piece of code, which counts as it is newer.
 */
static int read_last_line(struct jit *jit)
{
	uint64_t before = jit_map_bytes(&jit->map.map);
	char *text;
	ssize_t got;
	int r = 0;

	if (jit->map.fd < 0 || jit->map.over)
		return 0;
	text = malloc(CHUNK_BYTES);
	if (!text)
		return -ENOMEM;
	got = pread(jit->map.fd, text, CHUNK_BYTES, (off_t)jit->map.read_bytes);
	if (got > 0 && got < (ssize_t)CHUNK_BYTES)
		r = jit_map_add_last(&jit->map.map, text, (size_t)got);
	jit->budget->used_bytes += jit_map_bytes(&jit->map.map) - before;
	free(text);
	return r;
}

int jit_finish(struct jit *jit)
{
	int r;

	if (jit->budget->rewritten)
		forget_map(jit);
	r = read_more(jit);
	if (r >= 0)
		r = read_last_line(jit);

	for (size_t i = 0; r >= 0 && i < jit->entries; i++) {
		if (!jit->entry[i].named)
			r = name(jit, &jit->entry[i]);
	}
	return r < 0 ? r : 0;
}
