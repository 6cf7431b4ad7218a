/* SPDX-License-Identifier: MIT */
#include "supervisor/os/tracer.h"

#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#ifndef NT_ARM_SYSTEM_CALL
#define NT_ARM_SYSTEM_CALL 0x404
#endif

static int result(long r)
{
	return r < 0 ? -errno : 0;
}

static unsigned long flags_of(const struct tracer_options *options)
{
	/* Never PTRACE_O_EXITKILL: the target must outlive the supervisor. */
	unsigned long flags = PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_TRACESYSGOOD;

	if (options->follow)
		flags |= PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK;
	if (options->exits)
		flags |= PTRACE_O_TRACEEXIT;
	return flags;
}

int tracer_seize(int tid, const struct tracer_options *options)
{
	return result(ptrace(PTRACE_SEIZE, tid, 0, flags_of(options)));
}

int tracer_set_options(int tid, const struct tracer_options *options)
{
	return result(ptrace(PTRACE_SETOPTIONS, tid, 0, flags_of(options)));
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

static void find_call(int tid, struct arch_raw *raw)
{
	uint64_t pc;
	union {
		long word;
		uint32_t code[2];
	} at;

	if (!arch_native.find_call(raw, NULL))
		return;
	pc = raw->word[arch_native.restart->pc];
	errno = 0;
	at.word = ptrace(PTRACE_PEEKTEXT, tid, pc - sizeof(*at.code), 0);
	/*
	 * EIO: the instruction at the pc is behind the end of a mapping. Reads the 8 bytes before
	 * the pc.
	 */
	if (errno == EIO) {
		errno = 0;
		at.word = ptrace(PTRACE_PEEKTEXT, tid, pc - sizeof(at.code), 0);
		at.code[0] = at.code[1];
		at.code[1] = 0;
	}
	if (errno == 0)
		(void)arch_native.find_call(raw, at.code);
}

int tracer_get_raw(int tid, struct arch_raw *ret_raw)
{
	struct iovec io = {ret_raw->word, sizeof(ret_raw->word)};

	if (ptrace(PTRACE_GETREGSET, tid, NT_PRSTATUS, &io) < 0)
		return -errno;
	ret_raw->bytes = io.iov_len;
	if (arch_native.find_call)
		find_call(tid, ret_raw);
	return 0;
}

int tracer_set_raw(int tid, const struct arch_raw *raw)
{
	struct iovec io = {(void *)(uintptr_t)raw->word, raw->bytes};

	return result(ptrace(PTRACE_SETREGSET, tid, NT_PRSTATUS, &io));
}

int tracer_get_arguments(int tid, uint64_t ret_argument[6])
{
	struct __ptrace_syscall_info info;
	siginfo_t seen, said;

	if (ptrace(PTRACE_GETSIGINFO, tid, 0, &seen) < 0)
		return -errno;
	said = seen;
	said.si_code = SIGTRAP | PTRACE_EVENT_SECCOMP << 8;
	if (ptrace(PTRACE_SETSIGINFO, tid, 0, &said) < 0)
		return -errno;
	info.op = PTRACE_SYSCALL_INFO_NONE;
	(void)ptrace(PTRACE_GET_SYSCALL_INFO, tid, sizeof(info), &info);
	(void)ptrace(PTRACE_SETSIGINFO, tid, 0, &seen);
	if (info.op != PTRACE_SYSCALL_INFO_SECCOMP)
		return -ENOTSUP;
	memcpy(ret_argument, info.seccomp.args, sizeof(info.seccomp.args));
	return 0;
}

int tracer_forget_call(int tid)
{
	int none = -1;
	struct iovec io = {&none, sizeof(none)};

	return result(ptrace(PTRACE_SETREGSET, tid, NT_ARM_SYSTEM_CALL, &io));
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
