/* SPDX-License-Identifier: MIT */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "symbolizer/module.h"
#include "symbolizer/symbolizer.h"

struct world {
	struct symbolizer *symbolizer;
	struct space *space;
};

static void make_world(struct world *world, int pid)
{
	const struct symbolizer_options options = {.size = sizeof(options)};

	assert_int_equal(symbolizer_new(&options, &world->symbolizer), 0);
	assert_int_equal(space_new(world->symbolizer, pid, &world->space), 0);
}

static void end_world(struct world *world)
{
	space_free(world->space);
	symbolizer_free(world->symbolizer);
}

static char *read_own_maps(size_t *ret_bytes)
{
	FILE *file = fopen("/proc/self/maps", "re");
	size_t capacity = 1 << 20, used = 0, n;
	char *text = malloc(capacity);

	assert_non_null(file);
	assert_non_null(text);
	while ((n = fread(text + used, 1, capacity - used, file)) > 0)
		used += n;
	(void)fclose(file);
	*ret_bytes = used;
	return text;
}

static int set_own_maps(struct space *space)
{
	size_t bytes;
	char *text = read_own_maps(&bytes);
	int rc = space_set_maps(space, text, bytes);

	free(text);
	return rc;
}

/* noinline, and a body unlike any other, so that the function keeps its own address */
__attribute__((noinline)) static int here(volatile int *n)
{
	return *n += 3; /* LINE_OF_HERE */
}
enum { LINE_OF_HERE = __LINE__ - 2 };

static void test_space__names_its_own_process(void **state)
{
	struct world world;
	struct code_location place;
	struct frame_chain chain;
	struct module_info info;
	volatile int n = 0;

	(void)state;
	make_world(&world, getpid());
	assert_int_equal(set_own_maps(world.space), 0);
	(void)here(&n);
	assert_true(space_find(world.space, (uintptr_t)here, &place));
	assert_int_equal(symbolizer_resolve(world.symbolizer, &place, 1, &chain), 0);
	assert_int_equal(chain.n, 1);
	assert_string_equal(chain.frame[0].function, "here");
	assert_non_null(strstr(chain.frame[0].file, "test_space.c"));
	assert_in_range(chain.frame[0].line, LINE_OF_HERE - 1, LINE_OF_HERE);
	module_describe(place.module, place.svma, &info);
	assert_true(info.segment_svma <= place.svma);
	assert_true(place.svma - info.segment_svma < info.segment_bytes);
	assert_false(info.deleted);
	assert_string_equal(info.symbols, "symtab");
	end_world(&world);
}

static void test_space__knows_nothing_outside_of_mappings(void **state)
{
	struct world world;
	struct code_location place;
	struct frame_chain chain;
	struct module_info info;

	(void)state;
	make_world(&world, 0);
	assert_false(space_find(world.space, 0x1234, &place));
	assert_true(place.svma == 0x1234);
	module_describe(place.module, place.svma, &info);
	assert_string_equal(info.path, "[unknown]");
	assert_int_equal(symbolizer_resolve(world.symbolizer, &place, 1, &chain), 0);
	assert_int_equal(chain.n, 0);
	end_world(&world);
}

static void test_space__skips_senseless_lines(void **state)
{
	static const char text[] = "00400000-00401000 rw-p 00000000 00:00 0 [heap]\n"
				   "rubbish\n"
				   "\n"
				   "00600000-00601000 rwxp 00000000 00:00 0\n"
				   "00400800-00402000 rw-p 00000000 00:00 0 [overlaps]\n"
				   "00500000-00501000 rw-p 00000000 00:00 0 [anon:a name]";
	struct world world;
	struct code_location place;
	struct module_info info;

	(void)state;
	make_world(&world, 0);
	assert_int_equal(space_set_maps(world.space, text, sizeof(text) - 1), 2);
	assert_true(space_find(world.space, 0x400fff, &place));
	assert_true(place.svma == 0x400fff);
	module_describe(place.module, place.svma, &info);
	assert_string_equal(info.path, "[heap]");
	assert_false(space_find(world.space, 0x401000, &place));
	assert_true(space_find(world.space, 0x500000, &place));
	module_describe(place.module, place.svma, &info);
	assert_string_equal(info.path, "[anon:a name]");
	assert_true(space_find(world.space, 0x600010, &place));
	module_describe(place.module, place.svma, &info);
	assert_string_equal(info.path, "[anon]");
	end_world(&world);
}

