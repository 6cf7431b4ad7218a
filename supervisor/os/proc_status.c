/* SPDX-License-Identifier: MIT */
#include "supervisor/os/proc_status.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/proc_file.h"
#include "supervisor/os/window.h"

#define STATUS_BYTES 4096

static int read_status(int tid, char text[STATUS_BYTES])
{
	window_forbid("opening a file");
	return proc_file_read(text, STATUS_BYTES, "/proc/%d/status", tid);
}

/*
 * Sets *@ret_sum to the sum of the values of the two @keys in a status file. -EPROTO: a key or its
 * number is missing.
 */
static int add_two(const char *text, const char *const keys[2], uint64_t *ret_sum)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < 2; i++) {
		const char *at = proc_file_value(text, keys[i]);

		if (!at || !isdigit((unsigned char)*at))
			return -EPROTO;
		sum += strtoull(at, NULL, 10);
	}
	*ret_sum = sum;
	return 0;
}

int proc_status_parse_switches(const char *text, uint64_t *ret_switches)
{
	static const char *const keys[] = {"voluntary_ctxt_switches", "nonvoluntary_ctxt_switches"};

	return add_two(text, keys, ret_switches);
}

int proc_status_parse_executable(const char *text, uint64_t *ret_kib)
{
	static const char *const keys[] = {"VmExe", "VmLib"};

	return add_two(text, keys, ret_kib);
}

int proc_status_read_switches(int tid, uint64_t *ret_switches)
{
	char text[STATUS_BYTES];
	int n = read_status(tid, text);

	return n < 0 ? n : proc_status_parse_switches(text, ret_switches);
}

int proc_status_read_executable(int tid, uint64_t *ret_kib)
{
	char text[STATUS_BYTES];
	int n = read_status(tid, text);

	return n < 0 ? n : proc_status_parse_executable(text, ret_kib);
}

int proc_status_read_ids(int tid, int *ret_pid, int *ret_parent)
{
	char text[STATUS_BYTES];
	const char *group, *parent;
	int n = read_status(tid, text);

	if (n < 0)
		return n;
	group = proc_file_value(text, "Tgid");
	parent = proc_file_value(text, "PPid");
	if (!group || !parent)
		return -EPROTO;
	*ret_pid = atoi(group);
	*ret_parent = atoi(parent);
	return 0;
}

bool proc_status_is_zombie(int tid)
{
	char text[STATUS_BYTES];
	const char *state = read_status(tid, text) < 0 ? NULL : proc_file_value(text, "State");

	return state && (state[0] == 'Z' || state[0] == 'X');
}

bool proc_status_is_filtered(int tid)
{
	char text[STATUS_BYTES];
	const char *mode = read_status(tid, text) < 0 ? NULL : proc_file_value(text, "Seccomp");

	return mode && atoi(mode) == 2;
}

static int parse_signals(const char *text, const char *key, uint64_t *ret_set)
{
	const char *at = proc_file_value(text, key);

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
	if (parse_signals(text, "SigPnd", &thread) < 0 ||
		parse_signals(text, "ShdPnd", &process) < 0 ||
		parse_signals(text, "SigBlk", &blocked) < 0)
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
	if (parse_signals(text, "SigIgn", &ignored) < 0 ||
		parse_signals(text, "SigCgt", &caught) < 0)
		return -EPROTO;
	*ret_ignored = ignored;
	*ret_caught = caught;
	return 0;
}
