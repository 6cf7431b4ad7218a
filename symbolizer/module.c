/* SPDX-License-Identifier: MIT */
#include "symbolizer/module.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "symbolizer/maps.h"
#include "symbolizer/memory.h"
#include "symbolizer/names.h"
#include "symbolizer/regular.h"

enum { FIRST_BUCKETS = 256, PATH_BYTES = 4096 + 64 };

/* Each file costs two kernel mappings of at most 65,530 (vm.max_map_count). */
enum { FILES_MAX = 30000 };

/* "" for a path that would not fit. */
struct path {
	char text[PATH_BYTES];
};

void module_complain(struct module *module, const char *problem)
{
	if (module->problem[0] == '\0')
		module->problem = problem;
}

static size_t bucket_of(const struct symbolizer *symbolizer, const struct module_key *key)
{
	uint64_t words[6] = {
		(uintptr_t)key->path, key->dev, key->ino, key->bytes, key->mtime_ns, key->deleted};

	return (size_t)strpool_hash(words, sizeof(words)) & (symbolizer->n_buckets - 1);
}

static bool same_key(const struct module_key *a, const struct module_key *b)
{
	return a->path == b->path && a->dev == b->dev && a->ino == b->ino && a->bytes == b->bytes &&
		a->mtime_ns == b->mtime_ns && a->deleted == b->deleted;
}

static struct module *look_up(const struct symbolizer *symbolizer, const struct module_key *key)
{
	struct module *module;

	if (!symbolizer->n_buckets)
		return NULL;
	module = symbolizer->buckets[bucket_of(symbolizer, key)];
	while (module && !same_key(&module->key, key))
		module = module->next;
	return module;
}

static int grow(struct symbolizer *symbolizer)
{
	size_t old_n = symbolizer->n_buckets;
	struct module **old = symbolizer->buckets;
	size_t n = old_n ? old_n * 2 : FIRST_BUCKETS;
	struct module **buckets = calloc(n, sizeof(struct module *));

	if (!buckets)
		return -ENOMEM;
	symbolizer->buckets = buckets;
	symbolizer->n_buckets = n;
	for (size_t i = 0; i < old_n; i++) {
		struct module *module, *next;

		for (module = old[i]; module; module = next) {
			size_t at = bucket_of(symbolizer, &module->key);

			next = module->next;
			module->next = buckets[at];
			buckets[at] = module;
		}
	}
	free(old);
	return 0;
}

static struct module *add(struct symbolizer *symbolizer, const struct module_key *key)
{
	struct module *module;
	size_t at;

	if (symbolizer->n_modules >= symbolizer->n_buckets && grow(symbolizer))
		return NULL;
	module = calloc(1, sizeof(*module));
	if (!module)
		return NULL;
	module->symbolizer = symbolizer;
	module->key = *key;
	module->build_id = module->problem = "";
	at = bucket_of(symbolizer, key);
	module->next = symbolizer->buckets[at];
	symbolizer->buckets[at] = module;
	symbolizer->n_modules++;
	return module;
}

void module_free(struct module *module)
{
	names_free(module->names);
	image_release(&module->image);
	free(module);
}

struct module *module_special(struct symbolizer *symbolizer, const char *name)
{
	struct module_key key = {.path = strpool_intern(&symbolizer->strings, name, strlen(name))};
	struct module *module = key.path ? look_up(symbolizer, &key) : NULL;

	if (!module && key.path)
		module = add(symbolizer, &key);
	return module;
}

/* Reads the headers of a fresh image; what is wrong becomes the module's problem. */
static int look_into(struct module *module)
{
	char hex[2 * IMAGE_BUILD_ID_MAX + 1];
	int rc;

	if (!module->image.data)
		return 0;
	rc = image_read_headers(&module->image);
	if (rc == -ENOMEM)
		return rc;
	if (rc) {
		module_complain(module, "not an ELF file that this machine can run");
		return 0;
	}
	module->headers_ok = true;
	image_build_id_hex(&module->image, hex);
	module->build_id = strpool_intern(&module->symbolizer->strings, hex, strlen(hex));
	return module->build_id ? 0 : -ENOMEM;
}

/*
 * Does maps speak of this file? On btrfs and overlayfs maps shows other device and inode numbers
 * than fstat(2): then a mapping of our own shows how maps would print this file.
 */
