/* SPDX-License-Identifier: MIT */
/* An ELF file in memory; its program headers and build-id, read without a library. */
#ifndef SYMBOLIZER_ELFIMAGE_H
#define SYMBOLIZER_ELFIMAGE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbolizer/base/slice.h"

/*
 * At most IMAGE_NOTES_MOST notes of a file are read. In a bad file, thousands of segments may each
 * contain the whole file, so that the same notes would be read thousands of times.
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
	 * The load bias if the image was read from a process's memory, otherwise 0. glibc adds the
	 * load bias to addresses in PT_DYNAMIC, in memory.
	 */
	uint64_t loaded;
};

/*
 * Maps a regular file; @fd may be closed afterwards. Zero bytes follow, so that reading a word past
 * the end does not fault. -EINVAL: not a regular file, or empty; -EFBIG: above 64 GiB or a quarter
 * of RLIMIT_AS, or no addresses left; another -errno of fstat() or mmap().
 */
int elfimage_map(struct elfimage *image, int fd);
/* Copies @bytes bytes of a file; zero pages take no memory. @fd stays open. -errno of mmap(). */
int elfimage_copy(struct elfimage *image, int fd, size_t bytes);
/* Takes ownership of malloc'ed @data. */
void elfimage_adopt(struct elfimage *image, uint8_t *data, size_t bytes);
/* Reads program headers and build-id. -ENOEXEC: damaged, or of another byte order; -ENOMEM. */
int elfimage_read_headers(struct elfimage *image);
/* Reads the build-id from notes without a program header, as in a supplement made by dwz. */
void elfimage_read_build_id(struct elfimage *image, const uint8_t *notes, size_t bytes);
void elfimage_release(struct elfimage *image);

/*
 * Finds up to @most segments from which a mapping of @bytes bytes at file offset @offset may come,
 * in file order. @execute: is the mapping executable? Segments that differ from the mapping in this
 * are found only if there are no others. Returns the number of segments.
 */
size_t elfimage_segments_at_offset(const struct elfimage *image, uint64_t offset, uint64_t bytes,
	bool execute, const Elf64_Phdr **ret_segment, size_t most);
/* The PT_LOAD segment that contains @svma; NULL: none. */
const Elf64_Phdr *elfimage_segment_at(const struct elfimage *image, uint64_t svma);
/* The file's bytes loaded at @svma, up to the end of the segment or of the file. */
struct slice elfimage_at(const struct elfimage *image, uint64_t svma);

/* Writes the build-id in lower-case hex to @to (2 * IMAGE_BUILD_ID_MAX + 1 bytes). */
void elfimage_build_id_hex(const struct elfimage *image, char *to);

#endif