static void test_space__names_the_vdso(void **state)
{
	uint64_t vdso = getauxval(AT_SYSINFO_EHDR);
	struct world world;
	struct code_location place;
	struct frame_chain chain;
	struct module_info info;
	size_t named = 0;

	(void)state;
	if (!vdso) {
		print_message("no vdso in this process\n");
		skip();
	}
	/* pid 0 is no process: the vdso is read from our own memory. */
	make_world(&world, 0);
	assert_int_equal(set_own_maps(world.space), 0);
	assert_true(space_find(world.space, vdso, &place));
	module_describe(place.module, place.svma, &info);
	assert_string_equal(info.path, "[vdso]");
	for (uint64_t pc = vdso; pc < vdso + 0x2000; pc += 16) {
		if (!space_find(world.space, pc, &place))
			break;
		assert_int_equal(symbolizer_resolve(world.symbolizer, &place, 1, &chain), 0);
		named += chain.n && strstr(chain.frame[0].function, "clock_gettime");
		/* Without a symbol, the frame is [vdso+0x780], with one pair of brackets. */
		assert_false(chain.n && strstr(chain.frame[0].function, "[["));
	}
	assert_true(named > 0);
	end_world(&world);
}

static void test_space__forks(void **state)
{
	struct world world;
	struct space *child;
	struct code_location before, after;

	(void)state;
	make_world(&world, getpid());
	assert_int_equal(set_own_maps(world.space), 0);
	assert_int_equal(space_fork(world.space, 1, &child), 0);
	assert_true(space_find(world.space, (uintptr_t)here, &before));
	assert_int_equal(space_set_maps(world.space, "", 0), 0);
	assert_false(space_find(world.space, (uintptr_t)here, &after));
	assert_true(space_find(child, (uintptr_t)here, &after));
	assert_ptr_equal(before.module, after.module);
	assert_true(before.svma == after.svma);
	space_free(child);
	end_world(&world);
}

static unsigned open_descriptors(void)
{
	unsigned n = 0;

	for (int fd = 0; fd < 4096; fd++)
		n += fcntl(fd, F_GETFD) != -1;
	return n;
}

static void test_space__many_processes_keep_no_descriptors(void **state)
{
	unsigned before = open_descriptors();
	struct world world;
	struct code_location first = {0}, place;
	size_t bytes;
	char *text = read_own_maps(&bytes);

	(void)state;
	make_world(&world, getpid());
	for (int i = 0; i < 1000; i++) {
		struct space *space;

		assert_int_equal(space_new(world.symbolizer, getpid(), &space), 0);
		assert_int_equal(space_set_maps(space, text, bytes), 0);
		assert_true(space_find(space, (uintptr_t)here, &place));
		if (i == 0)
			first = place;
		assert_ptr_equal(place.module, first.module);
		space_free(space);
	}
	assert_int_equal(open_descriptors(), before);
	free(text);
	end_world(&world);
}

static void test_space__reads_code_from_the_file(void **state)
{
	struct world world;
	uint8_t code[16];

	(void)state;
	make_world(&world, getpid());
	assert_int_equal(set_own_maps(world.space), 0);
	assert_int_equal(
		space_read(world.space, (uintptr_t)here, code, sizeof(code)), sizeof(code));
	assert_memory_equal(code, (const void *)(uintptr_t)here, sizeof(code));
	assert_int_equal(space_read(world.space, (uintptr_t)&world, code, sizeof(code)), 0);
	end_world(&world);
}

/* As lld makes executables: two code segments in one page of the file. */
static void write_two_texts(int fd)
{
	const Elf64_Ehdr header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
					   ELFDATA2LSB, EV_CURRENT},
		.e_type = ET_DYN,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(Elf64_Ehdr),
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 4};
	const Elf64_Phdr segment[] = {
		{.p_type = PT_LOAD, .p_flags = PF_R, .p_filesz = 0x318, .p_memsz = 0x318},
		{.p_type = PT_LOAD,
			.p_flags = PF_R | PF_X,
			.p_offset = 0x1000,
			.p_vaddr = 0x7a2000,
			.p_filesz = 0x71,
			.p_memsz = 0x71},
		{.p_type = PT_LOAD,
			.p_flags = PF_R,
			.p_offset = 0x1071,
			.p_vaddr = 0x7a3071,
			.p_filesz = 0x423,
			.p_memsz = 0x423},
		{.p_type = PT_LOAD,
			.p_flags = PF_R | PF_X,
			.p_offset = 0x14a0,
			.p_vaddr = 0x7a44a0,
			.p_filesz = 0x1f0,
			.p_memsz = 0x1f0},
	};

	assert_int_equal(ftruncate(fd, 0x2000), 0);
	assert_int_equal(pwrite(fd, &header, sizeof(header), 0), sizeof(header));
	assert_int_equal(pwrite(fd, segment, sizeof(segment), sizeof(header)), sizeof(segment));
}

