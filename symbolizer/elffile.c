/* SPDX-License-Identifier: MIT */
#include "symbolizer/elffile.h"

#include <errno.h>
#include <string.h>

#include "base/load.h"
#include "symbolizer/base/budget.h"
#include "symbolizer/elfimage.h"

#ifdef SPROFIL_PLANTED_FAULT
/* In a test's build: hands control to a malicious file, as a faulty parser would. */
void planted_fault(const uint8_t *data, size_t bytes);
#define PLANTED_FAULT(data, bytes) planted_fault(data, bytes)
#else
#define PLANTED_FAULT(data, bytes) ((void)0)
#endif

int elffile_open(struct elffile *file, const struct elfimage *image)
{
	PLANTED_FAULT(image->data, image->bytes);
	*file = (struct elffile){.elf64 = image->elf64, .machine = image->machine};
	if (!image->data || elf_version(EV_CURRENT) == EV_NONE)
		return -ENOEXEC;
	/* The cast is safe: libelf writes only to decompress a section; the mapping is private. */
	file->elf = elf_memory((char *)image->data, image->bytes);
	if (!file->elf)
		return -ENOEXEC;
	if (elf_kind(file->elf) != ELF_K_ELF || elf_getshdrnum(file->elf, &file->n_sections) != 0) {
		elffile_close(file);
		return -ENOEXEC;
	}
	return 0;
}

void elffile_close(struct elffile *file)
{
	if (file->elf)
		(void)elf_end(file->elf);
	file->elf = NULL;
	file->n_sections = 0;
}

/* ".zdebug_" data begin with "ZLIB" and the decompressed size: 8 bytes, big-endian. */
static uint64_t zdebug_bytes(const Elf_Data *data)
{
	const uint8_t *p = data->d_buf;
	uint64_t bytes = 0;

	if (data->d_size < 12 || memcmp(p, "ZLIB", 4) != 0)
		return UINT64_MAX;
	for (int i = 4; i < 12; i++)
		bytes = bytes << 8 | p[i];
	return bytes;
}

enum { COMPRESSED_ZSTD = 2 }; /* ELFCOMPRESS_ZSTD */

/* The section's ch_type, which is the first word of its data; 0: no data. */
static uint32_t compression_of(Elf_Scn *scn)
{
	Elf_Data *raw = elf_rawdata(scn, NULL);

	return raw && raw->d_buf && raw->d_size >= 4 ? load_u32(raw->d_buf) : 0;
}

/* Decompresses the section if needed. -EINVAL: damaged, method unknown, or over the budget. */
static int inflate_section(
	struct elffile *file, Elf_Scn *scn, const GElf_Shdr *head, const char *name)
{
	struct budget *budget = file->budget;
	GElf_Chdr chdr;
	Elf_Data *raw;

	if (head->sh_flags & SHF_COMPRESSED) {
		/*
		 * libelf reads the header of a section compressed by zstd only since 0.189, and if
		 * built with zstd.
		 */
		if (!gelf_getchdr(scn, &chdr)) {
			file->unknown_compression |= compression_of(scn) == COMPRESSED_ZSTD;
			return -EINVAL;
		}
		if (!budget_inflate(budget, head->sh_size, chdr.ch_size))
			return -EINVAL;
		if (elf_compress(scn, 0, 0) >= 0)
			return 0;
		file->unknown_compression |= chdr.ch_type == COMPRESSED_ZSTD;
		return -EINVAL;
	}
	if (strncmp(name, ".zdebug", 7) == 0) {
		raw = elf_rawdata(scn, NULL);
		if (!raw || !raw->d_buf || !budget_inflate(budget, raw->d_size, zdebug_bytes(raw)))
			return -EINVAL;
		return elf_compress_gnu(scn, 0, 0) < 0 ? -EINVAL : 0;
	}
	return 0;
}

int elffile_section(
	struct elffile *file, size_t index, bool want_data, struct elffile_section *ret_section)
{
	struct elffile_section out = {0};
	size_t names;
	GElf_Shdr head;
	Elf_Scn *scn;
	Elf_Data *data;

	if (!file->elf || index == 0 || index >= file->n_sections)
		return -ENOENT;
	scn = elf_getscn(file->elf, index);
	if (!scn || !gelf_getshdr(scn, &head) || elf_getshdrstrndx(file->elf, &names) != 0)
		return -ENOENT;
	out.name = elf_strptr(file->elf, names, head.sh_name);
	if (!out.name)
		out.name = "";
	if (want_data && head.sh_type != SHT_NOBITS && head.sh_type != SHT_NULL &&
		inflate_section(file, scn, &head, out.name) == 0 && gelf_getshdr(scn, &head)) {
		data = elf_rawdata(scn, NULL);
		if (data && data->d_buf && data->d_size) {
			out.data = data->d_buf;
			head.sh_size = data->d_size;
		}
	}
	out.type = head.sh_type;
	out.link = head.sh_link;
	out.info = head.sh_info;
	out.flags = head.sh_flags;
	out.svma = head.sh_addr;
	out.bytes = head.sh_size;
	out.entry_bytes = head.sh_entsize;
	*ret_section = out;
	return 0;
}

static bool same_name(const char *have, const char *want)
{
	if (strcmp(have, want) == 0)
		return true;
	return strncmp(have, ".zdebug", 7) == 0 && strncmp(want, ".debug", 6) == 0 &&
		strcmp(have + 2, want + 1) == 0;
}

int elffile_find(struct elffile *file, const char *name, struct elffile_section *ret_section)
{
	for (size_t i = 1; i < file->n_sections; i++) {
		struct elffile_section section;

		if (elffile_section(file, i, false, &section) || !same_name(section.name, name) ||
			section.type == SHT_NOBITS)
			continue;
		if (elffile_section(file, i, true, &section) == 0 && section.data) {
			*ret_section = section;
			return (int)i;
		}
	}
	return -ENOENT;
}

struct slice elffile_bytes(struct elffile *file, const char *name)
{
	struct elffile_section section;

	if (elffile_find(file, name, &section) < 0)
		return (struct slice){0};
	return (struct slice){section.data, section.bytes};
}

const char *elffile_string(const struct elffile_section *table, uint64_t offset)
{
	const char *text;
	uint64_t room;

	if (!table->data || offset >= table->bytes)
		return NULL;
	text = (const char *)table->data + offset;
	room = table->bytes - offset;
	if (room > ELFFILE_STRING_MOST)
		room = ELFFILE_STRING_MOST;
	return memchr(text, '\0', (size_t)room) ? text : NULL;
}
