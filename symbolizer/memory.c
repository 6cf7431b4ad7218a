/* SPDX-License-Identifier: MIT */
#include "symbolizer/memory.h"

#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "symbolizer/image.h"
#include "symbolizer/maps.h"

#define IMAGE_BYTES_MAX (UINT64_C(256) << 20)
#define VDSO_BYTES_MAX  (UINT64_C(1) << 20)

/* The line of our own maps that begins at @address. */
static bool own_line(uintptr_t address, struct maps_line *ret_line)
{
	FILE *file = fopen("/proc/self/maps", "re");
	char *text = NULL;
	size_t capacity = 0;
	ssize_t bytes;
	bool found = false;

	if (!file)
		return false;
	while (!found && (bytes = getline(&text, &capacity, file)) > 0)
		found = maps_parse(text, (size_t)bytes - (text[bytes - 1] == '\n'), ret_line) ==
				0 &&
			ret_line->start == address;
	free(text);
	(void)fclose(file);
	ret_line->name = NULL;
	ret_line->name_bytes = 0;
	return found;
}

bool memory_file_identity_is(int fd, uint32_t major, uint32_t minor, uint64_t inode)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *at = mmap(NULL, page, PROT_READ, MAP_PRIVATE, fd, 0);
	struct maps_line line;
	bool same;

	if (at == MAP_FAILED)
		return false;
	same = own_line((uintptr_t)at, &line) && line.major == major && line.minor == minor &&
		line.inode == inode;
	(void)munmap(at, page);
	return same;
}

/* Reads page by page where needed: one that is gone leaves zeros. */
static bool read_range(int pid, uint64_t from, uint8_t *to, uint64_t bytes)
{
	struct iovec local = {.iov_base = to, .iov_len = (size_t)bytes};
	struct iovec remote = {.iov_base = (void *)(uintptr_t)from, .iov_len = (size_t)bytes};

	return process_vm_readv(pid, &local, 1, &remote, 1, 0) > 0;
}

static bool part_of_file(const struct maps_line *part, const struct maps_line *line)
{
	return part->inode == line->inode && part->major == line->major &&
		part->minor == line->minor && part->name_bytes == line->name_bytes &&
		memcmp(part->name, line->name, line->name_bytes) == 0 && !part->write &&
		part->read && part->offset <= IMAGE_BYTES_MAX &&
		part->end - part->start <= IMAGE_BYTES_MAX - part->offset;
}

int memory_image(int pid, const struct maps_line *line, const struct maps_line *lines,
	size_t n_lines, struct image *image)
{
	uint64_t bytes = 0;
	bool begun = false;
	uint8_t *data;

	*image = (struct image){0};
	if (pid <= 0)
		return -ENOENT;
	for (size_t i = 0; i < n_lines; i++) {
		uint64_t end = lines[i].offset + (lines[i].end - lines[i].start);

		if (part_of_file(&lines[i], line) && end > bytes)
			bytes = end;
	}
	data = bytes ? calloc(1, (size_t)bytes) : NULL;
	if (!data)
		return bytes ? -ENOMEM : -ENOENT;
	for (size_t i = 0; i < n_lines; i++) {
		const struct maps_line *part = &lines[i];

		if (part_of_file(part, line) &&
			read_range(
				pid, part->start, data + part->offset, part->end - part->start) &&
			part->offset == 0)
			begun = true;
	}
	if (!begun) {
		free(data);
		return -ENOENT;
	}
	image_adopt(image, data, (size_t)bytes);
	return 0;
}

/* How far the image reaches: its segments and its section table. The kernel made it: trusted. */
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

int memory_vdso(int pid, const struct maps_line *line, struct image *image)
{
	uint64_t bytes = line->end - line->start;
	const uint8_t *own = (const uint8_t *)getauxval(AT_SYSINFO_EHDR);
	uint8_t *data;

	*image = (struct image){0};
	if (bytes > VDSO_BYTES_MAX)
		return -ENOENT;
	data = calloc(1, (size_t)bytes);
	if (!data)
		return -ENOMEM;
	if (pid <= 0 || !read_range(pid, line->start, data, bytes) || data[0] != ELFMAG0) {
		size_t own_bytes = own ? own_vdso_bytes(own) : 0;

		if (own_bytes == 0 || own_bytes > bytes) {
			free(data);
			return -ENOENT;
		}
		memset(data, 0, (size_t)bytes);
		memcpy(data, own, own_bytes);
	}
	image_adopt(image, data, (size_t)bytes);
	return 0;
}
