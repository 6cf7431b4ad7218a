/* SPDX-License-Identifier: MIT */
#include "symbolizer/elfimage.h"

#include <errno.h>
#include <endian.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { GUARD_BYTES = 64 * 1024, PHDR_MAX = 4096, COPY_BYTES = 4096 };

#define FILE_BYTES_MAX (UINT64_C(1) << 36)

/* A quarter of RLIMIT_AS is the limit: other files, and results, need addresses, too. */
static bool is_too_large(uint64_t bytes)
{
	struct rlimit addresses;

	if (getrlimit(RLIMIT_AS, &addresses) < 0 || addresses.rlim_cur == RLIM_INFINITY)
		return bytes > FILE_BYTES_MAX;
	return bytes > FILE_BYTES_MAX || bytes > addresses.rlim_cur / 4;
}

int elfimage_map(struct elfimage *image, int fd)
{
	struct stat st;
	uint8_t *at;
	size_t bytes;

	*image = (struct elfimage){0};
	if (fstat(fd, &st) != 0)
		return -errno;
	if (!S_ISREG(st.st_mode) || st.st_size <= 0)
		return -EINVAL;
	if (is_too_large((uint64_t)st.st_size))
		return -EFBIG;
	bytes = (size_t)st.st_size;
	at = mmap(NULL, bytes + GUARD_BYTES, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
		-1, 0);
	if (at == MAP_FAILED)
		return errno == ENOMEM ? -EFBIG : -errno;
	/* Writable, as libelf marks a decompressed section in the section's header. */
	if (mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, fd,
		    0) == MAP_FAILED) {
		int error = errno;

		(void)munmap(at, bytes + GUARD_BYTES);
		return -error;
	}
	image->data = at;
	image->bytes = bytes;
	image->mapped_bytes = bytes + GUARD_BYTES;
	return 0;
}

static bool is_zero(const uint8_t *data, size_t bytes)
{
	return data[0] == 0 && memcmp(data, data + 1, bytes - 1) == 0;
}

int elfimage_copy(struct elfimage *image, int fd, size_t bytes)
{
	uint8_t page[COPY_BYTES], *at;

	*image = (struct elfimage){0};
	at = mmap(NULL, bytes + GUARD_BYTES, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (at == MAP_FAILED)
		return -errno;
	/* A huge page would take 2 MiB for each page written. */
	(void)madvise(at, bytes, MADV_NOHUGEPAGE);
	for (size_t offset = 0; offset < bytes; offset += COPY_BYTES) {
		size_t part = bytes - offset < COPY_BYTES ? bytes - offset : COPY_BYTES;
		ssize_t n = pread(fd, page, part, (off_t)offset);

		if (n > 0 && !is_zero(page, (size_t)n))
			memcpy(at + offset, page, (size_t)n);
	}
	image->data = at;
	image->bytes = bytes;
	image->mapped_bytes = bytes + GUARD_BYTES;
	return 0;
}

void elfimage_adopt(struct elfimage *image, uint8_t *data, size_t bytes)
{
	*image = (struct elfimage){.data = data, .bytes = bytes};
}

void elfimage_release(struct elfimage *image)
{
	free((void *)image->phdr);
	if (image->mapped_bytes)
		(void)munmap((void *)image->data, image->mapped_bytes);
	else
		free((void *)image->data);
	*image = (struct elfimage){0};
}

static bool holds(const struct elfimage *image, uint64_t offset, uint64_t bytes)
{
	return offset <= image->bytes && bytes <= image->bytes - offset;
}

static Elf64_Phdr widen(const Elf32_Phdr *narrow)
{
	return (Elf64_Phdr){
		.p_type = narrow->p_type,
		.p_flags = narrow->p_flags,
		.p_offset = narrow->p_offset,
		.p_vaddr = narrow->p_vaddr,
		.p_paddr = narrow->p_paddr,
		.p_filesz = narrow->p_filesz,
		.p_memsz = narrow->p_memsz,
		.p_align = narrow->p_align,
	};
}

static int read_phdrs(struct elfimage *image, uint64_t offset, size_t entry_bytes, size_t n)
{
	size_t want = image->elf64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
	Elf64_Phdr *phdr;

	if (n == 0)
		return 0;
	if (n > PHDR_MAX || entry_bytes != want || !holds(image, offset, n * want))
		return -ENOEXEC;
	phdr = calloc(n, sizeof(*phdr));
	if (!phdr)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		const uint8_t *from = image->data + offset + i * want;

		if (image->elf64) {
			memcpy(&phdr[i], from, want);
		} else {
			Elf32_Phdr narrow;

			memcpy(&narrow, from, want);
			phdr[i] = widen(&narrow);
		}
	}
	image->phdr = phdr;
	image->n_phdr = n;
	return 0;
}

/* The type of the note named "Go" that Go's linker writes. */
#define NOTE_GO_BUILD_ID 4

/*
 * Reads notes: sets the image's build-id if it has none yet, and image->go if a note is by Go's
 * linker. A note, and its contents, begin at a multiple of @align bytes: 8 in a segment with
 * p_align 8 (gABI, 64 bits), otherwise 4. *@left is how many notes of the file may still be read,
 * and goes down by 1 for each note. A note's contents may have any size, as they are skipped.
 */
