/* SPDX-License-Identifier: MIT */
#include "supervisor/engine/diagnose.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/proc_file.h"
#include "supervisor/os/procfs.h"
#include "supervisor/os/tracer.h"
#include "supervisor/os/waiter.h"

#define CAPABILITY_SYS_PTRACE 19

/* Like the kernel's __ptrace_may_access(): are all three ids of the target our own? */
static bool same_user(const struct diagnose_facts *f)
{
	for (int i = 0; i < 3; i++) {
		if (f->it.uid[i] != f->we.uid[0] || f->it.gid[i] != f->we.gid[0])
			return false;
	}
	return true;
}

/* A user namespace that cannot be read counts as our own. */
static bool other_user_namespace(const struct diagnose_facts *f)
{
	return f->it.user_namespace && f->we.user_namespace &&
		f->it.user_namespace != f->we.user_namespace;
}

static bool is_capable(const struct diagnose_side *we)
{
	return we->capabilities >> CAPABILITY_SYS_PTRACE & 1;
}

enum diagnose_cause diagnose_classify(const struct diagnose_facts *f)
{
	bool capable = is_capable(&f->we);

	if (!f->exists)
		return DIAGNOSE_GONE;
	if (f->zombie)
		return DIAGNOSE_ZOMBIE;
	if (f->kernel_thread)
		return DIAGNOSE_KERNEL_THREAD;
	if (f->ourselves)
		return DIAGNOSE_OURSELVES;
	if (!f->error)
		return DIAGNOSE_NONE;
	if (f->tracer)
		return DIAGNOSE_TRACED;
	if (f->yama == 3)
		return DIAGNOSE_YAMA;
	if (!capable) {
		if (!same_user(f))
			return DIAGNOSE_OTHER_USER;
		if (other_user_namespace(f))
			return DIAGNOSE_USER_NAMESPACE;
		if (f->proc_owner != f->it.uid[1])
			return DIAGNOSE_NOT_DUMPABLE;
		if (f->it.capabilities & ~f->we.capabilities)
			return DIAGNOSE_CAPABILITIES;
		if (f->yama > 0)
			return DIAGNOSE_YAMA;
	} else if (other_user_namespace(f)) {
		return DIAGNOSE_USER_NAMESPACE;
	}
	return f->we.seccomp ? DIAGNOSE_SECCOMP : DIAGNOSE_UNKNOWN;
}

static void ids(const char *text, const char *name, uint32_t ret_id[3])
{
	const char *at = proc_file_value(text, name);

	if (!at ||
		sscanf(at, "%" SCNu32 "%" SCNu32 "%" SCNu32, &ret_id[0], &ret_id[1], &ret_id[2]) !=
			3)
		memset(ret_id, 0, 3 * sizeof(*ret_id));
}

/*
 * Reads the ids, seccomp mode, user namespace and capabilities of a process. @set names the
 * capabilities, as in "CapPrm"; @who is the pid or "self". Leaves the text of /proc/PID/status in
 * @text.
 */
static int read_side(
	const char *who, const char *set, struct diagnose_side *ret_side, char *text, size_t room)
{
	char path[64];
	struct stat st;
	int n = proc_file_read(text, room, "/proc/%s/status", who);

	if (n < 0)
		return n;
	ids(text, "Uid", ret_side->uid);
	ids(text, "Gid", ret_side->gid);
	ret_side->capabilities = proc_file_number(text, set, 16);
	ret_side->seccomp = (int)proc_file_number(text, "Seccomp", 10);
	(void)snprintf(path, sizeof(path), "/proc/%s/ns/user", who);
	ret_side->user_namespace = stat(path, &st) == 0 ? st.st_ino : 0;
	return 0;
}

static int read_yama(void)
{
	char digit[2];
	int n = proc_file_read(digit, sizeof(digit), "/proc/sys/kernel/yama/ptrace_scope");

	return n == 1 ? digit[0] - '0' : -1;
}

/* Attaches in a child, whose end detaches. Returns 0, errno, or -EAGAIN if it could not try. */
static int attempt(int pid)
{
	const struct tracer_options options = {.follow = false};
	int status = 0;
	pid_t child = fork();

	if (child == 0)
		_exit(-tracer_seize(pid, &options));
	if (child < 0 || waiter_join(child, &status) < 0)
		return -EAGAIN;
	return status >> 8 & 0xff;
}

/*
 * If the tracer is one of the two processes into which sprofil divides itself (own_session.h),
 * names its parent instead: the user knows the pid of the parent.
 */
static void name_tracer(struct diagnose_facts *f)
{
	char who[16], text[4096];
	struct diagnose_side side;

	procfs_read_name(f->tracer, f->tracer, f->tracer_name);
	(void)snprintf(who, sizeof(who), "%d", f->tracer);
	if (strcmp(f->tracer_name, DIAGNOSE_TRACER_NAME) != 0 ||
		read_side(who, "CapPrm", &side, text, sizeof(text)) < 0)
		return;
	f->tracer = (int)proc_file_number(text, "PPid", 10);
	procfs_read_name(f->tracer, f->tracer, f->tracer_name);
}

