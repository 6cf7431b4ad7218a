/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/outfile.h"
#include "profile/file.h"
#include "profile/pprof.h"
#include "tests/unit/profile_fixture.h"

/* Makes a new folder the working directory. */
static int enter_folder(void **state)
{
	static char folder[] = "/tmp/test_file.XXXXXX";

	memcpy(strrchr(folder, '.'), ".XXXXXX", 8);
	*state = mkdtemp(folder);
	return *state && chdir(folder) == 0 ? 0 : -1;
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *ftw)
{
	(void)status;
	(void)type;
	(void)ftw;
	return remove(path);
}

static int leave_folder(void **state)
{
	return chdir("/") == 0 ? nftw(*state, remove_one, 8, FTW_DEPTH | FTW_PHYS) : -1;
}

static void assert_content(const char *path, const char *expected)
{
	char text[64] = "";
	FILE *file = fopen(path, "r");

	assert_non_null(file);
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	(void)fclose(file);
	assert_string_equal(text, expected);
}

/* of the folder, without "." and ".." */
static int entries;

static int count_one(const char *path, const struct stat *status, int type, struct FTW *ftw)
{
	(void)path;
	(void)status;
	(void)type;
	entries += ftw->level > 0;
	return 0;
}

static void assert_entries(int expected)
{
	entries = 0;
	assert_int_equal(nftw(".", count_one, 8, FTW_PHYS), 0);
	assert_int_equal(entries, expected);
}

static void test_file__replaces_whole(void **state)
{
	struct stat status;

	(void)state;
	assert_int_equal(file_write("a", "first", 5), 0);
	assert_content("a", "first");
	assert_int_equal(chmod("a", 0640), 0);
	assert_int_equal(symlink("a", "link"), 0);
	assert_int_equal(file_write("link", "2nd", 3), 0);
	assert_content("a", "2nd");
	assert_int_equal(lstat("link", &status), 0);
	assert_true(S_ISLNK(status.st_mode));
	assert_int_equal(stat("a", &status), 0);
	assert_int_equal(status.st_mode & 07777, 0640);
	assert_entries(2);
}

static int record(const char *path, const char *text)
{
	struct outfile out;
	const char *problem;
	int r = outfile_begin(&out, path, -1, &problem);

	if (r < 0)
		return r;
	r = file_write_fd(out.fd, text, strlen(text), -1);
	outfile_keep_old(&out);
	return r < 0 ? r : outfile_commit(&out);
}

/*
 * A recording renames an existing profile to .old, in place of the one before. A file that is no
 * profile of ours keeps its name.
 */
static void test_file__a_recording_keeps_the_one_before(void **state)
{
	char longest[256];

	(void)state;
	assert_int_equal(record("a", "first"), 0);
	assert_entries(1);
	assert_int_equal(record("a", "2nd"), 0);
	assert_content("a.old", "first");
	assert_int_equal(record("a", "3rd"), 0);
	assert_content("a", "3rd");
	assert_content("a.old", "2nd");
	assert_entries(2);

	assert_int_equal(file_write("empty", "", 0), 0);
	assert_int_equal(record("empty", "x"), 0);
	assert_int_equal(symlink("a", "b.old"), 0);
	assert_int_equal(record("b", "1"), 0);
	assert_int_equal(record("b", "2"), 0);
	assert_content("b", "2");
	assert_content("b.old", "3rd");
	assert_int_equal(mkdir("c.old", 0700), 0);
	assert_int_equal(record("c", "1"), 0);
	assert_int_equal(record("c", "2"), 0);
	assert_content("c", "2");
	assert_entries(7);

	memset(longest, 'n', 253);
	longest[253] = '\0';
	assert_int_equal(record(longest, "1"), 0);
	assert_int_equal(record(longest, "2"), 0);
	assert_content(longest, "2");
	assert_entries(8);
}

static void test_file__takes_a_name_that_is_free(void **state)
{
	struct outfile out;
	const char *problem;

	(void)state;
	assert_int_equal(file_write("a", "first", 5), 0);
	assert_int_equal(symlink("nowhere", "b"), 0);
	assert_int_equal(outfile_begin(&out, "a", -1, &problem), 0);
	assert_int_equal(file_write_fd(out.fd, "2nd", 3, -1), 0);
	assert_int_equal(outfile_name_new(&out, "a"), -EEXIST);
	assert_int_equal(outfile_name_new(&out, "b"), -EEXIST);
	assert_int_equal(outfile_name_new(&out, "c"), 0);
	assert_int_equal(outfile_commit(&out), 0);
	assert_content("a", "first");
	assert_content("c", "2nd");
	assert_entries(3);
}

