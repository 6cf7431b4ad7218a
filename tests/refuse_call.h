/* SPDX-License-Identifier: MIT */
/* A filter that refuses a system call to the calling thread and its children. */
#ifndef TESTS_REFUSE_CALL_H
#define TESTS_REFUSE_CALL_H

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

/* From now on system call @number fails with EPERM. 0, or -1 with errno. */
static inline int refuse_call(uint32_t number)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(code) / sizeof(*code), code};

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0
		? -1
		: prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* From now on the C library's poll(), which makes either of two calls, fails with EPERM. */
static inline int refuse_poll(void)
{
#ifdef SYS_poll
	if (refuse_call(SYS_poll) < 0)
		return -1;
#endif
	return refuse_call(SYS_ppoll);
}

#endif