static void test_space__each_mapping_has_its_own_bias(void **state)
{
	char path[] = "/tmp/sprofil-two-texts-XXXXXX", text[4096];
	int fd = mkstemp(path);
	struct world world;
	struct code_location place;

	(void)state;
	assert_true(fd >= 0);
	write_two_texts(fd);
	/* The file is mapped twice. Round 0 lists its mappings of code only, round 1 all. */
	for (int all = 0; all < 2; all++) {
		size_t bytes = 0;

		make_world(&world, 0);
		for (unsigned long base = 0x100000000000; base <= 0x200000000000;
			base += 0x100000000000) {
			if (all)
				bytes += (size_t)snprintf(text + bytes, sizeof(text) - bytes,
					"%lx-%lx r--p 00000000 fe:01 7 %s\n", base, base + 0x1000,
					path);
			bytes += (size_t)snprintf(text + bytes, sizeof(text) - bytes,
				"%lx-%lx r-xp 00001000 fe:01 7 %s\n"
				"%lx-%lx r-xp 00001000 fe:01 7 %s\n",
				base + 0x7a2000, base + 0x7a3000, path, base + 0x7a4000,
				base + 0x7a5000, path);
		}
		assert_int_equal(space_set_maps(world.space, text, bytes), 0);
		for (unsigned long base = 0x100000000000; base <= 0x200000000000;
			base += 0x100000000000) {
			assert_true(space_find(world.space, base + 0x7a2010, &place));
			assert_int_equal(place.svma, 0x7a2010);
			assert_true(space_find(world.space, base + 0x7a44b0, &place));
			assert_int_equal(place.svma, 0x7a44b0);
		}
		end_world(&world);
	}
	(void)close(fd);
	(void)unlink(path);
}

/* Text moved to anonymous memory, as for large pages, is found; other code there is not. */
static void test_space__finds_text_that_was_moved(void **state)
{
	static const char *const kinds[] = {"", "[anon: text]", "/anon_hugepage (deleted)",
		"/memfd:text (deleted)", "/dev/hugepages/text (deleted)"};
	char path[] = "/tmp/sprofil-moved-XXXXXX", text[4096];
	int fd = mkstemp(path);
	struct code_location place, other;
	struct world world;

	(void)state;
	assert_true(fd >= 0);
	write_two_texts(fd);
	/* In rounds 0 to 4 one of the two code segments was moved, in rounds 5 to 9 both. */
	for (size_t i = 0; i < 10; i++) {
		const char *name = kinds[i % 5];
		size_t bytes = (size_t)snprintf(text, sizeof(text),
			"10000000-10001000 r--p 00000000 fe:01 7 %s\n"
			"107a2000-107a3000 r-xp 00000000 00:00 0 %s\n"
			"107a3000-107a4000 r--p 00001000 fe:01 7 %s\n",
			path, name, path);

		if (i < 5)
			bytes += (size_t)snprintf(text + bytes, sizeof(text) - bytes,
				"107a4000-107a5000 r-xp 00001000 fe:01 7 %s\n", path);
		else
			bytes += (size_t)snprintf(text + bytes, sizeof(text) - bytes,
				"107a4000-107a5000 r-xp 00000000 00:00 0 %s\n", name);
		bytes += (size_t)snprintf(text + bytes, sizeof(text) - bytes,
			"107a5000-107a6000 r-xp 00000000 00:00 0 %s\n"
			"20000000-20001000 r-xp 00000000 00:00 0 %s\n",
			name, name);
		make_world(&world, 0);
		assert_int_equal(space_set_maps(world.space, text, bytes), 0);
		/* The second time, results come from the cache. */
		assert_int_equal(space_set_maps(world.space, text, bytes), 0);
		assert_true(space_find(world.space, 0x107a2010, &place));
		assert_int_equal(place.svma, 0x7a2010);
		assert_string_equal(place.module->key.path, path);
		assert_true(space_find(world.space, 0x107a44b0, &other));
		assert_int_equal(other.svma, 0x7a44b0);
		assert_ptr_equal(other.module, place.module);
		/* Code made at run time, right after the file's mappings and elsewhere. */
		assert_true(space_find(world.space, 0x107a5010, &other));
		assert_ptr_not_equal(other.module, place.module);
		assert_true(space_find(world.space, 0x20000010, &other));
		assert_ptr_not_equal(other.module, place.module);
		end_world(&world);
	}
	(void)close(fd);
	(void)unlink(path);
}