/* The writer is killed again and again: the file is whole, and no other file is left. */
static void test_file__leaves_no_part_when_it_is_interrupted(void **state)
{
	enum { BYTES = 8 << 20, TIMES = 5 };
	char *data = calloc(1, BYTES);
	struct stat st;

	(void)state;
	assert_non_null(data);
	for (int i = 0; i < TIMES; i++) {
		int begun[2], status;
		pid_t pid;

		assert_int_equal(pipe(begun), 0);
		pid = fork();
		if (pid == 0) {
			(void)file_write("a", data, BYTES);
			(void)!write(begun[1], "", 1);
			for (;;)
				(void)file_write("a", data, BYTES);
		}
		assert_int_equal(read(begun[0], &(char){0}, 1), 1);
		assert_int_equal(usleep(1000U * (unsigned)i), 0);
		assert_int_equal(kill(pid, SIGINT), 0);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
		assert_int_equal(close(begun[0]) | close(begun[1]), 0);
		assert_entries(1);
		assert_int_equal(stat("a", &st), 0);
		assert_int_equal(st.st_size, BYTES);
	}
	free(data);
}

/* A limit on the size of files stands for a full disk. */
static void test_file__leaves_the_old_one_when_it_fails(void **state)
{
	struct rlimit old, small = {10, RLIM_INFINITY};
	char big[1000] = {0};

	(void)state;
	assert_int_equal(file_write("a", "first", 5), 0);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	small.rlim_max = old.rlim_max;
	(void)signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	assert_int_equal(file_write("a", big, sizeof(big)), -EFBIG);
	assert_int_equal(file_write("b", big, sizeof(big)), -EFBIG);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	assert_content("a", "first");
	assert_entries(1);
	assert_int_equal(file_write("none/a", "x", 1), -ENOENT);
	assert_int_equal(file_write(".", "x", 1), -EISDIR);
	assert_int_equal(file_write("/dev/full", "x", 1), -ENOSPC);
}

static void test_file__writes_in_place_what_is_no_file(void **state)
{
	char text[8] = "";
	int fd;

	(void)state;
	assert_int_equal(mkfifo("pipe", 0600), 0);
	fd = open("pipe", O_RDWR);
	assert_true(fd >= 0);
	assert_int_equal(file_write("pipe", "hello", 5), 0);
	assert_int_equal(read(fd, text, sizeof(text)), 5);
	assert_string_equal(text, "hello");
	assert_int_equal(close(fd), 0);
	assert_int_equal(file_write("/dev/null", "hello", 5), 0);
	assert_entries(1);
}

static void test_file__reads_profiles_and_says_why_not(void **state)
{
	struct profile *profile = fixture_profile(), *back = NULL;
	char *problem = NULL;
	uint8_t *data;
	size_t bytes;

	(void)state;
	assert_int_equal(pprof_write(profile, &data, &bytes), 0);
	assert_int_equal(file_write("p", data, bytes), 0);
	assert_int_equal(file_read("p", &back, &problem), 0);
	assert_null(problem);
	assert_int_equal(profile_samples(back), profile_samples(profile));
	profile_free(back);
	assert_int_equal(file_write("cut", data, bytes / 2), 0);
	data = realloc(data, bytes + 5);
	memcpy(data + bytes, "hello", 5);
	assert_int_equal(file_write("long", data, bytes + 5), 0);
	free(data);
	assert_int_equal(file_read("long", &back, &problem), 0);
	assert_non_null(strstr(problem, "'long' may be damaged: something follows"));
	assert_int_equal(profile_samples(back), profile_samples(profile));
	free(problem);
	profile_free(back);
	profile_free(profile);
	assert_int_equal(file_read("cut", &back, &problem), -EBADMSG);
	assert_non_null(strstr(problem, "'cut': it is cut short"));
	free(problem);
	assert_int_equal(file_read("none", &back, &problem), -ENOENT);
	assert_non_null(strstr(problem, "'none': No such file"));
	free(problem);
	assert_int_equal(file_read(".", &back, &problem), -EISDIR);
	free(problem);
}

int main(void)
{
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, enter_folder, leave_folder)
	const struct CMUnitTest tests[] = {
		IN_FOLDER(test_file__replaces_whole),
		IN_FOLDER(test_file__a_recording_keeps_the_one_before),
		IN_FOLDER(test_file__takes_a_name_that_is_free),
		IN_FOLDER(test_file__leaves_no_part_when_it_is_interrupted),
		IN_FOLDER(test_file__leaves_the_old_one_when_it_fails),
		IN_FOLDER(test_file__writes_in_place_what_is_no_file),
		IN_FOLDER(test_file__reads_profiles_and_says_why_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
