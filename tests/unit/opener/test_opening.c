/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/maps_line.h"
#include "opener/opener.h"
#include "opener/openings.h"
#include "opener/regular.h"
#include "tests/refuse_call.h"

static struct opening opening = {.sequence = 0x01020304,
	.kind = OPENING_MAPPED,
	.pid = 0x11121314,
	.plain_bytes = 2,
	.start = 0x2122232425262728,
	.end = 0x3132333435363738,
	.inode = 0x4142434445464748,
	.major = 0x51525354,
	.minor = 0x61626364,
	.time = 0x7172737475767778,
	.path = "/x (deleted)"};

static void test_opening__table_of_a_request(void **state)
{
	static const uint8_t table[] = {4, 3, 2, 1, 1, 0, 0, 0, 0x14, 0x13, 0x12, 0x11, 2, 0, 0, 0,
		0x28, 0x27, 0x26, 0x25, 0x24, 0x23, 0x22, 0x21, 0x38, 0x37, 0x36, 0x35, 0x34, 0x33,
		0x32, 0x31, 0x48, 0x47, 0x46, 0x45, 0x44, 0x43, 0x42, 0x41, 0x54, 0x53, 0x52, 0x51,
		0x64, 0x63, 0x62, 0x61, 0x78, 0x77, 0x76, 0x75, 0x74, 0x73, 0x72, 0x71, 12, 0, '/',
		'x', ' ', '(', 'd', 'e', 'l', 'e', 't', 'e', 'd', ')'};
	uint8_t packet[OPENING_BYTES_MOST];
	static struct opening back;

	(void)state;
	assert_int_equal(opening_put(packet, &opening), sizeof(table));
	assert_memory_equal(packet, table, sizeof(table));
	assert_int_equal(opening_get(packet, sizeof(table), &back), 0);
	assert_string_equal(back.path, opening.path);
	assert_int_equal(back.time, opening.time);
	for (size_t bytes = 0; bytes < sizeof(table); bytes++)
		assert_int_equal(opening_get(packet, bytes, &back), -EPROTO);
	packet[sizeof(table)] = 'x';
	assert_int_equal(opening_get(packet, sizeof(table) + 1, &back), -EPROTO);
	packet[OPENING_REQUEST_HEAD + 1] = '\0';
	assert_int_equal(opening_get(packet, sizeof(table), &back), -EPROTO);
	packet[OPENING_REQUEST_HEAD + 1] = 'x';
	packet[4] = OPENING_ABANDON + 1;
	assert_int_equal(opening_get(packet, sizeof(table), &back), -EPROTO);
}

static void test_opening__table_of_an_answer(void **state)
{
	static struct opened back,
		opened = {.sequence = 9,
			.error = -ENOENT,
			.flags = OPENED_PLAIN,
			.device = 1,
			.inode = 2,
			.bytes = 3,
			.mtime_ns = 4,
			.text = "why"};
	static const uint8_t table[] = {9, 0, 0, 0, ENOENT, 0, 0, 0, OPENED_PLAIN, 0, 0, 0, 1, 0, 0,
		0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0,
		0, 3, 0, 'w', 'h', 'y'};
	uint8_t packet[OPENING_BYTES_MOST];

	(void)state;
	assert_int_equal(opened_put(packet, &opened), sizeof(table));
	assert_memory_equal(packet, table, sizeof(table));
	assert_int_equal(opened_get(packet, sizeof(table), &back), 0);
	assert_int_equal(back.error, -ENOENT);
	assert_string_equal(back.text, "why");
	assert_int_equal(opened_get(packet, sizeof(table) - 1, &back), -EPROTO);
}

/* Makes a file; returns its name, which the caller unlinks. */
static char *file_of(const char *text, mode_t mode)
{
	static char name[32];
	int fd;

	strcpy(name, "/tmp/test_opening_XXXXXX");
	fd = mkstemp(name);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (int)strlen(text));
	assert_int_equal(fchmod(fd, mode), 0);
	assert_int_equal(close(fd), 0);
	return name;
}

