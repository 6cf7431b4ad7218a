/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <elf.h>
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "symbolizer/elfimage.h"

/* Bytes of a note without name and contents, and of the largest note here. */
enum { EMPTY_BYTES = sizeof(Elf64_Nhdr), LARGE_BYTES = 1 << 20 };

struct build_id {
	Elf64_Nhdr head;
	char name[4];
	uint8_t id[4];
};

static const struct build_id build_id = {
	{.n_namesz = 4, .n_descsz = 4, .n_type = NT_GNU_BUILD_ID}, "GNU", {1, 2, 3, 4}};

/* A file of @bytes zeros with @n PT_NOTE, whose places the caller sets. */
static uint8_t *make_file(size_t n, size_t bytes, Elf64_Phdr **ret_phdr)
{
	uint8_t *data = calloc(1, bytes);
	Elf64_Ehdr head = {.e_ident = ELFMAG,
		.e_phoff = sizeof(head),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = (uint16_t)n};

	assert_non_null(data);
	head.e_ident[EI_CLASS] = ELFCLASS64;
	head.e_ident[EI_DATA] = BYTE_ORDER == LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB;
	memcpy(data, &head, sizeof(head));
	*ret_phdr = (Elf64_Phdr *)(data + sizeof(head));
	for (size_t i = 0; i < n; i++)
		(*ret_phdr)[i].p_type = PT_NOTE;
	return data;
}

/* Takes ownership of @data. */
static bool has_build_id(uint8_t *data, size_t bytes)
{
	struct elfimage image;
	bool found;

	elfimage_adopt(&image, data, bytes);
	assert_int_equal(elfimage_read_headers(&image), 0);
	found = image.build_id_bytes == sizeof(build_id.id) &&
		memcmp(image.build_id, build_id.id, sizeof(build_id.id)) == 0;
	elfimage_release(&image);
	return found;
}

/* Is the build-id found behind @n segments that share the same @notes empty notes? */
static bool found_behind(size_t n, size_t notes)
{
	size_t from = sizeof(Elf64_Ehdr) + (n + 1) * sizeof(Elf64_Phdr);
	size_t id = from + notes * EMPTY_BYTES, bytes = id + sizeof(build_id);
	Elf64_Phdr *phdr;
	uint8_t *data = make_file(n + 1, bytes, &phdr);

	for (size_t i = 0; i < n; i++) {
		phdr[i].p_offset = from;
		phdr[i].p_filesz = notes * EMPTY_BYTES;
	}
	phdr[n].p_offset = id;
	phdr[n].p_filesz = sizeof(build_id);
	memcpy(data + id, &build_id, sizeof(build_id));
	return has_build_id(data, bytes);
}

static void test_elfimage__segments_that_share_notes_take_bounded_work(void **state)
{
	(void)state;
	assert_true(found_behind(1, IMAGE_NOTES_MOST - 1));
	assert_false(found_behind(1, IMAGE_NOTES_MOST));
	assert_true(found_behind(64, IMAGE_NOTES_MOST / 64 - 1));
	assert_false(found_behind(64, IMAGE_NOTES_MOST / 64));
	assert_false(found_behind(4095, IMAGE_NOTES_MOST / 64));
}

static void test_elfimage__a_build_id_behind_large_notes_is_found(void **state)
{
	const Elf64_Nhdr large = {
		.n_descsz = LARGE_BYTES - sizeof(large), .n_type = NT_GNU_PROPERTY_TYPE_0};
	size_t from = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr), id = from + 8 * LARGE_BYTES;
	Elf64_Phdr *phdr;
	uint8_t *data = make_file(1, id + sizeof(build_id), &phdr);

	(void)state;
	phdr->p_offset = from;
	phdr->p_filesz = id + sizeof(build_id) - from;
	for (size_t i = 0; i < 8; i++)
		memcpy(data + from + i * LARGE_BYTES, &large, sizeof(large));
	memcpy(data + id, &build_id, sizeof(build_id));
	assert_true(has_build_id(data, id + sizeof(build_id)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_elfimage__segments_that_share_notes_take_bounded_work),
		cmocka_unit_test(test_elfimage__a_build_id_behind_large_notes_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