enum { TEXT_PAGES = 5, TEXT_PAGE = 4096 };

/*
 * Code that is loaded at 0x401000, behind its headers. Page 3 is the same as page 0, page 4 has one
 * value only, the others differ.
 */
static void write_text(int fd, uint8_t code[TEXT_PAGES][TEXT_PAGE])
{
	const size_t bytes = (size_t)TEXT_PAGES * TEXT_PAGE;
	const Elf64_Ehdr header = {
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			EV_CURRENT},
		.e_type = ET_EXEC,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(header),
		.e_ehsize = sizeof(header),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 2,
	};
	const Elf64_Phdr segments[] = {
		{.p_type = PT_LOAD,
			.p_flags = PF_R,
			.p_vaddr = 0x400000,
			.p_filesz = TEXT_PAGE,
			.p_memsz = TEXT_PAGE},
		{.p_type = PT_LOAD,
			.p_flags = PF_R | PF_X,
			.p_offset = TEXT_PAGE,
			.p_vaddr = 0x401000,
			.p_filesz = bytes,
			.p_memsz = bytes},
	};

	memset(code[4], 0xcc, TEXT_PAGE);
	for (int page = 0; page < 4; page++) {
		for (int i = 0; i < TEXT_PAGE; i++)
			code[page][i] = (uint8_t)(i % 251 * (page % 3 + 1));
	}
	assert_int_equal(pwrite(fd, &header, sizeof(header), 0), sizeof(header));
	assert_int_equal(pwrite(fd, segments, sizeof(segments), sizeof(header)), sizeof(segments));
	assert_int_equal(pwrite(fd, code, bytes, TEXT_PAGE), bytes);
}

/*
 * Copies code to a mapping of its own, between two pages without access. NULL: code that was
 * written may not be executed here.
 */