static struct opened ask(struct openings *openings, uint32_t kind, uint32_t pid, const char *path)
{
	struct opening what = {.kind = kind, .pid = pid};
	struct opened opened;

	strcpy(what.path, path);
	openings_answer(openings, getpid(), &what, &opened);
	if (opened.fd >= 0)
		assert_int_equal(close(opened.fd), 0);
	return opened;
}

static void test_opening__only_elf_files_are_handed_out(void **state)
{
	struct openings openings = {.guards = true};
	struct opened opened;
	char *name = file_of("\177ELF and more", 0600);

	(void)state;
	opened = ask(&openings, OPENING_ELF, 0, name);
	assert_int_equal(opened.error, 0);
	assert_int_equal(opened.bytes, strlen("\177ELF and more"));
	assert_int_equal(unlink(name), 0);
	name = file_of("root:secret", 0644);
	opened = ask(&openings, OPENING_ELF, 0, name);
	assert_int_equal(opened.error, -ENOEXEC);
	assert_true(opened.flags & OPENED_NO_ELF);
	assert_int_equal(opened.fd, -1);
	assert_int_equal(unlink(name), 0);
	assert_int_equal(ask(&openings, OPENING_ELF, 0, "/dev/zero").error, -ENOENT);
	assert_int_equal(ask(&openings, OPENING_ELF, 0, "/proc/self/exe").error, -ELOOP);
	openings_release(&openings);
}

/* Makes a request for our own vdso; false: there is none. */
static bool find_vdso(struct opening *ret_what)
{
	FILE *file = fopen("/proc/self/maps", "re");
	char *text = NULL;
	size_t capacity = 0;
	ssize_t bytes;
	bool found = false;

	while (file && !found && (bytes = getline(&text, &capacity, file)) > 0) {
		struct maps_line line;

		found = strstr(text, "[vdso]") &&
			maps_line_parse(text, (size_t)bytes - 1, &line) == 0;
		if (found)
			*ret_what = (struct opening){.kind = OPENING_VDSO,
				.pid = (uint32_t)getpid(),
				.start = line.start,
				.end = line.end};
	}
	free(text);
	if (file)
		(void)fclose(file);
	return found;
}

/* 0: the copy is right; 77: there is no vdso, or the call cannot be refused. */
static int copy_own_vdso(bool refused)
{
	struct openings openings = {.guards = false};
	struct opening what;
	struct opened opened;
	char *copy;
	int same = 1;

	if (!find_vdso(&what) || (refused && refuse_call(SYS_process_vm_readv) < 0))
		return 77;
	openings_answer(&openings, getpid(), &what, &opened);
	copy = malloc(what.end - what.start);
	if (opened.error == 0 && copy &&
		pread(opened.fd, copy, what.end - what.start, 0) ==
			(ssize_t)(what.end - what.start))
		same = memcmp(copy, (void *)(uintptr_t)what.start, what.end - what.start);
	free(copy);
	return same != 0;
}

static void test_opening__memory_where_process_vm_readv_is_refused(void **state)
{
	(void)state;
	for (int refused = 0; refused < 2; refused++) {
		pid_t pid = fork();
		int status;

		assert_true(pid >= 0);
		if (pid == 0)
			_exit(copy_own_vdso(refused));
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFEXITED(status));
		if (WEXITSTATUS(status) == 77)
			skip();
		assert_int_equal(WEXITSTATUS(status), 0);
	}
}

/* How many bytes come of @bytes of code at @at in this process. */
static ssize_t ask_code(const char *at, size_t bytes)
{
	struct openings openings = {.guards = false};
	struct opening what = {.kind = OPENING_CODE,
		.pid = (uint32_t)getpid(),
		.start = (uintptr_t)at,
		.end = (uintptr_t)at + bytes};
	struct opened opened;
	char copy[2 * OPENING_CODE_BYTES];
	ssize_t n;

	openings_answer(&openings, getpid(), &what, &opened);
	openings_release(&openings);
	if (opened.error)
		return opened.error;
	n = pread(opened.fd, copy, sizeof(copy), 0);
	(void)close(opened.fd);
	return n > 0 && memcmp(copy, at, (size_t)n) == 0 ? n : -EIO;
}

