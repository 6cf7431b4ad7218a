/* SPDX-License-Identifier: MIT */
/* give_ptrace FILE: does what "setcap cap_sys_ptrace=ep FILE" does, without libcap. */
#include <linux/capability.h>
#include <stdio.h>
#include <sys/xattr.h>

int main(int argc, char **argv)
{
	/* Little-endian, as the file system stores it. */
	const struct vfs_cap_data data = {.magic_etc = VFS_CAP_REVISION_2 | VFS_CAP_FLAGS_EFFECTIVE,
		.data = {{.permitted = 1U << CAP_SYS_PTRACE}}};

	if (argc != 2 || setxattr(argv[1], "security.capability", &data, sizeof(data), 0) < 0) {
		perror("give_ptrace");
		return 1;
	}
	return 0;
}
