/* SPDX-License-Identifier: MIT */
/* Reads the symbol table of an ELF file of this machine: .symtab; if that was stripped, .dynsym. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "client/all.h"

#define PART_MOST ((size_t)1 << 30) /* maximum bytes of a part of the file that is read */

/*
 * Copies @count elements of @each bytes at @offset of the file, and adds a NUL. Returns 0, and the
 * caller frees the copy; -ENODATA: the file is too short or unreadable; or -ENOMEM.
 */
static int copy_part(int fd, uint64_t offset, uint64_t count, size_t each, void **ret_part)
{
	size_t bytes, done = 0;
	struct stat st;
	char *to;

	if (fstat(fd, &st) < 0 || !count || count > PART_MOST / each ||
		offset > (uint64_t)st.st_size || count > ((uint64_t)st.st_size - offset) / each)
		return -ENODATA;
	bytes = count * each;
	to = malloc(bytes + 1);
	if (!to)
		return -ENOMEM;
	while (done < bytes) {
		ssize_t n = pread(fd, to + done, bytes - done, (off_t)(offset + done));

		if (n > 0) {
			done += (size_t)n;
		} else if (n == 0 || errno != EINTR) {
			free(to);
			return -ENODATA;
		}
	}
	to[bytes] = '\0';
	*ret_part = to;
	return 0;
}

/* Reads the section headers. 0: the caller frees them; -ENODATA: invalid file; or -ENOMEM. */
static int sections_of(int fd, ElfW(Shdr) * *ret_section, size_t *ret_n)
{
	void *part;
	ElfW(Ehdr) * head;
	int r = copy_part(fd, 0, 1, sizeof(*head), &part);

	if (r < 0)
		return r;
	head = part;
	r = -ENODATA;
	if (memcmp(head->e_ident, ELFMAG, SELFMAG) == 0 &&
		head->e_ident[EI_CLASS] == (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32) &&
		head->e_shentsize == sizeof(**ret_section)) {
		*ret_n = head->e_shnum;
		r = copy_part(fd, head->e_shoff, head->e_shnum, sizeof(**ret_section), &part);
	}
	if (r == 0)
		*ret_section = part;
	free(head);
	return r;
}

static int by_address(const void *a, const void *b)
{
	const struct all_symbol *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return x->bytes < y->bytes ? -1 : x->bytes > y->bytes;
}

static struct all_symbol *functions_of(
	const ElfW(Sym) * from, size_t count, const char *names, size_t bytes, size_t *ret_n)
{
	struct all_symbol *symbols = calloc(count, sizeof(*symbols));
	size_t n = 0;

	for (size_t i = 0; symbols && i < count; i++) {
		unsigned type = ELF64_ST_TYPE(from[i].st_info);

		if ((type == STT_FUNC || type == STT_GNU_IFUNC) && from[i].st_shndx != SHN_UNDEF &&
			from[i].st_name < bytes)
			symbols[n++] = (struct all_symbol){
				from[i].st_value, from[i].st_size, names + from[i].st_name};
	}
	if (n)
		qsort(symbols, n, sizeof(*symbols), by_address);
	*ret_n = n;
	return symbols;
}

static int take(int fd, const ElfW(Shdr) * table, const ElfW(Shdr) * strings,
	struct all_symbol **ret_symbols, char **ret_names, size_t *ret_n)
{
	size_t count = table->sh_size / sizeof(ElfW(Sym));
	void *from, *names;
	int r = copy_part(fd, table->sh_offset, count, sizeof(ElfW(Sym)), &from);

	if (r < 0)
		return r;
	r = copy_part(fd, strings->sh_offset, strings->sh_size, 1, &names);
	if (r == 0) {
		*ret_names = names;
		*ret_symbols = functions_of(from, count, names, strings->sh_size, ret_n);
		r = *ret_symbols ? 0 : -ENOMEM;
	}
	free(from);
	return r;
}

static int take_best(int fd, const ElfW(Shdr) * section, size_t n, struct all_symbol **ret_symbols,
	char **ret_names, size_t *ret_n)
{
	const ElfW(Shdr) *table = NULL;

	for (size_t i = 0; i < n; i++) {
		if (section[i].sh_type == SHT_SYMTAB ||
			(section[i].sh_type == SHT_DYNSYM && !table))
			table = &section[i];
	}
	if (!table || table->sh_link >= n || table->sh_entsize != sizeof(ElfW(Sym)))
		return 0;
	return take(fd, table, &section[table->sh_link], ret_symbols, ret_names, ret_n);
}

int all_symbols(const char *path, struct all_symbol **ret_symbols, char **ret_names, size_t *ret_n)
{
	ElfW(Shdr) * section;
	size_t n = 0;
	int fd, r;

	*ret_symbols = NULL;
	*ret_names = NULL;
	*ret_n = 0;
	/* A name without a slash is the vdso's, which is no file. */
	fd = strchr(path, '/') ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
	if (fd < 0)
		return 0;
	r = sections_of(fd, &section, &n);
	if (r == 0) {
		r = take_best(fd, section, n, ret_symbols, ret_names, ret_n);
		free(section);
	}
	(void)close(fd);
	return r == -ENODATA ? 0 : r;
}
