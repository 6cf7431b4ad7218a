/* SPDX-License-Identifier: MIT */
/*
 * The input is the text of a file in /proc about a thread, which chooses its name: stat, schedstat,
 * syscall, sched, status, maps or loadavg. Each reader gets it.
 */
#include <stdlib.h>
#include <string.h>

#include "base/proc_file.h"
#include "supervisor/os/proc_status.h"
#include "supervisor/os/procfs.h"
#include "supervisor/target/stack.h"
#include "tests/fuzz/fuzz.h"

enum { STAT, SCHEDSTAT, CALL, QUEUED, TURN, SWITCHES, EXECUTABLE, MAPS, RUNNABLE, PARTS };
const unsigned fuzz_parts = PARTS;

static void accept(unsigned part, bool good)
{
	if (good)
		fuzz_accept(part);
}

static void read_stat(const char *text)
{
	struct kernel_time kernel;
	struct cpu_time cpu;
	char state;
	int last = procfs_parse_last_cpu(text);

	if (last >= 1 << 20)
		abort();
	accept(STAT,
		procfs_parse_state(text, &state) == 0 && last >= 0 &&
			procfs_parse_stack_bottom(text) &&
			procfs_parse_kernel_time(text, &kernel) == 0 &&
			procfs_parse_cpu(CPU_SOURCE_STAT, text, &cpu) == 0);
	accept(SCHEDSTAT, procfs_parse_cpu(CPU_SOURCE_SCHEDSTAT, text, &cpu) == 0);
}

static void read_maps(const char *text)
{
	struct stack_ranges ranges = {0};

	if (stack_ranges_set(&ranges, text) == 0)
		for (size_t i = 0; i < ranges.n; i++)
			if (ranges.range[i].start >= ranges.range[i].end)
				abort();
	accept(MAPS, ranges.n > 0);
	stack_ranges_release(&ranges);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1); /* the exact size: the sanitizer sees a read too far */
	struct activity activity;
	struct turn turn;
	uint64_t argument[6], number;

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	read_stat(text);
	read_maps(text);
	accept(CALL, procfs_parse_call(text, &activity, argument) == 0 && activity.syscall >= 0);
	accept(QUEUED, procfs_parse_queued(text, &number) == 0);
	accept(TURN, procfs_parse_turn(text, &turn) == 0 && turn.run_ns);
	accept(SWITCHES, proc_status_parse_switches(text, &number) == 0);
	accept(EXECUTABLE, proc_status_parse_executable(text, &number) == 0);
	accept(RUNNABLE, procfs_parse_runnable(text) >= 0);
	(void)proc_file_last_number(text, "NStgid", 1);
	free(text);
	return 0;
}
