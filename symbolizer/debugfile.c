/* SPDX-License-Identifier: MIT */
#include "symbolizer/debugfile.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/pool.h"
#include "opener/opener.h"
#include "symbolizer/base/budget.h"
#include "symbolizer/elffile.h"
#include "symbolizer/module.h"

enum { PATH_BYTES = 8192 };

/* The CRC of .gnu_debuglink: that of zip and Ethernet, with the reflected polynomial 0x04c11db7. */
static uint32_t crc32_of(const uint8_t *data, size_t bytes)
{
	uint32_t table[256], crc = UINT32_MAX;

	for (uint32_t i = 0; i < 256; i++) {
		table[i] = i;
		for (int bit = 0; bit < 8; bit++)
			table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0xedb88320U : 0);
	}
	for (size_t i = 0; i < bytes; i++)
		crc = crc >> 8 ^ table[(crc ^ data[i]) & 0xff];
	return ~crc;
}

struct wanted {
	const uint8_t *build_id; /* NULL: the file is identified by its CRC */
	size_t build_id_bytes;
	uint32_t crc;
};

static bool matches(const struct elfimage *image, const struct wanted *wanted)
{
	if (wanted->build_id)
		return image->build_id_bytes == wanted->build_id_bytes &&
			memcmp(image->build_id, wanted->build_id, wanted->build_id_bytes) == 0;
	return crc32_of(image->data, image->bytes) == wanted->crc;
}

/*
 * Reads the build-id of a supplement made by dwz, which has no program headers, from the section
 * ".note.gnu.build-id".
 */
static void find_build_id(struct elfimage *image)
{
	struct elffile_section section;
	struct elffile file;
	struct budget budget;

	if (elffile_open(&file, image))
		return;
	budget_init(&budget, NULL);
	file.budget = &budget;
	if (elffile_find(&file, ".note.gnu.build-id", &section) > 0)
		elfimage_read_build_id(image, section.data, (size_t)section.bytes);
	elffile_close(&file);
}

static int try_path(struct symbolizer *symbolizer, const char *path, const struct wanted *wanted,
	struct debugfile *ret_debugfile)
{
	struct opened opened;
	struct elfimage image;
	int rc;

	if (opener_ask_path(symbolizer->options.opener, OPENING_ELF, 0, path, &opened) < 0)
		return -ENOENT;
	rc = elfimage_map(&image, opened.fd);
	(void)close(opened.fd);
	if (rc == 0)
		rc = elfimage_read_headers(&image);
	if (rc == 0 && wanted->build_id && !image.build_id_bytes)
		find_build_id(&image);
	if (rc == 0 && !matches(&image, wanted))
		rc = -ENOENT;
	if (rc == 0) {
		ret_debugfile->path = pool_intern(&symbolizer->strings, path, strlen(path));
		rc = ret_debugfile->path ? 0 : -ENOMEM;
	}
	if (rc) {
		elfimage_release(&image);
		return rc == -ENOMEM ? rc : -ENOENT;
	}
	ret_debugfile->image = image;
	return 0;
}

__attribute__((format(printf, 4, 5))) static int try_name(struct symbolizer *symbolizer,
	const struct wanted *wanted, struct debugfile *ret_debugfile, const char *format, ...)
{
	char path[PATH_BYTES];
	va_list arguments;
	int n;

	va_start(arguments, format);
	n = vsnprintf(path, sizeof(path), format, arguments);
	va_end(arguments);
	if (n <= 0 || (size_t)n >= sizeof(path))
		return -ENOENT;
	return try_path(symbolizer, path, wanted, ret_debugfile);
}

char *debugfile_cache(void)
{
	static const struct {
		const char *variable, *below;
	} places[] = {{"DEBUGINFOD_CACHE_PATH", ""}, {"XDG_CACHE_HOME", "/debuginfod_client"},
		{"HOME", "/.cache/debuginfod_client"}};
	char *path;

	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		const char *folder = getenv(places[i].variable);

		if (folder && folder[0] == '/')
			return asprintf(&path, "%s%s", folder, places[i].below) < 0 ? NULL : path;
	}
	return NULL;
}

static bool next_directory(const char **at, int *ret_bytes)
{
	*at += strspn(*at, ":");
	*ret_bytes = (int)strcspn(*at, ":");
	return *ret_bytes > 0;
}

static int find_by_build_id(
	struct symbolizer *symbolizer, const struct wanted *wanted, struct debugfile *ret_debugfile)
{
	struct elfimage id = {.build_id_bytes = wanted->build_id_bytes};
	const char *at = symbolizer->debug_directories;
	char hex[2 * IMAGE_BUILD_ID_MAX + 1];
	int bytes, rc = -ENOENT;

