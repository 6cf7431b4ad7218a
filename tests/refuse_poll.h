/* SPDX-License-Identifier: MIT */
/* A filter that refuses poll(2) to the calling thread. */
#ifndef TESTS_REFUSE_POLL_H
#define TESTS_REFUSE_POLL_H

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

/* From now on poll() fails with EPERM. 0, or -1 with errno. */
static inline int refuse_poll(void)
{
	/* The C library's poll() makes either of these calls. */
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
#ifdef SYS_poll
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_poll, 1, 0),
#endif
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ppoll, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(code) / sizeof(*code), code};

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0
		? -1
		: prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

#endif