static char *copy_code(const void *code, size_t bytes)
{
	char *all = mmap(
		     NULL, bytes + 2 * TEXT_PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
	     *copy = all + TEXT_PAGE;

	assert_true((void *)all != MAP_FAILED);
	assert_int_equal(mprotect(copy, bytes, PROT_READ | PROT_WRITE), 0);
	memcpy(copy, code, bytes);
	if (mprotect(copy, bytes, PROT_READ | PROT_EXEC) == 0)
		return copy;
	(void)munmap(all, bytes + 2 * TEXT_PAGE);
	return NULL;
}

static void release_code(char *copy, size_t bytes)
{
	assert_int_equal(munmap(copy - TEXT_PAGE, bytes + 2 * TEXT_PAGE), 0);
}

/*
 * A copy of moved text is found by its first page, if no other page is like it, and if the text has
 * as many bytes from there on.
 */
static void test_space__finds_copies_of_text_that_was_moved(void **state)
{
	static const struct {
		int page, pages; /* what is copied */
		bool moved;      /* the text is in memory without a file */
		bool found;
	} cases[] = {{1, 2, true, true}, {2, 1, true, true}, {2, 3, true, true}, {0, 3, true, true},
		{0, 2, true, false}, {3, 1, true, false}, {4, 1, true, false},
		{1, 2, false, false}};
	char path[] = "/tmp/sprofil-copied-XXXXXX", text[1024], more[8192];
	uint8_t code[TEXT_PAGES][TEXT_PAGE];
	char file[200];
	struct code_location place;
	struct world world;
	struct stat st;
	int fd;

	(void)state;
	if (sysconf(_SC_PAGESIZE) != TEXT_PAGE)
		skip();
	fd = mkstemp(path);
	assert_true(fd >= 0);
	write_text(fd, code);
	assert_int_equal(fstat(fd, &st), 0);
	(void)snprintf(file, sizeof(file), "%x:%x %llu %s", major(st.st_dev), minor(st.st_dev),
		(unsigned long long)st.st_ino, path);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		size_t bytes = (size_t)cases[i].pages * TEXT_PAGE, bytes_of_more = 0;
		char *copy = copy_code(code[cases[i].page], bytes);
		uintptr_t at = (uintptr_t)copy;

		if (!copy) {
			(void)unlink(path);
			skip();
		}
		make_world(&world, getpid());
		(void)snprintf(text, sizeof(text),
			"10400000-10401000 r--p 00000000 %s\n"
			"10401000-10406000 r-xp %s %s\n"
			"%lx-%lx r-xp 00000000 00:00 0\n",
			file, cases[i].moved ? "00000000" : "00001000",
			cases[i].moved ? "00:00 0" : file, (unsigned long)at,
			(unsigned long)(at + bytes));
		assert_int_equal(space_set_maps(world.space, text, strlen(text)), 0);
		release_code(copy, bytes);
		/*
		 * The copy was compared before. It is not read again, though more new mappings come
		 * before it than are compared at once.
		 */
		for (size_t k = 0; k < 100; k++)
			bytes_of_more += (size_t)snprintf(more + bytes_of_more,
				sizeof(more) - bytes_of_more, "%zx-%zx r-xp 00000000 00:00 0\n",
				(k + 1) << 24, ((k + 1) << 24) + TEXT_PAGE);
		(void)snprintf(more + bytes_of_more, sizeof(more) - bytes_of_more, "%s", text);
		assert_int_equal(space_set_maps(world.space, more, strlen(more)), 0);
		assert_true(space_find(world.space, at + 16, &place));
		if (cases[i].found) {
			assert_string_equal(place.module->key.path, path);
			assert_int_equal(place.svma,
				0x401000 + (unsigned long)cases[i].page * TEXT_PAGE + 16);
		} else {
			assert_ptr_equal(place.module, world.symbolizer->anonymous);
			assert_int_equal(place.svma, at + 16);
		}
		end_world(&world);
	}
	(void)close(fd);
	(void)unlink(path);
}

/*
 * As V8 does in each worker: it maps a part of node's text once more, and generates code behind
 * that, where the text would go on.
 */
static void test_space__code_behind_a_part_of_a_text_was_not_moved(void **state)
{
	char path[] = "/tmp/sprofil-part-XXXXXX", text[1024];
	uint8_t code[TEXT_PAGES][TEXT_PAGE];
	struct code_location place;
	struct world world;
	int fd;

	(void)state;
	fd = mkstemp(path);
	assert_true(fd >= 0);
	write_text(fd, code);
	(void)snprintf(text, sizeof(text),
		"00400000-00401000 r--p 00000000 fe:01 7 %s\n"
		"00401000-00406000 r-xp 00001000 fe:01 7 %s\n"
		"10000000-10002000 r-xp 00002000 fe:01 7 %s\n"
		"10003000-10004000 rwxp 00000000 00:00 0\n",
		path, path, path);
	make_world(&world, 0);
	assert_int_equal(space_set_maps(world.space, text, strlen(text)), 0);
	assert_true(space_find(world.space, 0x10000010, &place));
	assert_string_equal(place.module->key.path, path);
	assert_int_equal(place.svma, 0x402010);
	assert_true(space_find(world.space, 0x10003010, &place));
	assert_ptr_equal(place.module, world.symbolizer->anonymous);
	end_world(&world);
	(void)close(fd);
	(void)unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_space__names_its_own_process),
		cmocka_unit_test(test_space__knows_nothing_outside_of_mappings),
		cmocka_unit_test(test_space__skips_senseless_lines),
		cmocka_unit_test(test_space__names_the_vdso),
		cmocka_unit_test(test_space__forks),
		cmocka_unit_test(test_space__many_processes_keep_no_descriptors),
		cmocka_unit_test(test_space__reads_code_from_the_file),
		cmocka_unit_test(test_space__each_mapping_has_its_own_bias),
		cmocka_unit_test(test_space__finds_text_that_was_moved),
		cmocka_unit_test(test_space__finds_copies_of_text_that_was_moved),
		cmocka_unit_test(test_space__code_behind_a_part_of_a_text_was_not_moved),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
