/* SPDX-License-Identifier: MIT */
#include "client/all.h"

#include <errno.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "client/client.h"
#include "client/include/sprofil/all.h"

/* struct prof of the native dialect. */
struct entry {
	void *base;
	unsigned size;
	unsigned long offset;
	unsigned scale;
};

enum { SCALE = 0x10000, BIN_SCALE = 2, NATIVE_UINT = 2, NATIVE_FAST = 4 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct all_segment *segment;
static size_t segments, room;
static int own_table; /* number of the last table put in force here; 0: none, or we turned it off */
static unsigned fast;
/* Number of objects that the dynamic linker had loaded and unloaded at our last look. */
static unsigned long long changes;

struct all_segment *all_lock(size_t *ret_n)
{
	(void)pthread_mutex_lock(&lock);
	*ret_n = segments;
	return segment;
}

void all_unlock(void)
{
	(void)pthread_mutex_unlock(&lock);
}

static bool is_rest(const struct all_segment *s)
{
	return s->end == 0;
}

static size_t counter_bytes(const struct all_segment *s)
{
	return s->end > s->start ? s->end - s->start : sizeof(*s->counter);
}

static void *map_counters(const struct all_segment *s)
{
	void *at = mmap(NULL, counter_bytes(s), PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return at == MAP_FAILED ? NULL : at;
}

/* Copies @path, once for an object's segments: unloading may free @path. NULL: out of memory. */
static const char *keep(const char *path)
{
	for (size_t i = segments; i-- > 0;)
		if (!strcmp(segment[i].path, path))
			return segment[i].path;
	return *path ? strdup(path) : "";
}

/* Inserts @new, with a copy of its path, before the last segment (all.h). 0 or -ENOMEM. */
static int add(const struct all_segment *new)
{
	size_t at = segments ? segments - 1 : 0;
	struct all_segment *more, added = *new;

	if (segments == CALL_MAX_REGIONS)
		return -ENOMEM;
	if (segments == room) {
		more = reallocarray(segment, room * 2 + 16, sizeof(*more));
		if (!more)
			return -ENOMEM;
		segment = more;
		room = room * 2 + 16;
	}
	added.loaded = true;
	added.counter = map_counters(new);
	if (!added.counter)
		return -ENOMEM;
	added.path = keep(new->path);
	if (!added.path) {
		(void)munmap(added.counter, counter_bytes(new));
		return -ENOMEM;
	}
	memmove(segment + at + 1, segment + at, (segments - at) * sizeof(*segment));
	segment[at] = added;
	segments++;
	return 0;
}

static struct all_segment *find(const struct all_segment *new)
{
	for (size_t i = 0; i < segments; i++) {
		struct all_segment *s = &segment[i];

		if (s->start == new->start && s->end == new->end && !strcmp(s->path, new->path))
			return s;
	}
	return NULL;
}

static int take_object(struct dl_phdr_info *info, size_t size, void *context)
{
	struct all_segment new = {.bias = info->dlpi_addr};

	(void)size;
	(void)context;
	changes = info->dlpi_adds + info->dlpi_subs;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		struct all_segment *known;

		if (p->p_type != PT_LOAD || !(p->p_flags & PF_X) || !p->p_memsz)
			continue;
		new.start = (info->dlpi_addr + p->p_vaddr) & ~(uint64_t)(ALL_STEP - 1);
		new.end = (info->dlpi_addr + p->p_vaddr + p->p_memsz + ALL_STEP - 1) &
			~(uint64_t)(ALL_STEP - 1);
		if (new.end - new.start > UINT_MAX)
			continue; /* Too large for a region: the rest segment counts its ticks. */
		new.path = info->dlpi_name ? info->dlpi_name : "";
		known = find(&new);
		if (known) {
			known->loaded = true;
			continue;
		}
		if (add(&new) < 0)
			return -ENOMEM;
	}
	return 0;
}

/* Adds the rest segment, and the segments of all objects that are loaded now. 0 or -ENOMEM. */
static int find_objects(void)
{
	if (!segments && add(&(struct all_segment){.path = ""}) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < segments; i++)
		segment[i].loaded = is_rest(&segment[i]);
	return dl_iterate_phdr(take_object, NULL) < 0 ? -ENOMEM : 0;
}

/* Is our table in force? Another call of the program may have replaced it or turned it off. */
static bool is_on(void)
{
	return own_table && own_table == client_table();
}

static int put_in_force(void)
{
	struct entry *table = calloc(segments, sizeof(*table));
	int n = 0, r;

	if (!table)
		return -ENOMEM;
	for (size_t i = 0; i < segments; i++) {
		const struct all_segment *s = &segment[i];

		if (s->loaded)
			table[n++] = (struct entry){.base = s->counter,
				.size = (unsigned)counter_bytes(s),
				.offset = s->start,
				.scale = is_rest(s) ? BIN_SCALE : SCALE};
	}
	r = dialects_native(table, n, NULL, NATIVE_UINT | fast, 0);
	free(table);
	if (r < 0)
		return r;
	own_table = r;
	return 0;
}

/* Turns our table off, unless the table of another call has replaced it. */
static int turn_off(void)
{
	int r = is_on() ? dialects_native(NULL, 0, NULL, 0, 0) : 0;

	if (r < 0)
		return r;
	own_table = 0;
	return 0;
}

static int begin(unsigned flags)
{
	int r = turn_off();

	if (r < 0)
		return r;
	/* Zeroes the counters, also of unloaded segments, which may be loaded again. */
	for (size_t i = 0; i < segments; i++)
		(void)madvise(segment[i].counter, counter_bytes(&segment[i]), MADV_DONTNEED);
	fast = flags & SPROFIL_ALL_FAST ? NATIVE_FAST : 0;
	r = find_objects();
	return r < 0 ? r : put_in_force();
}

CLIENT_PUBLIC int sprofil_all(unsigned flags)
{
	int r;

	if (flags & ~(unsigned)SPROFIL_ALL_FAST)
		return client_result(-EINVAL);
	(void)pthread_mutex_lock(&lock);
	r = begin(flags);
	(void)pthread_mutex_unlock(&lock);
	return client_result(r);
}

CLIENT_PUBLIC int sprofil_all_off(void)
{
	int r;

	(void)pthread_mutex_lock(&lock);
	r = turn_off();
	(void)pthread_mutex_unlock(&lock);
	return client_result(r);
}

CLIENT_PUBLIC void *sprofil_all_loaded(void *handle)
{
	unsigned long long before;
	int error = errno;

	(void)pthread_mutex_lock(&lock);
	before = changes;
	/* If an object cannot be added, the rest segment counts its ticks. */
	if (is_on() && find_objects() == 0 && changes != before)
		(void)put_in_force();
	(void)pthread_mutex_unlock(&lock);
	errno = error;
	return handle;
}