int diagnose_read(int pid, struct diagnose_facts *ret_facts)
{
	struct diagnose_facts f = {.pid = pid, .yama = read_yama()};
	char who[16], path[32], text[4096];
	struct stat st;
	int r = read_side("self", "CapEff", &f.we, text, sizeof(text)), tid;

	if (r < 0)
		return r;
	/* The first thread may have ended while others run: the files of a living one are read. */
	tid = proc_file_living_thread(pid);
	(void)snprintf(who, sizeof(who), "%d", tid);
	/*
	 * The owner of this file tells whether the process is dumpable: root owns the file if not.
	 * The folder always belongs to the process's user.
	 */
	(void)snprintf(path, sizeof(path), "/proc/%d/status", tid);
	r = read_side(who, "CapPrm", &f.it, text, sizeof(text));
	f.exists = r == 0;
	if (f.exists) {
		f.zombie = strstr(text, "\nState:\tZ") != NULL;
		f.kernel_thread = !strstr(text, "\nVmSize:") && !f.zombie;
		f.tracer = (int)proc_file_number(text, "TracerPid", 10);
		f.ourselves = (int)proc_file_number(text, "Tgid", 10) == getpid();
		if (stat(path, &st) == 0)
			f.proc_owner = st.st_uid;
		if (f.tracer)
			name_tracer(&f);
		f.error = attempt(tid);
		if (f.error < 0)
			return f.error;
	}
	*ret_facts = f;
	return 0;
}

static const char *yama_remedy(int mode)
{
	switch (mode) {
	case 1:
		return "Yama allows it for child processes only (kernel.yama.ptrace_scope is 1): "
		       "start the program with sprofrun, or attach as root (sudo) or with "
		       "CAP_SYS_PTRACE, or 'sudo sysctl kernel.yama.ptrace_scope=0'";
	case 2:
		return "Yama allows it for CAP_SYS_PTRACE only (kernel.yama.ptrace_scope is 2): "
		       "be root (sudo), or have it on the program (sudo setcap "
		       "cap_sys_ptrace=ep FILE)";
	default:
		return "Yama forbids it to everybody until the next boot "
		       "(kernel.yama.ptrace_scope is 3): nothing mends that but a reboot";
	}
}

void diagnose_explain(const struct diagnose_facts *f, const char *program, const char *option,
	char *to, size_t room)
{
	int pid = f->pid;

	switch (diagnose_classify(f)) {
	case DIAGNOSE_NONE: (void)snprintf(to, room, "process %d can be attached to", pid); return;
	case DIAGNOSE_GONE:
		(void)snprintf(to, room, "cannot attach to %d: there is no such process", pid);
		return;
	case DIAGNOSE_ZOMBIE:
		(void)snprintf(to, room,
			"cannot attach to %d: it has ended, and its parent has not waited for it",
			pid);
		return;
	case DIAGNOSE_KERNEL_THREAD:
		(void)snprintf(to, room, "cannot attach to %d: it is a thread of the kernel", pid);
		return;
	case DIAGNOSE_OURSELVES:
		(void)snprintf(to, room, "cannot attach to %d: that is %s itself", pid, program);
		return;
	case DIAGNOSE_TRACED:
		(void)snprintf(to, room,
			"cannot attach to %d: %s (pid %d) traces it, and a process has one tracer: "
			"let that one detach, or 'kill %d'",
			pid, f->tracer_name, f->tracer, f->tracer);
		return;
	case DIAGNOSE_OTHER_USER:
		(void)snprintf(to, room,
			"cannot attach to %d: it belongs to user %" PRIu32 ", you are %" PRIu32
			": use sudo, as in 'sudo %s %s %d'",
			pid, f->it.uid[1], f->we.uid[0], program, option, pid);
		return;
	case DIAGNOSE_USER_NAMESPACE:
		(void)snprintf(to, room,
			"cannot attach to %d: it is in another user namespace: from the host, "
			"use sudo, as in 'sudo %s %s %d'; or 'nsenter -U -t %d %s %s …' inside",
			pid, program, option, pid, pid, program, option);
		return;
	case DIAGNOSE_CAPABILITIES:
		(void)snprintf(to, room,
			"cannot attach to %d: it has capabilities that you have not: "
			"use sudo, as in 'sudo %s %s %d'",
			pid, program, option, pid);
		return;
	case DIAGNOSE_NOT_DUMPABLE:
		(void)snprintf(to, room,
			"cannot attach to %d: it is not dumpable (it was set-user-id, or asked for "
			"it by prctl): use sudo, as in 'sudo %s %s %d'",
			pid, program, option, pid);
		return;
	case DIAGNOSE_YAMA:
		(void)snprintf(to, room, "cannot attach to %d: %s", pid, yama_remedy(f->yama));
		return;
	case DIAGNOSE_SECCOMP:
		(void)snprintf(to, room,
			"cannot attach to %d: a seccomp filter forbids ptrace here; start the "
			"container with --cap-add=SYS_PTRACE (podman, older docker)",
			pid);
		return;
	default:
		(void)snprintf(to, room,
			"cannot attach to %d: %s; a security module (SELinux, AppArmor, Landlock), "
			"or the sandbox of a container, may forbid it: see 'dmesg' or 'journalctl "
			"-k'%s",
			pid, strerror(f->error),
			f->it.user_namespace
				? ""
				: "; or it is outside of your user namespace (unshare -U, a "
				  "rootless container): attach from outside");
		return;
	}
}

void diagnose_explain_child(const struct diagnose_facts *f, char *to, size_t room)
{
	if (f->yama == 3 || (f->yama == 2 && !is_capable(&f->we)))
		(void)snprintf(to, room, "cannot trace: %s", yama_remedy(f->yama));
	else if (f->tracer)
		(void)snprintf(to, room,
			"cannot trace: %s (pid %d) traces this process and what it starts, and a "
			"process has one tracer: run it without that one",
			f->tracer_name, f->tracer);
	else
		(void)snprintf(to, room,
			"cannot trace: ptrace is not permitted here (seccomp, or another tracer)");
}