static void test_opening__code_that_is_read_only(void **state)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *all = mmap(NULL, 4 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *code = all + page;

	(void)state;
	assert_true((void *)all != MAP_FAILED);
	assert_int_equal(mprotect(code, 2 * page, PROT_READ | PROT_WRITE), 0);
	memset(code, 0x5a, 2 * page);
	assert_int_equal(ask_code(code, 2 * page), -ENOENT);
	if (mprotect(code, 2 * page, PROT_READ | PROT_EXEC) < 0)
		skip();
	assert_int_equal(ask_code(code, 2 * page), OPENING_CODE_BYTES);
	/* A part of a mapping is refused. */
	assert_int_equal(ask_code(code, page), -ENOENT);
	assert_int_equal(ask_code(code + page, page), -ENOENT);
	assert_int_equal(mprotect(code, 2 * page, PROT_EXEC), 0);
	assert_int_equal(ask_code(code, 2 * page), -ENOENT);
	if (mprotect(code, 2 * page, PROT_READ | PROT_WRITE | PROT_EXEC) == 0)
		assert_int_equal(ask_code(code, 2 * page), -ENOENT);
	assert_int_equal(munmap(all, 4 * page), 0);
}

struct searched {
	uintptr_t at;
	struct opening what;
};

static bool is_at(void *context, const struct maps_line *line)
{
	struct searched *searched = context;

	if (line->start > searched->at || line->end <= searched->at)
		return false;
	searched->what.inode = line->inode;
	searched->what.major = line->major;
	searched->what.minor = line->minor;
	return true;
}

/*
 * At most 256 MiB of a file's mappings are copied. Here, 200 MiB are behind the end of the file,
 * the next 100 MiB from its second page on are too much, and its first page is copied.
 */
static void test_opening__mappings_of_a_file_are_copied_up_to_a_limit(void **state)
{
	const size_t first = (size_t)200 << 20, second = (size_t)100 << 20;
	size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = first + second + page;
	char *all =
		mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	int fd = memfd_create("file", MFD_CLOEXEC), flags = MAP_PRIVATE | MAP_FIXED;
	struct searched searched = {.at = (uintptr_t)all + first + second,
		.what = {.kind = OPENING_IMAGE, .pid = (uint32_t)getpid()}};
	struct openings openings = {.guards = false};
	struct opened opened;
	struct stat st;

	(void)state;
	assert_true((void *)all != MAP_FAILED && fd >= 0);
	assert_int_equal(pwrite(fd, "\177ELF", 4, 0), 4);
	assert_int_equal(pwrite(fd, "\1", 1, (off_t)page), 1);
	assert_true(mmap(all, first, PROT_READ, flags, fd, (off_t)(2 * page)) != MAP_FAILED);
	assert_true(mmap(all + first, second, PROT_READ, flags, fd, (off_t)page) != MAP_FAILED);
	assert_true(mmap(all + first + second, page, PROT_READ, flags, fd, 0) != MAP_FAILED);
	assert_int_equal(close(fd), 0);
	assert_true(maps_line_find("/proc/self/maps", is_at, &searched));
	openings_answer(&openings, getpid(), &searched.what, &opened);
	openings_release(&openings);
	assert_int_equal(opened.error, 0);
	assert_int_equal(fstat(opened.fd, &st), 0);
	assert_int_equal(st.st_size, page);
	assert_int_equal(close(opened.fd), 0);
	assert_int_equal(munmap(all, bytes), 0);
}

