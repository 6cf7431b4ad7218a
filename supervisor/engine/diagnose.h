/* SPDX-License-Identifier: MIT */
/*
 * Why a process cannot be attached to, and what mends it. The kernel says EPERM to nearly all of
 * it; the cause is found from what /proc tells of both sides. The classification is pure.
 */
#ifndef SUPERVISOR_DIAGNOSE_H
#define SUPERVISOR_DIAGNOSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum diagnose_cause {
	DIAGNOSE_NONE, /* nothing stands in the way */
	DIAGNOSE_GONE,
	DIAGNOSE_ZOMBIE,
	DIAGNOSE_KERNEL_THREAD,
	DIAGNOSE_OURSELVES,
	DIAGNOSE_TRACED, /* by another tracer */
	DIAGNOSE_OTHER_USER,
	DIAGNOSE_USER_NAMESPACE,
	DIAGNOSE_CAPABILITIES, /* it has some that we lack */
	DIAGNOSE_NOT_DUMPABLE,
	DIAGNOSE_YAMA,
	DIAGNOSE_SECCOMP,
	DIAGNOSE_UNKNOWN, /* refused, and none of the above: a security module */
};

struct diagnose_side {
	uint32_t uid[3], gid[3]; /* real, effective, saved */
	uint64_t capabilities;   /* ours: effective, its: permitted */
	uint64_t user_namespace; /* inode; 0: not to be seen */
	int seccomp;             /* 0 none, 2 a filter */
};

struct diagnose_facts {
	int pid, error; /* errno of the attempt, 0: it worked */
	bool exists, zombie, kernel_thread, ourselves;
	int tracer;
	char tracer_name[64];
	uint32_t proc_owner; /* of /proc/PID/status: not its effective user when it is not dumpable
			      */
	int yama;            /* kernel.yama.ptrace_scope, -1: not there */
	struct diagnose_side we, it;
};

enum diagnose_cause diagnose_classify(const struct diagnose_facts *facts);

/* Tries to attach (nothing is stopped), and reads the facts. 0, or -errno of our own. */
int diagnose_read(int pid, struct diagnose_facts *ret_facts);

/* One line: the cause and the way out, without a newline. */
void diagnose_explain(const struct diagnose_facts *facts, char *to, size_t room);

/* The same where a child of ours may not be traced. Of @facts Yama's mode and @we count. */
void diagnose_explain_child(const struct diagnose_facts *facts, char *to, size_t room);

#endif
