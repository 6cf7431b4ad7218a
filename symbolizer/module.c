/* SPDX-License-Identifier: MIT */
#include "symbolizer/module.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/array.h"
#include "base/maps_line.h"
#include "base/pool.h"
#include "opener/opener.h"
#include "symbolizer/memory_image.h"

enum { FIRST_BUCKETS = 256, PATH_BYTES = 4096 };

/*
 * A process may have 65,530 mappings (vm.max_map_count). elfimage_map() makes two for each file:
 * the file, and zero bytes behind it.
 */
enum { FILES_MAX = 30000 };

void module_complain(struct module *module, const char *problem)
{
	if (module->problem[0] == '\0')
		module->problem = problem;
}

static uint64_t key_hash(const struct module_key *key)
{
	const uint64_t words[6] = {
		(uintptr_t)key->path, key->dev, key->ino, key->bytes, key->mtime_ns, key->deleted};

	return table_hash_bytes(0, words, sizeof(words));
}

static bool key_equal(const void *items, uint32_t index, const void *key)
{
	const struct module_key *a = &((struct module *const *)items)[index]->key, *b = key;

	return a->path == b->path && a->dev == b->dev && a->ino == b->ino && a->bytes == b->bytes &&
		a->mtime_ns == b->mtime_ns && a->deleted == b->deleted;
}

static struct module *look_up(const struct symbolizer *symbolizer, const struct module_key *key)
{
	int index =
		table_find(&symbolizer->table, key_hash(key), key_equal, symbolizer->modules, key);

	return index < 0 ? NULL : symbolizer->modules[index];
}

static struct module *add(struct symbolizer *symbolizer, const struct module_key *key)
{
	struct module *module = calloc(1, sizeof(*module));

	if (!module ||
		array_grow(&symbolizer->modules, &symbolizer->modules_room,
			symbolizer->n_modules + 1) < 0 ||
		table_add(&symbolizer->table, key_hash(key), (uint32_t)symbolizer->n_modules) < 0) {
		free(module);
		return NULL;
	}
	module->symbolizer = symbolizer;
	module->key = *key;
	module->build_id = module->problem = "";
	symbolizer->modules[symbolizer->n_modules++] = module;
	return module;
}

struct module *module_special(struct symbolizer *symbolizer, const char *name)
{
	struct module_key key = {.path = pool_intern(&symbolizer->strings, name, strlen(name))};
	struct module *module = key.path ? look_up(symbolizer, &key) : NULL;

	if (!module && key.path)
		module = add(symbolizer, &key);
	return module;
}

/* Reads the headers of a fresh image; an error becomes the module's problem. */
static int look_into(struct module *module)
{
	char hex[2 * IMAGE_BUILD_ID_MAX + 1];
	int rc;

	if (!module->image.data)
		return 0;
	rc = elfimage_read_headers(&module->image);
	if (rc == -ENOMEM)
		return rc;
	if (rc) {
		module_complain(module, "not an ELF file that this machine can run");
		return 0;
	}
	module->headers_ok = true;
	elfimage_build_id_hex(&module->image, hex);
	module->build_id = pool_intern(&module->symbolizer->strings, hex, strlen(hex));
	return module->build_id ? 0 : -ENOMEM;
}

static bool is_too_many(struct module *module)
{
	if (module->symbolizer->n_modules <= FILES_MAX)
		return false;
	module_complain(module, "too many different files are mapped; this one was not read");
	return true;
}

/*
 * Finds or makes the module of the file that the opener found. If @opened has no descriptor, the
 * file is empty or not an ELF file, and the module's problem says so. -ENOMEM.
 */
static int from_file(struct symbolizer *symbolizer, const struct opened *opened, const char *path,
	struct module **ret_module)
{
	struct module_key key = {
		.path = path,
		.dev = opened->device,
		.ino = opened->inode,
		.bytes = opened->bytes,
		.mtime_ns = opened->mtime_ns,
		.deleted = opened->flags & OPENED_DELETED,
	};
	struct module *module = look_up(symbolizer, &key);
	int rc;

	*ret_module = module;
	if (module)
		return 0;
	*ret_module = module = add(symbolizer, &key);
	if (!module)
		return -ENOMEM;
	if (is_too_many(module))
		return 0;
	if (opened->fd < 0) {
		module_complain(module,
			opened->bytes ? "not an ELF file that this machine can run"
				      : "an empty file");
		return 0;
	}
	rc = elfimage_map(&module->image, opened->fd);
	if (rc == -ENOMEM)
		return rc;
	if (rc)
		module_complain(module, rc == -EFBIG ? "the file is too large to be read"
						     : "the file cannot be mapped");
	return look_into(module);
}

