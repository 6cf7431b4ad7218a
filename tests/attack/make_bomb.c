/* SPDX-License-Identifier: MIT */
/*
 * make_bomb KIND PROGRAM FOLDER: writes small sections that a reader expands to very much. objcopy
 * can add them to PROGRAM; each file in FOLDER has the name of its section without the dot. KIND:
 *
 *	ranges		20,000 functions that share one list of 100,000 ranges
 *	lines		20,000 units that share one line table of 300,000 rows
 *	abbreviations	20,000 units that share 200,000 abbreviations, and use the last
 *	inflated	.zdebug_str of 1 GiB in 1 MiB
 *	names		DWARF of one function whose name is 3 MiB long
 *	siblings	a namespace, with a function in it, that is its own sibling
 *
 * make_bomb symtabs PROGRAM FILE: writes to FILE the program with 60,000 section headers that all
 * describe one table of 20,000 symbols.
 */
#include <elf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum { FUNCTIONS = 20000, RANGES = 100000, UNITS = 20000, ROWS = 300000, CODES = 200000 };
enum { HEADERS = 60000, SYMBOLS = 20000, NAME_BYTES = 3 << 20 };

static uint8_t *program;
static size_t program_bytes;
static uint64_t text_low, text_bytes;

static void die(const char *what)
{
	perror(what);
	exit(2);
}

static void put(FILE *out, uint64_t value, int bytes)
{
	while (bytes--) {
		(void)fputc((int)(value & 0xff), out);
		value >>= 8;
	}
}

static void put_uleb(FILE *out, uint64_t value)
{
	do {
		(void)fputc((int)(value & 0x7f) | (value > 0x7f ? 0x80 : 0), out);
		value >>= 7;
	} while (value);
}

static FILE *create(const char *folder, const char *name)
{
	char path[4096];
	FILE *out;

	(void)snprintf(path, sizeof(path), "%s/%s", folder, name);
	out = fopen(path, "wb");
	if (!out)
		die(path);
	return out;
}

static void close_file(FILE *out)
{
	if (ferror(out) || fclose(out))
		die("write");
}

static const Elf64_Shdr *section(unsigned index)
{
	const Elf64_Ehdr *head = (const void *)program;

	return (const Elf64_Shdr *)(const void *)(program + head->e_shoff) + index;
}

static void read_program(const char *path)
{
	FILE *in = fopen(path, "rb");
	const Elf64_Ehdr *head;
	const char *names;

	if (!in || fseek(in, 0, SEEK_END) != 0)
		die(path);
	program_bytes = (size_t)ftell(in);
	program = malloc(program_bytes);
	rewind(in);
	if (!program || fread(program, 1, program_bytes, in) != program_bytes)
		die(path);
	(void)fclose(in);
	head = (const void *)program;
	if (head->e_ident[EI_CLASS] != ELFCLASS64)
		exit(77);
	names = (const char *)program + section(head->e_shstrndx)->sh_offset;
	for (unsigned i = 0; i < head->e_shnum; i++) {
		if (strcmp(names + section(i)->sh_name, ".text") == 0) {
			text_low = section(i)->sh_addr;
			text_bytes = section(i)->sh_size;
		}
	}
}

/* @bytes: of the entries after this DWARF 4 header. */
static void put_unit(FILE *info, uint32_t bytes)
{
	put(info, 7 + bytes, 4);
	put(info, 4, 2);
	put(info, 0, 4);
	put(info, 8, 1);
}

static void put_abbreviation(FILE *out, uint64_t code, uint64_t tag, int children, size_t n,
	const uint8_t (*attributes)[2])
{
	put_uleb(out, code);
	put_uleb(out, tag);
	put(out, (uint64_t)children, 1);
	for (size_t i = 0; i < n; i++) {
		put_uleb(out, attributes[i][0]);
		put_uleb(out, attributes[i][1]);
	}
	put(out, 0, 2);
}