static bool is_the_file(int fd, const struct stat *st, const struct maps_line *line)
{
	if (line->inode == 0)
		return true;
	if (st->st_ino == line->inode && major(st->st_dev) == line->major &&
		minor(st->st_dev) == line->minor)
		return true;
	return memory_file_identity_is(fd, line->major, line->minor, line->inode);
}

/* A file as the process finds it, if it is the one that is mapped. */
static int open_in_root(
	int pid, const struct maps_line *line, const char *path, struct stat *ret_st)
{
	int fd = regular_open_of(pid, path, REGULAR_LINKS, ret_st);

	if (fd >= 0 && !is_the_file(fd, ret_st, line)) {
		(void)close(fd);
		fd = -ENOENT;
	}
	return fd;
}

/*
 * The same of a process with a root folder in another mount namespace: maps tells the path from
 * that namespace's root, "/srv/box/bin/sh", and /proc/PID/root leads to "/srv/box".
 */
static int open_below_root(
	int pid, const struct maps_line *line, const char *path, struct stat *ret_st)
{
	char link[48];
	struct path root;
	ssize_t n;

	(void)snprintf(link, sizeof(link), "/proc/%d/root", pid);
	n = readlink(link, root.text, sizeof(root.text));
	if (n <= 1 || (size_t)n >= sizeof(root.text) || strncmp(path, root.text, (size_t)n) != 0 ||
		path[n] != '/')
		return -ENOENT;
	return open_in_root(pid, line, path + n, ret_st);
}

/*
 * The file by its name, in the process's own mount namespace where we may. Without a process (a
 * replayed capture, perhaps from another machine) another file under that name is taken too, and
 * *ret_other says so.
 */
static int open_by_path(int pid, const struct maps_line *line, const char *path,
	struct stat *ret_st, bool *ret_other)
{
	int fd;

	if (pid > 0) {
		fd = open_in_root(pid, line, path, ret_st);
		if (fd < 0)
			fd = open_below_root(pid, line, path, ret_st);
		if (fd >= 0)
			return fd;
	}
	fd = regular_open(-1, path, REGULAR_LINKS, ret_st);
	*ret_other = fd >= 0 && !is_the_file(fd, ret_st, line);
	if (fd >= 0 && *ret_other && pid > 0) {
		(void)close(fd);
		fd = -ENOENT;
	}
	return fd;
}

/* The very file that is mapped, whatever its name has become; needs CAP_CHECKPOINT_RESTORE. */
static int open_by_mapping(int pid, const struct maps_line *line, struct stat *ret_st)
{
	char path[96];

	if (pid <= 0)
		return -ENOENT;
	(void)snprintf(path, sizeof(path), "/proc/%d/map_files/%llx-%llx", pid,
		(unsigned long long)line->start, (unsigned long long)line->end);
	return regular_open(-1, path, REGULAR_ALL_LINKS, ret_st);
}

static int from_fd(struct symbolizer *symbolizer, int fd, const struct stat *st, const char *path,
	bool deleted, struct module **ret_module)
{
	struct module_key key = {
		.path = path,
		.dev = st->st_dev,
		.ino = st->st_ino,
		.bytes = (uint64_t)st->st_size,
		.mtime_ns =
			(uint64_t)st->st_mtim.tv_sec * 1000000000U + (uint64_t)st->st_mtim.tv_nsec,
		.deleted = deleted,
	};
	struct module *module = look_up(symbolizer, &key);
	int rc;

	*ret_module = module;
	if (module)
		return 0;
	*ret_module = module = add(symbolizer, &key);
	if (!module)
		return -ENOMEM;
	if (symbolizer->n_modules > FILES_MAX) {
		module_complain(
			module, "too many different files are mapped; this one was not read");
		return 0;
	}
	rc = image_map(&module->image, fd);
	if (rc == -ENOMEM)
		return rc;
	if (rc)
		module_complain(
			module, st->st_size ? "the file cannot be mapped" : "an empty file");
	return look_into(module);
}

/* The file is out of reach; what of it the process has in memory may do. */
static int from_memory(struct symbolizer *symbolizer, int pid, const struct maps_line *line,
	const struct maps_line *lines, size_t n_lines, struct module_key *key,
	struct module **ret_module)
{
	struct module *module = look_up(symbolizer, key);
	int rc;

