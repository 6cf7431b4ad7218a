/* SPDX-License-Identifier: MIT */
/*
 * The bytes of an ELF file in memory, and the parts needed while the process lives: program headers
 * and build-id. These are read without a library, with bounds checks.
 */
#ifndef SYMBOLIZER_ELFIMAGE_H
#define SYMBOLIZER_ELFIMAGE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbolizer/base/slice.h"

/*
 * IMAGE_NOTES_MOST notes of a file are read, of all its segments together. Programs have a few; in
 * a damaged file, thousands of segments may each consist of all its bytes.
 */
enum { IMAGE_BUILD_ID_MAX = 64, IMAGE_NOTES_MOST = 16384 };

struct elfimage {
	const uint8_t *data; /* NULL: none */
	size_t bytes;
	size_t mapped_bytes; /* 0: data is on the heap */

	/* The fields from here to @go are valid after elfimage_read_headers() succeeded. */
	bool elf64;
	uint16_t type, machine; /* e_type, e_machine */
	const Elf64_Phdr *phdr; /* widened for 32-bit files; owned by the image */
	size_t n_phdr;
	uint8_t build_id[IMAGE_BUILD_ID_MAX];
	size_t build_id_bytes; /* 0: none */
	bool go;               /* Go's linker made the file */
	/*
	 * If the image was assembled from a process's memory: the load bias there, which the C
	 * library may have added to the addresses in PT_DYNAMIC. Otherwise 0.
	 */
	uint64_t loaded;
};

/*
 * Maps a regular file; @fd may be closed afterwards. 0; -EINVAL: not a regular file, or empty;
 * -EFBIG: more than 64 GiB, than a quarter of RLIMIT_AS, or than there are addresses for; another
 * -errno of fstat() or mmap(). Zero bytes follow the mapping, so that a read one word past the end
 * does not fault.
 */
int elfimage_map(struct elfimage *image, int fd);
/*
 * Copies the first @bytes bytes of a file that has at least as many; @fd stays open. Pages of zeros
 * take addresses, but no memory. 0, or -errno of mmap().
 */
int elfimage_copy(struct elfimage *image, int fd, size_t bytes);
/* Takes ownership of malloc'ed @data. */
void elfimage_adopt(struct elfimage *image, uint8_t *data, size_t bytes);
/*
 * Reads program headers, and the build-id if it is among the first IMAGE_NOTES_MOST notes.
 * -ENOEXEC: no ELF file of our byte order, or invalid headers.
 */
int elfimage_read_headers(struct elfimage *image);
/* Reads the build-id from notes without a program header, as in a supplement made by dwz. */
void elfimage_read_build_id(struct elfimage *image, const uint8_t *notes, size_t bytes);
void elfimage_release(struct elfimage *image);

/*
 * Finds the segments from which a mapping of @bytes bytes at file offset @offset may come, in the
 * order of the file, at most @most. Returns their number. If segments share a page of the file,
 * those with the mapping's protection are returned, or the others if there are none.
 */
size_t elfimage_segments_at_offset(const struct elfimage *image, uint64_t offset, uint64_t bytes,
	bool execute, const Elf64_Phdr **ret_segment, size_t most);
/* The PT_LOAD segment that contains an address of the file, NULL none. */
const Elf64_Phdr *elfimage_segment_at(const struct elfimage *image, uint64_t svma);
/*
 * The bytes of the file that are loaded from @svma on, up to the segment's end, or to that of the
 * file.
 */
struct slice elfimage_at(const struct elfimage *image, uint64_t svma);

/* Writes the build-id in lower-case hex to @to (2 * IMAGE_BUILD_ID_MAX + 1 bytes). */
void elfimage_build_id_hex(const struct elfimage *image, char *to);

#endif