/* Makes a unit with @n functions that share one list of @pairs ranges and one name. */
static void make_functions(const char *folder, unsigned n, unsigned pairs, unsigned name_bytes)
{
	static const uint8_t unit[][2] = {{0x11, 0x01}, {0x12, 0x07}}; /* low, high: addr, data8 */
	static const uint8_t function[][2] = {
		{0x55, 0x17}, {0x6e, 0x0e}}; /* ranges, linkage name */
	FILE *info = create(folder, "debug_info"), *abbrev = create(folder, "debug_abbrev");
	FILE *ranges = create(folder, "debug_ranges"), *strings = create(folder, "debug_str");

	put_abbreviation(abbrev, 1, 0x11, 1, 2, unit);
	put_abbreviation(abbrev, 2, 0x2e, 0, 2, function);
	put(abbrev, 0, 1);
	put_unit(info, 17 + 9 * n + 1);
	put(info, 1, 1);
	put(info, text_low, 8);
	put(info, text_bytes, 8);
	for (unsigned i = 0; i < n; i++) {
		put(info, 2, 1);
		put(info, 0, 8);
	}
	put(info, 0, 1);
	for (unsigned i = 0; i < pairs; i++) {
		uint64_t low = pairs > 1 ? i % (text_bytes - 1) : 0;

		put(ranges, low, 8);
		put(ranges, pairs > 1 ? low + 1 : text_bytes, 8);
	}
	put(ranges, 0, 16);
	for (unsigned i = 0; i < name_bytes; i++)
		put(strings, 'x', 1);
	put(strings, 0, 1);
	close_file(info);
	close_file(abbrev);
	close_file(ranges);
	close_file(strings);
}

static void make_siblings(const char *folder)
{
	static const uint8_t unit[][2] = {{0x11, 0x01}, {0x12, 0x07}}; /* low, high: addr, data8 */
	static const uint8_t space[][2] = {{0x01, 0x13}};              /* sibling: ref4 */
	static const uint8_t function[][2] = {
		{0x11, 0x01}, {0x12, 0x07}, {0x6e, 0x08}}; /* low, high, linkage name: string */
	FILE *info = create(folder, "debug_info"), *abbrev = create(folder, "debug_abbrev");

	put_abbreviation(abbrev, 1, 0x11, 1, 2, unit);
	put_abbreviation(abbrev, 2, 0x39, 1, 1, space);
	put_abbreviation(abbrev, 3, 0x2e, 0, 3, function);
	put(abbrev, 0, 1);
	put_unit(info, 17 + 5 + 25 + 2);
	put(info, 1, 1);
	put(info, text_low, 8);
	put(info, text_bytes, 8);
	put(info, 2, 1);
	put(info, 11 + 17, 4); /* the namespace itself: after header (11 bytes) and unit (17) */
	put(info, 3, 1);
	put(info, text_low, 8);
	put(info, text_bytes, 8);
	(void)fwrite("by_unit", 1, 8, info);
	put(info, 0, 2);
	close_file(info);
	close_file(abbrev);
}

/* Makes units without addresses: a reader reads all their lines. */
static void make_lines(const char *folder)
{
	static const uint8_t unit[][2] = {{0x10, 0x17}}; /* stmt_list */
	static const uint8_t lengths[] = {0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1};
	FILE *info = create(folder, "debug_info"), *abbrev = create(folder, "debug_abbrev");
	FILE *lines = create(folder, "debug_line");

	put_abbreviation(abbrev, 1, 0x11, 0, 1, unit);
	put(abbrev, 0, 1);
	for (unsigned i = 0; i < UNITS; i++) {
		put_unit(info, 5);
		put(info, 1, 1);
		put(info, 0, 4);
	}
	put(lines, 2 + 4 + 27 + 11 + ROWS + 3, 4);
	put(lines, 4, 2);
	put(lines, 27, 4);
	put(lines, 0x0e01010101,
		5); /* minimum instruction 1, 1 operation, is_stmt, line base 1, line range 14 */
	put(lines, 13, 1);
	(void)fwrite(lengths, 1, sizeof(lengths), lines);
	put(lines, 0, 1);
	(void)fwrite("a.c\0\0\0", 1, 7, lines); /* folder, time and size: 0 */
	put(lines, 0, 1);
	put(lines, 0x020900, 3); /* set_address */
	put(lines, text_low, 8);
	for (unsigned i = 0; i < ROWS; i++)
		put(lines, 13 + 14, 1); /* address + 1, line + 1 */
	put(lines, 0x010100, 3);        /* end_sequence */
	close_file(info);
	close_file(abbrev);
	close_file(lines);
}