static uint64_t bias_of(const struct elfimage *image, const struct maps_line *line)
{
	const Elf64_Phdr *segment;

	if (!elfimage_segments_at_offset(
		    image, line->offset, line->end - line->start, line->execute, &segment, 1))
		return 0;
	return line->start - line->offset - (segment->p_vaddr - segment->p_offset);
}

static const char *why_unopened(int error, bool deleted)
{
	if (error == -ETIMEDOUT)
		return "the server of the file did not answer in 5 s; names may be missing: "
		       "profile "
		       "again once it answers";
	return deleted ? "the file was deleted or replaced since it was mapped; names may be "
			 "missing: run the program again with the present file"
		       : "the file cannot be opened; run as the user who can read it";
}

/* Finds the module, or makes it from a process's memory, as opening the file gave @error. */
static int from_memory(struct symbolizer *symbolizer, int pid, const struct maps_line *line,
	struct module_key *key, int error, struct module **ret_module)
{
	struct module *module = look_up(symbolizer, key);
	int rc;

	*ret_module = module;
	if (module)
		return 0;
	*ret_module = module = add(symbolizer, key);
	if (!module)
		return -ENOMEM;
	module->unanswered = error == -ETIMEDOUT;
	if (is_too_many(module))
		return 0;
	rc = memory_image(
		symbolizer->options.opener, pid, line, &symbolizer->budget, &module->image);
	if (rc == -E2BIG)
		module_complain(module,
			"the file was deleted or cannot be opened, and copies of other such files "
			"take too much memory already; this one was not read");
	module_complain(module, why_unopened(error, key->deleted));
	if (rc == -ENOMEM)
		return rc;
	module->from_memory = rc == 0;
	rc = look_into(module);
	if (module->headers_ok)
		module->image.loaded = bias_of(&module->image, line);
	return rc;
}

static int open_vdso(struct symbolizer *symbolizer, int pid, const struct maps_line *line,
	struct module **ret_module)
{
	struct elfimage image = {0};
	struct module_key key = {.path = pool_intern(&symbolizer->strings, "[vdso]", 6)};
	struct module *module;
	int rc = key.path ? memory_vdso(symbolizer->options.opener, pid, line, &image) : -ENOMEM;

	if (rc == -ENOMEM)
		return rc;
	/* 32-bit and 64-bit processes have different vdsos: the content is the key. */
	key.bytes = image.bytes;
	key.ino = image.data ? table_hash_bytes(0, image.data, image.bytes) : 0;
	*ret_module = module = look_up(symbolizer, &key);
	if (module || !(*ret_module = module = add(symbolizer, &key))) {
		elfimage_release(&image);
		return module ? 0 : -ENOMEM;
	}
	module->image = image;
	return look_into(module);
}

int module_open(struct symbolizer *symbolizer, int pid, const struct maps_line *line,
	struct module **ret_module)
{
	struct opening what = opening_about(OPENING_MAPPED, pid, line);
	struct module_key key = {.ino = line->inode, .dev = makedev(line->major, line->minor)};
	struct opened opened;
	size_t bytes = maps_line_without_deleted(line->name, line->name_bytes);
	int rc;

	if (line->name[0] != '/')
		return open_vdso(symbolizer, pid, line, ret_module);
	/* A longer path does not fit into the request, and is left out. */
	if (line->name_bytes < PATH_BYTES) {
		what.plain_bytes = (uint32_t)maps_line_unescape(line->name, bytes, what.path);
		what.path[maps_line_unescape(line->name, line->name_bytes, what.path)] = '\0';
	}
	(void)opener_ask(symbolizer->options.opener, &what, &opened);
	if (opened.flags & OPENED_PLAIN)
		what.path[what.plain_bytes] = '\0';
	key.deleted = opened.flags & OPENED_DELETED;
	key.path = pool_intern(&symbolizer->strings, what.path, strlen(what.path));
	if (!key.path)
		rc = -ENOMEM;
	else if (opened.fd >= 0 || opened.flags & OPENED_NO_ELF)
		rc = from_file(symbolizer, &opened, key.path, ret_module);
	else
		rc = from_memory(symbolizer, pid, line, &key, opened.error, ret_module);
	if (rc == 0 && opened.fd >= 0 && opened.flags & OPENED_OTHER)
		module_complain(*ret_module,
			"the file under this name may not be the one that ran (another inode)");
	if (opened.fd >= 0)
		(void)close(opened.fd);
	return rc;
}

bool module_has_changed(const struct module *module)
{
	const struct module_key *key = &module->key;
	struct opened now;

	if (!module->image.mapped_bytes || module->from_memory || key->path[0] != '/' ||
		opener_ask_path(
			module->symbolizer->options.opener, OPENING_STAT, 0, key->path, &now) < 0 ||
		now.device != key->dev || now.inode != key->ino)
		return false;
	return now.bytes != key->bytes || now.mtime_ns != key->mtime_ns;
}
