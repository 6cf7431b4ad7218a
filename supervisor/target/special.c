/* SPDX-License-Identifier: MIT */
#include "supervisor/target/special.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/proc_file.h"
#include "supervisor/os/mem.h"
#include "supervisor/os/procfs.h"
#include "supervisor/os/say.h"
#include "supervisor/target/target.h"

/* In another user namespace, set-user-ID has no effect if the file's owner does not exist there. */
static bool in_our_user_namespace(int pid)
{
	char path[48];
	struct stat ours, its;

	(void)snprintf(path, sizeof(path), "/proc/%d/ns/user", pid);
	return stat("/proc/self/ns/user", &ours) == 0 && stat(path, &its) == 0 &&
		ours.st_ino == its.st_ino;
}

/* Does a traced program keep its privileges, because we have CAP_SYS_PTRACE? */
static bool keeps_privileges(void)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

	return syscall(SYS_capget, &head, data) == 0 && data[0].effective & 1u << CAP_SYS_PTRACE;
}

/* O_PATH holds the file without asking its file system. False: the question was not asked. */
static bool ask_examiner(
	struct special *special, const struct process *process, enum examiner_kind kind)
{
	struct examiner_question *q = mem_new(1, sizeof(*q));
	char path[48];

	if (!q)
		return false;
	*q = (struct examiner_question){
		.kind = kind, .pid = process->pid, .image = process->image, .fd = -1};
	(void)snprintf(path, sizeof(path), "/proc/%d/exe", process->pid);
	q->fd = open(path, O_PATH | O_CLOEXEC);
	if (kind == EXAMINER_PRIVILEGE)
		(void)proc_file_read(q->status, sizeof(q->status), "/proc/%d/status", process->pid);
	if (q->fd >= 0 && examiner_ask(&special->examiner, q))
		return true;
	examiner_forget(q);
	return false;
}

void special_see_child(struct special *special, const struct process *parent)
{
	if (special->said_tracer || parent->image->traces_asked)
		return;
	parent->image->traces_asked = ask_examiner(special, parent, EXAMINER_TRACES);
}

void special_see_exec(struct special *special, const struct process *process)
{
	if (!special->privileges_known)
		special->keeps_privileges = keeps_privileges();
	special->privileges_known = true;
	if (special->said_privilege || special->keeps_privileges ||
		!in_our_user_namespace(process->pid))
		return;
	(void)ask_examiner(special, process, EXAMINER_PRIVILEGE);
}

static void warn_user(struct special *special, const struct examiner_question *q)
{
	bool *said = q->kind == EXAMINER_TRACES ? &special->said_tracer : &special->said_privilege;

	if (!q->yes || *said)
		return;
	*said = true;
	if (q->kind == EXAMINER_TRACES)
		say_line(special->say, SAY_NOTE,
			"%s (pid %d) seems to trace its children, which are traced already: if it "
			"fails, use "
			"--no-follow, which leaves them to it",
			q->image->path, q->pid);
	else
		say_line(special->say, SAY_WARNING,
			"%s (pid %d) runs without its set-user-ID privilege or file capabilities, "
			"which the kernel keeps from a "
			"program that is traced; profile as root, or attach with -p once it runs",
			q->image->path, q->pid);
}

void special_poll(struct special *special, int most_ms)
{
	struct examiner_question *q;

	while ((q = examiner_answer(&special->examiner, most_ms))) {
		warn_user(special, q);
		examiner_forget(q);
	}
}

void special_release(struct special *special)
{
	examiner_release(&special->examiner);
}
