/* SPDX-License-Identifier: MIT */
#include "symbolizer/memory_image.h"

#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/maps_line.h"
#include "opener/opener.h"
#include "symbolizer/base/budget.h"
#include "symbolizer/elfimage.h"

#define IMAGE_BYTES_MAX ((size_t)256 << 20)
#define VDSO_BYTES_MAX  ((size_t)1 << 20)

struct opening opening_about(uint32_t kind, int pid, const struct maps_line *line)
{
	return (struct opening){.kind = kind,
		.pid = pid > 0 ? (uint32_t)pid : 0,
		.start = line->start,
		.end = line->end,
		.inode = line->inode,
		.major = line->major,
		.minor = line->minor};
}

/*
 * Returns a descriptor of a copy, made by the opener (opener.h), of memory of process @pid.
 * -ENOENT: there is no copy.
 */
static int ask_opener(struct opener *opener, uint32_t kind, int pid, const struct maps_line *line)
{
	struct opening what = opening_about(kind, pid, line);
	struct opened opened;

	if (pid <= 0 || opener_ask(opener, &what, &opened) < 0 || opened.fd < 0)
		return -ENOENT;
	return opened.fd;
}

int memory_image(struct opener *opener, int pid, const struct maps_line *line, struct budget *all,
	struct elfimage *image)
{
	int fd = ask_opener(opener, OPENING_IMAGE, pid, line), r;
	struct budget budget;
	uint64_t bytes;
	struct stat st;

	*image = (struct elfimage){0};
	if (fd < 0)
		return fd;
	r = fstat(fd, &st) < 0 ? -errno : 0;
	bytes = r == 0 ? (uint64_t)st.st_size : 0;
	if (bytes > IMAGE_BYTES_MAX)
		r = -EFBIG;
	budget_init(&budget, all);
	budget_admit(&budget, bytes);
	if (r == 0 && !budget_take(&budget, bytes))
		r = -E2BIG;
	if (r == 0)
		r = elfimage_copy(image, fd, (size_t)bytes);
	(void)close(fd);
	return r;
}

/* Bytes up to the end of segments and of the section table. The kernel's headers are trusted. */
static size_t own_vdso_bytes(const uint8_t *vdso)
{
	ElfW(Ehdr) head;
	uint64_t bytes;

	memcpy(&head, vdso, sizeof(head));
	bytes = head.e_shoff + (uint64_t)head.e_shnum * head.e_shentsize;
	for (unsigned i = 0; i < head.e_phnum; i++) {
		ElfW(Phdr) segment;

		memcpy(&segment, vdso + head.e_phoff + i * sizeof(segment), sizeof(segment));
		if (segment.p_type == PT_LOAD && segment.p_offset + segment.p_filesz > bytes)
			bytes = segment.p_offset + segment.p_filesz;
	}
	return (size_t)bytes;
}

int memory_vdso(
	struct opener *opener, int pid, const struct maps_line *line, struct elfimage *image)
{
	const uint8_t *own = (const uint8_t *)getauxval(AT_SYSINFO_EHDR);
	size_t bytes = (size_t)(line->end - line->start), own_bytes;
	uint8_t *data;
	int fd;

	*image = (struct elfimage){0};
	if (line->end - line->start > VDSO_BYTES_MAX)
		return -ENOENT;
	fd = ask_opener(opener, OPENING_VDSO, pid, line);
	if (fd < 0 || opener_take(fd, VDSO_BYTES_MAX, &data, &bytes) < 0) {
		own_bytes = own ? own_vdso_bytes(own) : 0;
		if (own_bytes == 0 || own_bytes > bytes)
			return -ENOENT;
		data = calloc(1, bytes);
		if (!data)
			return -ENOMEM;
		memcpy(data, own, own_bytes);
	}
	elfimage_adopt(image, data, bytes);
	return 0;
}

int memory_code(struct opener *opener, int pid, const struct maps_line *line, uint8_t **ret_code)
{
	size_t bytes;
	int fd = ask_opener(opener, OPENING_CODE, pid, line);
	int r = fd < 0 ? fd : opener_take(fd, OPENING_CODE_BYTES, ret_code, &bytes);

	if (r == 0 && bytes != OPENING_CODE_BYTES) {
		free(*ret_code);
		r = -ENOENT;
	}
	return r;
}
