/* SPDX-License-Identifier: MIT */
#include "supervisor/os/waiter.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>

/* Converts a dead child's siginfo to a wait status as wait(2) gives it. */
static int status_of(const siginfo_t *info)
{
	switch (info->si_code) {
	case CLD_EXITED: return (info->si_status & 0xff) << 8;
	case CLD_DUMPED: return (info->si_status & 0x7f) | 0x80;
	default: return info->si_status & 0x7f;
	}
}

int waiter_peek(int tid, struct waiter_result *ret_result)
{
	siginfo_t info = {.si_pid = 0};

	if (waitid(tid ? P_PID : P_ALL, (id_t)tid, &info,
		    WEXITED | WSTOPPED | WNOHANG | WNOWAIT | __WALL | __WNOTHREAD) < 0)
		return -errno;
	*ret_result = (struct waiter_result){WAITER_NOTHING, info.si_pid, 0};
	if (!info.si_pid)
		return 0;
	switch (info.si_code) {
	case CLD_TRAPPED:
		ret_result->kind = WAITER_STOP;
		ret_result->status = info.si_status;
		break;
	case CLD_STOPPED: ret_result->kind = WAITER_FOREIGN; break;
	default:
		ret_result->kind = WAITER_GONE;
		ret_result->status = status_of(&info);
		break;
	}
	return 0;
}

int waiter_take(int tid)
{
	siginfo_t info;

	return waitid(P_PID, (id_t)tid, &info,
		       WEXITED | WSTOPPED | WNOHANG | __WALL | __WNOTHREAD) < 0
		? -errno
		: 0;
}

int waiter_take_stop(int tid)
{
	siginfo_t info;

	return waitid(P_PID, (id_t)tid, &info, WSTOPPED | WNOHANG | __WALL | __WNOTHREAD) < 0
		? -errno
		: 0;
}

int waiter_join(int pid, int *ret_status)
{
	siginfo_t info;

	while (waitid(P_PID, (id_t)pid, &info, WEXITED | __WALL) < 0) {
		if (errno != EINTR)
			return -errno;
	}
	*ret_status = status_of(&info);
	return 0;
}