	*ret_module = module;
	if (module)
		return 0;
	*ret_module = module = add(symbolizer, key);
	if (!module)
		return -ENOMEM;
	module_complain(module,
		key->deleted ? "the file was deleted or replaced since it was mapped; names may be "
			       "missing: run the program again with the present file"
			     : "the file cannot be opened; run as the user who can read it");
	rc = memory_image(pid, line, lines, n_lines, &module->image);
	if (rc == -ENOMEM)
		return rc;
	module->from_memory = rc == 0;
	return look_into(module);
}

static int open_vdso(struct symbolizer *symbolizer, int pid, const struct maps_line *line,
	struct module **ret_module)
{
	struct image image = {0};
	struct module_key key = {.path = strpool_intern(&symbolizer->strings, "[vdso]", 6)};
	struct module *module;
	int rc = key.path ? memory_vdso(pid, line, &image) : -ENOMEM;

	if (rc == -ENOMEM)
		return rc;
	/* 32-bit and 64-bit processes have different ones, all others the same. */
	key.bytes = image.bytes;
	key.ino = image.data ? strpool_hash(image.data, image.bytes) : 0;
	*ret_module = module = look_up(symbolizer, &key);
	if (module || !(*ret_module = module = add(symbolizer, &key))) {
		image_release(&image);
		return module ? 0 : -ENOMEM;
	}
	module->image = image;
	return look_into(module);
}

int module_open(struct symbolizer *symbolizer, int pid, const struct maps_line *line,
	const struct maps_line *lines, size_t n_lines, struct module **ret_module)
{
	struct path path, plain;
	struct module_key key = {.ino = line->inode, .dev = makedev(line->major, line->minor)};
	struct stat st;
	size_t bytes = maps_without_deleted(line->name, line->name_bytes);
	bool other = false;
	int fd = -1, rc;

	if (line->name[0] != '/')
		return open_vdso(symbolizer, pid, line, ret_module);
	if (line->name_bytes < sizeof(path.text) - 64) {
		path.text[maps_unescape(line->name, line->name_bytes, path.text)] = '\0';
		plain.text[maps_unescape(line->name, bytes, plain.text)] = '\0';
	} else {
		path.text[0] = plain.text[0] = '\0';
	}
	/* A file may really be called "x (deleted)". */
	if (path.text[0])
		fd = open_by_path(pid, line, path.text, &st, &other);
	key.deleted = fd < 0 && (bytes != line->name_bytes || access(plain.text, F_OK) == 0);
	if (fd >= 0)
		(void)memcpy(&plain, &path, sizeof(plain));
	else
		fd = open_by_mapping(pid, line, &st);
	key.path = strpool_intern(&symbolizer->strings, plain.text, sizeof(plain.text));
	if (!key.path)
		rc = -ENOMEM;
	else if (fd >= 0)
		rc = from_fd(symbolizer, fd, &st, key.path, key.deleted, ret_module);
	else
		rc = from_memory(symbolizer, pid, line, lines, n_lines, &key, ret_module);
	if (fd >= 0)
		(void)close(fd);
	if (rc == 0 && fd >= 0 && other)
		module_complain(*ret_module,
			"the file under this name may not be the one that ran (another inode)");
	return rc;
}

static void describe_segment(
	const struct module *module, uint64_t svma, struct module_info *ret_info)
{
	const Elf64_Phdr *segment =
		module->headers_ok ? image_segment_at(&module->image, svma) : NULL;

	if (!segment)
		return;
	ret_info->segment_svma = segment->p_vaddr;
	ret_info->segment_bytes = segment->p_memsz;
	ret_info->segment_offset = segment->p_offset;
}

bool module_has_changed(const struct module *module)
{
	const struct module_key *key = &module->key;
	struct stat st;

	if (!module->image.mapped_bytes || key->path[0] != '/' || stat(key->path, &st) != 0 ||
		st.st_dev != key->dev || st.st_ino != key->ino)
		return false;
	return (uint64_t)st.st_size != key->bytes ||
		(uint64_t)st.st_mtim.tv_sec * 1000000000U + (uint64_t)st.st_mtim.tv_nsec !=
		key->mtime_ns;
}

void module_describe(const struct module *module, uint64_t svma, struct module_info *ret_info)
{
	const struct names *names = module->names;

	*ret_info = (struct module_info){
		.path = module->key.path,
		.build_id = module->build_id,
		.deleted = module->key.deleted,
		.symbols = names ? names_symbols(names) : "",
		.lines = names ? names_lines(names) : "",
		.problem = module->problem,
		.blamed = names && names_is_blamed(names),
	};
	describe_segment(module, svma, ret_info);
}