static void read_notes(
	struct elfimage *image, const uint8_t *data, uint64_t end, uint64_t align, unsigned *left)
{
	uint64_t at = 0;
	Elf64_Nhdr note; /* Both classes of ELF have the same layout. */

	while (end - at >= sizeof(note) && *left) {
		uint64_t name, desc, next;

		(*left)--;
		memcpy(&note, data + at, sizeof(note));
		name = at + sizeof(note);
		desc = (name + note.n_namesz + align - 1) & ~(align - 1);
		next = (desc + note.n_descsz + align - 1) & ~(align - 1);
		if (desc > end || note.n_descsz > end - desc)
			return;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
			memcmp(data + name, "GNU", 4) == 0 && note.n_descsz > 0 &&
			note.n_descsz <= IMAGE_BUILD_ID_MAX && !image->build_id_bytes) {
			memcpy(image->build_id, data + desc, note.n_descsz);
			image->build_id_bytes = note.n_descsz;
		}
		image->go |= note.n_type == NOTE_GO_BUILD_ID && note.n_namesz == 4 &&
			memcmp(data + name, "Go\0", 4) == 0;
		if (next > end)
			return;
		at = next;
	}
}

void elfimage_read_build_id(struct elfimage *image, const uint8_t *notes, size_t bytes)
{
	unsigned left = IMAGE_NOTES_MOST;

	read_notes(image, notes, bytes, 4, &left);
}

int elfimage_read_headers(struct elfimage *image)
{
	const uint8_t *ident = image->data;
	unsigned left = IMAGE_NOTES_MOST;
	int rc;

	if (image->bytes < EI_NIDENT || memcmp(ident, ELFMAG, SELFMAG) != 0 ||
		ident[EI_DATA] != (BYTE_ORDER == LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB))
		return -ENOEXEC;
	if (ident[EI_CLASS] == ELFCLASS64) {
		Elf64_Ehdr head;

		if (image->bytes < sizeof(head))
			return -ENOEXEC;
		memcpy(&head, ident, sizeof(head));
		image->elf64 = true;
		image->type = head.e_type;
		image->machine = head.e_machine;
		rc = read_phdrs(image, head.e_phoff, head.e_phentsize, head.e_phnum);
	} else if (ident[EI_CLASS] == ELFCLASS32) {
		Elf32_Ehdr head;

		if (image->bytes < sizeof(head))
			return -ENOEXEC;
		memcpy(&head, ident, sizeof(head));
		image->elf64 = false;
		image->type = head.e_type;
		image->machine = head.e_machine;
		rc = read_phdrs(image, head.e_phoff, head.e_phentsize, head.e_phnum);
	} else {
		return -ENOEXEC;
	}
	for (size_t i = 0; rc == 0 && i < image->n_phdr && !image->build_id_bytes; i++) {
		const Elf64_Phdr *p = &image->phdr[i];

		if (p->p_type == PT_NOTE && holds(image, p->p_offset, p->p_filesz))
			read_notes(image, image->data + p->p_offset, p->p_filesz,
				p->p_align == 8 ? 8 : 4, &left);
	}
	return rc;
}

/* A mapping has whole pages: it may begin before the segment and end behind it. */
static bool is_mapped_from(const Elf64_Phdr *p, uint64_t offset, uint64_t bytes)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), first = p->p_offset & ~(page - 1);

	if (p->p_type != PT_LOAD || p->p_filesz == 0 || p->p_offset > UINT64_MAX - p->p_filesz)
		return false;
	return offset < p->p_offset + p->p_filesz && bytes <= UINT64_MAX - offset &&
		offset + bytes > first && offset >= first;
}

size_t elfimage_segments_at_offset(const struct elfimage *image, uint64_t offset, uint64_t bytes,
	bool execute, const Elf64_Phdr **ret_segment, size_t most)
{
	size_t n = 0;

	for (int same_protection = 1; same_protection >= 0 && !n; same_protection--) {
		for (size_t i = 0; i < image->n_phdr && n < most; i++) {
			const Elf64_Phdr *p = &image->phdr[i];

			if ((((p->p_flags & PF_X) != 0) == execute) == same_protection &&
				is_mapped_from(p, offset, bytes))
				ret_segment[n++] = p;
		}
	}
	return n;
}

const Elf64_Phdr *elfimage_segment_at(const struct elfimage *image, uint64_t svma)
{
	for (size_t i = 0; i < image->n_phdr; i++) {
		const Elf64_Phdr *p = &image->phdr[i];

		if (p->p_type == PT_LOAD && svma >= p->p_vaddr && svma - p->p_vaddr < p->p_memsz)
			return p;
	}
	return NULL;
}

struct slice elfimage_at(const struct elfimage *image, uint64_t svma)
{
	const Elf64_Phdr *p = elfimage_segment_at(image, svma);
	struct slice file = {image->data, image->bytes};

	if (!p)
		return (struct slice){0};
	return slice_rest(
		slice_first(slice_rest(file, p->p_offset), p->p_filesz), svma - p->p_vaddr);
}

void elfimage_build_id_hex(const struct elfimage *image, char *to)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < image->build_id_bytes; i++) {
		*to++ = digits[image->build_id[i] >> 4];
		*to++ = digits[image->build_id[i] & 15];
	}
	*to = '\0';
}