	if (wanted->build_id_bytes < 2)
		return -ENOENT;
	memcpy(id.build_id, wanted->build_id, wanted->build_id_bytes);
	elfimage_build_id_hex(&id, hex);
	for (; rc == -ENOENT && next_directory(&at, &bytes); at += bytes)
		rc = try_name(symbolizer, wanted, ret_debugfile, "%.*s/.build-id/%.2s/%s.debug",
			bytes, at, hex, hex + 2);
	if (rc == -ENOENT && symbolizer->debuginfod_cache)
		rc = try_name(symbolizer, wanted, ret_debugfile, "%s/%s/debuginfo",
			symbolizer->debuginfod_cache, hex);
	return rc;
}

static int directory_bytes(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (int)(slash - path) : 0;
}

/* .gnu_debuglink: a name, NUL, padding to 4 bytes, the CRC. */
static int find_by_link(struct symbolizer *symbolizer, const char *path, struct elffile *file,
	struct debugfile *ret_debugfile)
{
	struct elffile_section section;
	struct wanted wanted = {0};
	const char *link, *at = symbolizer->debug_directories;
	size_t crc_at;
	int directory = directory_bytes(path), bytes, rc;

	if (elffile_find(file, ".gnu_debuglink", &section) < 0)
		return -ENOENT;
	link = elffile_string(&section, 0);
	if (!link || !link[0] || strchr(link, '/'))
		return -ENOENT;
	crc_at = (strlen(link) + 1 + 3) & ~(size_t)3;
	if (section.bytes < crc_at + 4)
		return -ENOENT;
	memcpy(&wanted.crc, section.data + crc_at, 4);
	rc = try_name(symbolizer, &wanted, ret_debugfile, "%.*s/%s", directory, path, link);
	if (rc == -ENOENT)
		rc = try_name(symbolizer, &wanted, ret_debugfile, "%.*s/.debug/%s", directory, path,
			link);
	for (; rc == -ENOENT && next_directory(&at, &bytes); at += bytes)
		rc = try_name(symbolizer, &wanted, ret_debugfile, "%.*s%.*s/%s", bytes, at,
			directory, path, link);
	return rc;
}

int debugfile_find(struct symbolizer *symbolizer, const char *path, const struct elfimage *image,
	struct elffile *file, struct debugfile *ret_debugfile)
{
	struct wanted wanted = {
		.build_id = image->build_id, .build_id_bytes = image->build_id_bytes};
	int rc;

	ret_debugfile->how = "build-id";
	rc = find_by_build_id(symbolizer, &wanted, ret_debugfile);
	if (rc != -ENOENT || !file)
		return rc;
	ret_debugfile->how = "debuglink";
	return find_by_link(symbolizer, path, file, ret_debugfile);
}

/* .gnu_debugaltlink: a name, NUL, the build-id of the supplement. */
int debugfile_find_supplement(struct symbolizer *symbolizer, const char *path, struct elffile *file,
	struct debugfile *ret_debugfile)
{
	struct elffile_section section;
	struct wanted wanted = {0};
	const char *link, *base, *at = symbolizer->debug_directories;
	int bytes, rc;

	if (elffile_find(file, ".gnu_debugaltlink", &section) < 0)
		return -ENOENT;
	link = elffile_string(&section, 0);
	if (!link || !link[0])
		return -ENXIO;
	wanted.build_id = section.data + strlen(link) + 1;
	wanted.build_id_bytes = (size_t)section.bytes - strlen(link) - 1;
	if (wanted.build_id_bytes < 2 || wanted.build_id_bytes > IMAGE_BUILD_ID_MAX)
		return -ENXIO;
	ret_debugfile->how = "build-id";
	rc = link[0] == '/' ? try_name(symbolizer, &wanted, ret_debugfile, "%s", link)
			    : try_name(symbolizer, &wanted, ret_debugfile, "%.*s/%s",
				      directory_bytes(path), path, link);
	if (rc == -ENOENT)
		rc = find_by_build_id(symbolizer, &wanted, ret_debugfile);
	base = strrchr(link, '/') ? strrchr(link, '/') + 1 : link;
	for (; rc == -ENOENT && next_directory(&at, &bytes); at += bytes)
		rc = try_name(symbolizer, &wanted, ret_debugfile, "%.*s/.dwz/%s", bytes, at, base);
	return rc == -ENOENT ? -ENXIO : rc;
}