static void make_abbreviations(const char *folder)
{
	FILE *info = create(folder, "debug_info"), *abbrev = create(folder, "debug_abbrev");

	for (unsigned i = 1; i <= CODES; i++)
		put_abbreviation(abbrev, i, 0x11, 0, 0, NULL);
	put(abbrev, 0, 1);
	for (unsigned i = 0; i < UNITS; i++) {
		put_unit(info, 3);
		put_uleb(info, CODES); /* a code of three bytes */
	}
	close_file(info);
	close_file(abbrev);
}

static void make_inflated(const char *folder)
{
	static uint8_t zeros[1 << 20], packed[1 << 16];
	FILE *out = create(folder, "zdebug_str");
	uint64_t bytes = UINT64_C(1) << 30;
	z_stream z = {0};

	(void)fwrite("ZLIB", 1, 4, out);
	for (int i = 56; i >= 0; i -= 8)
		put(out, bytes >> i, 1);
	if (deflateInit(&z, 6) != Z_OK)
		die("zlib");
	for (uint64_t i = 0; i < bytes; i += sizeof(zeros)) {
		z.next_in = zeros;
		z.avail_in = sizeof(zeros);
		do {
			z.next_out = packed;
			z.avail_out = sizeof(packed);
			(void)deflate(&z, i + sizeof(zeros) == bytes ? Z_FINISH : Z_NO_FLUSH);
			(void)fwrite(packed, 1, sizeof(packed) - z.avail_out, out);
		} while (!z.avail_out);
	}
	(void)deflateEnd(&z);
	close_file(out);
}

static void make_symtabs(const char *path)
{
	FILE *out = fopen(path, "wb");
	Elf64_Ehdr *head = (void *)program;
	unsigned old = head->e_shnum;
	Elf64_Shdr table = {
		.sh_type = SHT_SYMTAB, .sh_entsize = sizeof(Elf64_Sym), .sh_addralign = 8};
	Elf64_Sym symbol = {0};
	uint64_t at = (program_bytes + 7) & ~UINT64_C(7);

	for (unsigned i = 0; i < old; i++) {
		if (section(i)->sh_type == SHT_SYMTAB) {
			table.sh_link = section(i)->sh_link;
			memcpy(&symbol,
				program + section(i)->sh_offset + section(i)->sh_size -
					sizeof(symbol),
				sizeof(symbol));
		}
		if (section(i)->sh_addr == text_low)
			symbol.st_shndx = (uint16_t)i;
	}
	symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
	table.sh_offset = at;
	table.sh_size = SYMBOLS * sizeof(symbol);
	if (!out)
		die(path);
	(void)fwrite(program, 1, program_bytes, out);
	put(out, 0, (int)(at - program_bytes));
	for (unsigned i = 0; i < SYMBOLS; i++) {
		symbol.st_value = text_low + i % text_bytes;
		(void)fwrite(&symbol, sizeof(symbol), 1, out);
	}
	at += table.sh_size;
	(void)fwrite(section(0), sizeof(Elf64_Shdr), old, out);
	for (unsigned i = 0; i < HEADERS; i++)
		(void)fwrite(&table, sizeof(table), 1, out);
	head->e_shoff = at;
	head->e_shnum = (uint16_t)(old + HEADERS);
	rewind(out);
	(void)fwrite(head, sizeof(*head), 1, out);
	close_file(out);
}

int main(int argc, char **argv)
{
	if (argc != 4)
		return 2;
	read_program(argv[2]);
	if (!strcmp(argv[1], "ranges"))
		make_functions(argv[3], FUNCTIONS, RANGES, 1);
	else if (!strcmp(argv[1], "names"))
		make_functions(argv[3], 1, 1, NAME_BYTES);
	else if (!strcmp(argv[1], "siblings"))
		make_siblings(argv[3]);
	else if (!strcmp(argv[1], "lines"))
		make_lines(argv[3]);
	else if (!strcmp(argv[1], "abbreviations"))
		make_abbreviations(argv[3]);
	else if (!strcmp(argv[1], "symtabs"))
		make_symtabs(argv[3]);
	else
		make_functions(argv[3], 1, 1, 1), make_inflated(argv[3]);
	return 0;
}
