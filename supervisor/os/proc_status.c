/* SPDX-License-Identifier: MIT */
#include "supervisor/os/proc_status.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/os/procfs.h"

#define STATUS_BYTES 4096

/* The status file of a thread. */
static int read_status(int tid, char text[STATUS_BYTES])
{
	char path[48];

	(void)snprintf(path, sizeof(path), "/proc/%d/status", tid);
	return procfs_read_once(procfs_open(path), text, STATUS_BYTES);
}

/* The text after "\nkey:" and blanks in a status file, NULL: no such line. */
static const char *after_key(const char *text, const char *key)
{
	const char *at = strstr(text, key);

	return at ? at + strlen(key) + strspn(at + strlen(key), " \t") : NULL;
}

/* The sum of two lines of a status file. */
static int add_two(const char *text, const char *const keys[2], uint64_t *ret_sum)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < 2; i++) {
		const char *at = after_key(text, keys[i]);

		if (!at || !isdigit((unsigned char)*at))
			return -EPROTO;
		sum += strtoull(at, NULL, 10);
	}
	*ret_sum = sum;
	return 0;
}

int proc_status_parse_switches(const char *text, uint64_t *ret_switches)
{
	static const char *const keys[] = {
		"\nvoluntary_ctxt_switches:", "\nnonvoluntary_ctxt_switches:"};

	return add_two(text, keys, ret_switches);
}

int proc_status_parse_executable(const char *text, uint64_t *ret_kib)
{
	static const char *const keys[] = {"\nVmExe:", "\nVmLib:"};

	return add_two(text, keys, ret_kib);
}

static int open_status(int pid, int tid)
{
	char path[64];

	(void)snprintf(path, sizeof(path), "/proc/%d/task/%d/status", pid, tid);
	return procfs_open(path);
}

int proc_status_read_switches(int pid, int tid, uint64_t *ret_switches)
{
	char text[STATUS_BYTES];
	int n = procfs_read_once(open_status(pid, tid), text, sizeof(text));

	return n < 0 ? n : proc_status_parse_switches(text, ret_switches);
}

int proc_status_read_executable(int pid, int tid, uint64_t *ret_kib)
{
	char text[STATUS_BYTES];
	int n = procfs_read_once(open_status(pid, tid), text, sizeof(text));

	return n < 0 ? n : proc_status_parse_executable(text, ret_kib);
}

int proc_status_read_ids(int tid, int *ret_pid, int *ret_parent)
{
	char text[STATUS_BYTES];
	const char *group, *parent;
	int n = read_status(tid, text);

	if (n < 0)
		return n;
	group = after_key(text, "\nTgid:");
	parent = after_key(text, "\nPPid:");
	if (!group || !parent)
		return -EPROTO;
	*ret_pid = atoi(group);
	*ret_parent = atoi(parent);
	return 0;
}

bool proc_status_is_zombie(int tid)
{
	char text[STATUS_BYTES];
	const char *state = read_status(tid, text) < 0 ? NULL : after_key(text, "\nState:");

	return state && (state[0] == 'Z' || state[0] == 'X');
}

bool proc_status_is_filtered(int tid)
{
	char text[STATUS_BYTES];
	const char *mode = read_status(tid, text) < 0 ? NULL : after_key(text, "\nSeccomp:");

	return mode && atoi(mode) == 2;
}

/* A set of signals of a status file. */
static int parse_signals(const char *text, const char *key, uint64_t *ret_set)
{
	const char *at = after_key(text, key);

	if (!at)
		return -EPROTO;
	*ret_set = strtoull(at, NULL, 16);
	return 0;
}

int proc_status_read_pending(int tid, uint64_t *ret_pending)
{
	char text[STATUS_BYTES];
	uint64_t thread, process, blocked;
	int n = read_status(tid, text);

	if (n < 0)
		return n;
	if (parse_signals(text, "\nSigPnd:", &thread) < 0 ||
		parse_signals(text, "\nShdPnd:", &process) < 0 ||
		parse_signals(text, "\nSigBlk:", &blocked) < 0)
		return -EPROTO;
	*ret_pending = (thread | process) & ~blocked;
	return 0;
}

int proc_status_read_dispositions(int tid, uint64_t *ret_ignored, uint64_t *ret_caught)
{
	char text[STATUS_BYTES];
	uint64_t ignored, caught;
	int n = read_status(tid, text);

	if (n < 0)
		return n;
	if (parse_signals(text, "\nSigIgn:", &ignored) < 0 ||
		parse_signals(text, "\nSigCgt:", &caught) < 0)
		return -EPROTO;
	*ret_ignored = ignored;
	*ret_caught = caught;
	return 0;
}
