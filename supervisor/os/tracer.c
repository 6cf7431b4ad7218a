/* SPDX-License-Identifier: MIT */
#include "supervisor/os/tracer.h"

#include <elf.h>
#include <errno.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#include "supervisor/os/procfs.h"
#include "supervisor/os/remote.h"

#ifndef NT_ARM_SYSTEM_CALL
#define NT_ARM_SYSTEM_CALL 0x404
#endif

static int result(long r)
{
	return r < 0 ? -errno : 0;
}

int tracer_seize(int tid, const struct tracer_options *options)
{
	/* Never PTRACE_O_EXITKILL: the target outlives us. */
	unsigned long flags = PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_TRACESYSGOOD;

	if (options->follow)
		flags |= PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK;
	return result(ptrace(PTRACE_SEIZE, tid, 0, flags));
}

bool tracer_lives(int tid)
{
	return syscall(SYS_tkill, tid, 0) == 0 || errno != ESRCH;
}

int tracer_interrupt(int tid)
{
	return result(ptrace(PTRACE_INTERRUPT, tid, 0, 0));
}

int tracer_resume(int tid, int signal)
{
	return result(ptrace(PTRACE_CONT, tid, 0, (unsigned long)signal));
}

int tracer_resume_to_call(int tid, int signal)
{
	return result(ptrace(PTRACE_SYSCALL, tid, 0, (unsigned long)signal));
}

int tracer_listen(int tid)
{
	return result(ptrace(PTRACE_LISTEN, tid, 0, 0));
}

/* No machine has more calls. */
#define NUMBERS 1024

/*
 * The call that a thread is in, by its code: the instruction is before its pc, or at it if the
 * kernel begins the call again. A thread that is stopped by chance between two instructions there
 * seems to be in the call; mend.c knows.
 */
static void find_call(int tid, struct arch_raw *raw)
{
	const struct arch_repair *arch = arch_native.repair;
	uint64_t pc = raw->word[arch->pc];
	uint8_t code[2 * sizeof(arch->instruction)];
	size_t n = arch->instruction_bytes;

	if (raw->bytes != arch->bytes || raw->word[arch->number] >= NUMBERS)
		return;
	if (remote_read(tid, pc - n, code, 2 * n) != (ssize_t)(2 * n)) {
		/* Who keeps us out of its memory says so by this call (CALL_ASK_SECOND). */
		if (raw->word[arch->number] == (uint64_t)arch_native.tgkill.number)
			raw->syscall = arch_native.tgkill.number;
		return;
	}
	raw->again = memcmp(code, arch->instruction, n) != 0;
	if (raw->again && memcmp(code + n, arch->instruction, n) != 0)
		raw->again = false;
	else
		raw->syscall = (int32_t)raw->word[arch->number];
}

int tracer_get_raw(int tid, struct arch_raw *ret_raw)
{
	struct iovec io = {ret_raw->word, sizeof(ret_raw->word)};

	if (ptrace(PTRACE_GETREGSET, tid, NT_PRSTATUS, &io) < 0)
		return -errno;
	ret_raw->bytes = io.iov_len;
	ret_raw->syscall = -1;
	ret_raw->again = false;
	if (arch_native.has_syscall_set) {
		struct iovec call = {&ret_raw->syscall, sizeof(ret_raw->syscall)};

		if (ptrace(PTRACE_GETREGSET, tid, NT_ARM_SYSTEM_CALL, &call) < 0)
			return -errno;
		if (ret_raw->syscall < 0)
			find_call(tid, ret_raw);
	}
	return 0;
}

static int set_number(int tid, int32_t number)
{
	struct iovec io = {&number, sizeof(number)};

	return result(ptrace(PTRACE_SETREGSET, tid, NT_ARM_SYSTEM_CALL, &io));
}

int tracer_get_first_argument(int tid, struct arch_raw *raw)
{
	struct activity activity;
	uint64_t argument[6];
	int fd = procfs_open_activity(tid, tid), r;

	if (fd < 0)
		return fd;
	/* The kernel shows what it keeps of the arguments only to a thread with a number. */
	r = set_number(tid, (int32_t)raw->word[arch_native.repair->number]);
	if (r == 0) {
		r = procfs_read_call(fd, &activity, argument);
		(void)set_number(tid, -1);
	}
	(void)close(fd);
	if (r < 0)
		return r;
	if (activity.running || activity.syscall < 0)
		return -EPROTO;
	raw->word[arch_native.repair->argument[0]] = argument[0];
	return 0;
}

int tracer_set_raw(int tid, const struct arch_raw *raw)
{
	struct iovec io = {(void *)(uintptr_t)raw->word, raw->bytes};

	return result(ptrace(PTRACE_SETREGSET, tid, NT_PRSTATUS, &io));
}

int tracer_get_snapshot(int tid, struct arch_snapshot *ret_snapshot)
{
	struct arch_raw raw;
	int r = tracer_get_raw(tid, &raw);

	if (r < 0)
		return r;
	return arch_native.decode(&raw, ret_snapshot) ? 0 : -EPROTO;
}

int tracer_get_message(int tid, uint64_t *ret_message)
{
	unsigned long message;

	if (ptrace(PTRACE_GETEVENTMSG, tid, 0, &message) < 0)
		return -errno;
	*ret_message = message;
	return 0;
}

int tracer_detach(int tid)
{
	return result(ptrace(PTRACE_DETACH, tid, 0, 0));
}
