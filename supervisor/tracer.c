/* SPDX-License-Identifier: MIT */
#include "supervisor/tracer.h"

#include <elf.h>
#include <errno.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/uio.h>

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
	unsigned long flags = PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC;

	if (options->follow)
		flags |= PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK;
	return result(ptrace(PTRACE_SEIZE, tid, 0, flags));
}

int tracer_interrupt(int tid)
{
	return result(ptrace(PTRACE_INTERRUPT, tid, 0, 0));
}

int tracer_resume(int tid, int signal)
{
	return result(ptrace(PTRACE_CONT, tid, 0, (unsigned long)signal));
}

int tracer_listen(int tid)
{
	return result(ptrace(PTRACE_LISTEN, tid, 0, 0));
}

int tracer_get_snapshot(int tid, struct arch_snapshot *ret_snapshot)
{
	struct arch_raw raw;
	struct iovec io = {raw.word, sizeof(raw.word)};

	if (ptrace(PTRACE_GETREGSET, tid, NT_PRSTATUS, &io) < 0)
		return -errno;
	raw.bytes = io.iov_len;
	raw.syscall = -1;
	if (arch_native.has_syscall_set) {
		struct iovec call = {&raw.syscall, sizeof(raw.syscall)};

		if (ptrace(PTRACE_GETREGSET, tid, NT_ARM_SYSTEM_CALL, &call) < 0)
			return -errno;
	}
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
