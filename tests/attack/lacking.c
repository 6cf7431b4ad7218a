/* SPDX-License-Identifier: MIT */
/*
 * lacking NAME[,NAME...] COMMAND...: runs COMMAND with the system calls NAME failing with ENOSYS,
 * as on an older kernel. Ends with 77 if seccomp filters are not permitted.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct {
	const char *name;
	int number;
} calls[] = {
	{"close_range", SYS_close_range},
	{"landlock", SYS_landlock_create_ruleset},
	{"openat2", SYS_openat2},
	{"pidfd_getfd", SYS_pidfd_getfd},
	{"seccomp", SYS_seccomp},
};

enum { CALLS = sizeof(calls) / sizeof(*calls), OPTION_ENOSYS = SECCOMP_RET_ERRNO | ENOSYS };

static void forbid(int number)
{
	/* Without seccomp(), libseccomp uses prctl(PR_SET_SECCOMP): forbid that, too. */
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)number, 3, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number == SYS_seccomp ? SYS_prctl : ~0U, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PR_SET_SECCOMP, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, OPTION_ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(code) / sizeof(*code), code};

	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0 &&
		(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
			prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0))
		exit(77);
}

int main(int argc, char **argv)
{
	char *name = argc > 2 ? strtok(argv[1], ",") : NULL;

	/* seccomp() must be forbidden last: after that, no filter can be installed. */
	for (; name; name = strtok(NULL, ",")) {
		size_t i = 0;

		while (i < CALLS && strcmp(calls[i].name, name) != 0)
			i++;
		if (i == CALLS)
			return 2;
		forbid(calls[i].number);
	}
	if (argc > 2)
		(void)execvp(argv[2], argv + 2);
	fprintf(stderr, "usage: lacking NAME[,NAME...] COMMAND...\n");
	return 2;
}
