/* SPDX-License-Identifier: MIT */
/*
 * Why a process cannot be attached to, and the remedy. The kernel mostly answers just EPERM: the
 * cause is derived from the /proc files of the target and those of the supervisor. Only
 * diagnose_read() reads these files. The other functions are pure.
 */
#ifndef SUPERVISOR_DIAGNOSE_H
#define SUPERVISOR_DIAGNOSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * If sprofil divides itself into two processes (own_session.h), the one that traces has this name.
 * Its parent is the one that the user knows.
 */
#define DIAGNOSE_TRACER_NAME "sprofil-tracer"

enum diagnose_cause {
	DIAGNOSE_NONE, /* nothing prevents attaching */
	DIAGNOSE_GONE,
	DIAGNOSE_ZOMBIE,
	DIAGNOSE_KERNEL_THREAD,
	DIAGNOSE_OURSELVES,
	DIAGNOSE_TRACED, /* another tracer has attached */
	DIAGNOSE_OTHER_USER,
	DIAGNOSE_USER_NAMESPACE,
	DIAGNOSE_CAPABILITIES, /* the target has capabilities that we lack */
	DIAGNOSE_NOT_DUMPABLE,
	DIAGNOSE_YAMA,
	DIAGNOSE_SECCOMP,
	DIAGNOSE_UNKNOWN, /* refused for none of these reasons: a security module */
};

struct diagnose_side {
	uint32_t uid[3], gid[3]; /* real, effective, saved */
	/* of the supervisor the effective set, of the target the permitted set */
	uint64_t capabilities;
	uint64_t user_namespace; /* inode; 0: cannot be read */
	int seccomp;             /* 0: none; 2: filter */
};

struct diagnose_facts {
	int pid, error; /* @error: errno of the attempt; 0: it worked */
	bool exists, zombie, kernel_thread, ourselves;
	int tracer;
	char tracer_name[64];
	/* owner of the file /proc/PID/status; not the effective user if PID is not dumpable */
	uint32_t proc_owner;
	int yama; /* kernel.yama.ptrace_scope, -1: absent */
	struct diagnose_side we, it;
};

enum diagnose_cause diagnose_classify(const struct diagnose_facts *facts);

/* Tries to attach, which stops nothing, and reads the facts. -errno: this process could not try. */
int diagnose_read(int pid, struct diagnose_facts *ret_facts);

/*
 * Writes the cause and the remedy to @to, as one line. The remedy may be a command to type, made of
 * @program ("sprofrun") and @option ("--dump").
 */
void diagnose_explain(const struct diagnose_facts *facts, const char *program, const char *option,
	char *to, size_t room);

/* Like diagnose_explain(), for our own child. Reads only yama, we and tracer of @facts. */
void diagnose_explain_child(const struct diagnose_facts *facts, char *to, size_t room);

#endif