static void test_opening__memory_of_the_target_alone(void **state)
{
	struct openings openings = {.guards = true, .view = true, .supervisor = getpid()};
	uint32_t own = (uint32_t)getpid();

	(void)state;
	/* The supervisor does not trace this process. */
	assert_int_equal(ask(&openings, OPENING_PROCESS, own, "").error, -ENOENT);
	assert_int_equal(ask(&openings, OPENING_IMAGE, own, "").error, -ENOENT);
	assert_int_equal(ask(&openings, OPENING_VDSO, own, "").error, -ENOENT);
	assert_int_equal(ask(&openings, OPENING_CODE, own, "").error, -ENOENT);
	assert_int_equal(ask(&openings, OPENING_THREADS, own, "").error, -ENOENT);
	assert_int_equal(ask(&openings, OPENING_TITLE, own, "").error, -ENOENT);
	openings.guards = false;
	assert_int_equal(ask(&openings, OPENING_PROCESS, own, "").error, 0);
	assert_int_equal(ask(&openings, OPENING_THREADS, own, "").error, 0);
	assert_non_null(strstr(ask(&openings, OPENING_TITLE, own, "").text, "test_opening"));
	openings_release(&openings);
}

static void test_opening__sources_that_the_target_may_read(void **state)
{
	struct openings openings = {.guards = true, .view = true};
	char *name = file_of("int main", 0600);

	(void)state;
	assert_int_equal(ask(&openings, OPENING_SOURCE, 0, name).error, -EACCES);
	assert_int_equal(chmod(name, 0604), 0);
	assert_int_equal(ask(&openings, OPENING_SOURCE, 0, name).error, 0);
	openings.view = false;
	assert_int_equal(ask(&openings, OPENING_SOURCE, 0, name).error, -EPERM);
	assert_int_equal(unlink(name), 0);
	/* The profiled process's user may read the file. */
	openings = (struct openings){.view = true};
	assert_int_equal(ask(&openings, OPENING_PROCESS, (uint32_t)getpid(), "").error, 0);
	openings.guards = true;
	name = file_of("int main", 0600);
	assert_int_equal(ask(&openings, OPENING_SOURCE, 0, name).error, 0);
	assert_int_equal(unlink(name), 0);
	openings_release(&openings);
}

/* A file that everybody may read is private if one of its folders is. */
static void test_opening__the_whole_way_to_a_public_file_is_public(void **state)
{
	static const mode_t modes[][3] = {{0755, 0755, 0644}, {0700, 0755, 0644},
		{0755, 0700, 0644}, {0755, 0755, 0640}, {0711, 0755, 0644}};
	static const bool is_public[] = {true, false, false, false, true};
	char outer[] = "/tmp/sprofil-public-XXXXXX", inner[64], file[80], link[80];

	(void)state;
	assert_non_null(mkdtemp(outer));
	(void)snprintf(inner, sizeof(inner), "%s/inner", outer);
	(void)snprintf(file, sizeof(file), "%s/file", inner);
	(void)snprintf(link, sizeof(link), "%s/link", outer);
	assert_int_equal(mkdir(inner, 0755), 0);
	close(open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
	assert_int_equal(symlink(file, link), 0);
	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++) {
		int fd = open(i % 2 ? link : file, O_RDONLY | O_CLOEXEC);

		assert_int_equal(chmod(outer, modes[i][0]) | chmod(inner, modes[i][1]) |
				chmod(file, modes[i][2]),
			0);
		assert_int_equal(regular_is_public(fd), is_public[i]);
		(void)close(fd);
		assert_int_equal(chmod(outer, 0755) | chmod(inner, 0755), 0);
	}
	(void)unlink(link);
	(void)unlink(file);
	(void)rmdir(inner);
	(void)rmdir(outer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_opening__the_whole_way_to_a_public_file_is_public),
		cmocka_unit_test(test_opening__table_of_a_request),
		cmocka_unit_test(test_opening__table_of_an_answer),
		cmocka_unit_test(test_opening__only_elf_files_are_handed_out),
		cmocka_unit_test(test_opening__code_that_is_read_only),
		cmocka_unit_test(test_opening__mappings_of_a_file_are_copied_up_to_a_limit),
		cmocka_unit_test(test_opening__memory_of_the_target_alone),
		cmocka_unit_test(test_opening__memory_where_process_vm_readv_is_refused),
		cmocka_unit_test(test_opening__sources_that_the_target_may_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
