/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/mount_list.h"
#include "opener/mounts.h"

#define TEXT "\177ELF and what follows"

/* A file of @bytes without a name, which begins with TEXT. */
static int file_of(off_t bytes)
{
	char name[] = "/tmp/test_mounts_XXXXXX";
	int fd = mkostemp(name, O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(unlink(name), 0);
	assert_int_equal(write(fd, TEXT, strlen(TEXT)), (int)strlen(TEXT));
	assert_int_equal(ftruncate(fd, bytes), 0);
	return fd;
}

/* Is the file copied, with its bytes, and its descriptor closed? */
static bool is_copied(struct mounts *mounts, unsigned pid, off_t bytes)
{
	int fd = file_of(bytes), got;
	char text[sizeof(TEXT)] = "";
	struct stat before, st;

	assert_int_equal(fstat(fd, &before), 0);
	got = mounts_detach(mounts, pid, fd);
	assert_int_equal(fstat(got, &st), 0);
	assert_int_equal(st.st_size, bytes);
	assert_int_equal(pread(got, text, strlen(TEXT), 0), (int)strlen(TEXT));
	assert_string_equal(text, TEXT);
	assert_int_equal(close(got), 0);
	assert_int_equal(fcntl(fd, F_GETFD), -1);
	return st.st_dev != before.st_dev || st.st_ino != before.st_ino;
}

static void test_mounts__files_of_new_mounts_are_copied(void **state)
{
	unsigned own = (unsigned)getpid();
	struct mounts mounts = {0}, none = {0};
	struct mount other = {.id = 0, .device = 0};
	struct mounts all_new = {.mount = &other, .n = 1};

	(void)state;
	assert_int_equal(mounts_read(&mounts, -1), 0);
	assert_true(mounts.n > 0);
	assert_false(is_copied(&mounts, own, 100));
	assert_int_equal(mounts.copied, 0);
	assert_true(is_copied(&all_new, own, 100));
	assert_int_equal(all_new.copied, 100);
	/* The list could not be read, or the file is of no process. */
	assert_false(is_copied(&none, own, 100));
	assert_false(is_copied(&all_new, 0, 100));
	assert_int_equal(mounts_detach(&all_new, own, -ENOENT), -ENOENT);
	mounts_release(&mounts);
	assert_int_equal(mounts.n, 0);
}

/* The supervisor's list of mounts is in the file of the ring, behind the ring. */
static void test_mounts__list_is_given(void **state)
{
	static const char text[] = "36 35 98:2 / /before rw - ext4 /dev/sdb rw\n"
				   "36 35 98:1 / /mnt rw,noatime - ext4 /dev/sda rw\n"
				   "?\n"
				   "40 35 0:7 / /a\\040b rw - tmpfs none rw\n";
	off_t begin = strchr(text, '\n') + 1 - text;
	int fd = memfd_create("list", MFD_CLOEXEC);
	struct mounts mounts = {0};

	(void)state;
	assert_int_equal(write(fd, text, strlen(text)), (int)strlen(text));
	assert_int_equal(lseek(fd, begin, SEEK_SET), begin);
	assert_int_equal(mounts_read(&mounts, fd), 0);
	assert_int_equal(fcntl(fd, F_GETFD), -1);
	assert_int_equal(mounts.n, 2);
	assert_int_equal(mounts.mount[0].id, 36);
	assert_true(mounts.mount[0].device == makedev(98, 1));
	assert_int_equal(mounts.mount[1].id, 40);
	assert_true(mounts.mount[1].device == makedev(0, 7));
	mounts_release(&mounts);
}

/* The id and device of a mount that is gone are used again; a lasting id tells them apart. */
static void test_mounts__ids_that_are_used_again(void **state)
{
	int fd = file_of(1);
	uint64_t id = mount_list_id(fd);
	struct stat st;
	struct mount mount = {.id = UINT64_MAX - 1};
	struct mounts mounts = {.mount = &mount, .n = 1};
	bool lives;

	(void)state;
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(close(fd), 0);
	if (!id) {
		print_message("no lasting ids of mounts (before Linux 6.8)\n");
		skip();
		return;
	}
	assert_true(id > MOUNT_LIST_REUSED_MOST);
	errno = 0;
	lives = mount_list_lives(id);
	if (!lives && (errno == ENOSYS || errno == EPERM)) {
		/* by a container's list of system calls, or in a chroot outside of the mount */
		print_message("statmount is refused: %s\n", strerror(errno));
		skip();
		return;
	}
	assert_true(lives);
	assert_false(mount_list_lives(mount.id));
	mount.device = st.st_dev;
	assert_true(is_copied(&mounts, (unsigned)getpid(), 100));
	mount.id = id;
	assert_false(is_copied(&mounts, (unsigned)getpid(), 100));
}

static void test_mounts__copies_are_bounded(void **state)
{
	unsigned own = (unsigned)getpid();
	struct mount other = {.id = 0, .device = 0};
	struct mounts all_new = {.mount = &other, .n = 1};

	(void)state;
	assert_false(is_copied(&all_new, own, MOUNTS_COPY_MOST + 1));
	assert_int_equal(all_new.copied, 0);
	all_new.copied = MOUNTS_SUM_MOST - 200;
	assert_true(is_copied(&all_new, own, 200));
	assert_false(is_copied(&all_new, own, 200));
}

static void test_mounts__servers_may_fall_silent(void **state)
{
	(void)state;
	assert_true(mounts_may_fall_silent(FUSE_SUPER_MAGIC));
	assert_true(mounts_may_fall_silent(NFS_SUPER_MAGIC));
	assert_true(mounts_may_fall_silent(CIFS_SUPER_MAGIC));
	assert_true(mounts_may_fall_silent(V9FS_MAGIC));
	assert_false(mounts_may_fall_silent(EXT4_SUPER_MAGIC));
	assert_false(mounts_may_fall_silent(TMPFS_MAGIC));
	assert_false(mounts_may_fall_silent(OVERLAYFS_SUPER_MAGIC));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mounts__files_of_new_mounts_are_copied),
		cmocka_unit_test(test_mounts__list_is_given),
		cmocka_unit_test(test_mounts__ids_that_are_used_again),
		cmocka_unit_test(test_mounts__copies_are_bounded),
		cmocka_unit_test(test_mounts__servers_may_fall_silent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
