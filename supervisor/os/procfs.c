/* SPDX-License-Identifier: MIT */
#include "supervisor/os/procfs.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "base/proc_file.h"
#include "supervisor/os/mem.h"
#include "supervisor/os/window.h"

/* Room for one read of a whole file: a page, and the NUL. */
#define PART_BYTES 4097

__attribute__((format(printf, 1, 0))) static int open_by_format(const char *format, va_list args)
{
	char path[96];
	int fd;

	(void)vsnprintf(path, sizeof(path), format, args);
	window_forbid("opening a file");
	fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int procfs_open(const char *format, ...)
{
	va_list args;
	int fd;

	va_start(args, format);
	fd = open_by_format(format, args);
	va_end(args);
	return fd;
}

int procfs_read(int fd, char *text, size_t room)
{
	ssize_t n = pread(fd, text, room - 1, 0);

	if (n < 0)
		return -errno;
	text[n] = '\0';
	return (int)n;
}

char *procfs_read_text(const char *format, ...)
{
	char *text = NULL;
	size_t room = 0, n = 0;
	ssize_t got = -1;
	va_list args;
	int fd;

	va_start(args, format);
	fd = open_by_format(format, args);
	va_end(args);
	while (fd >= 0 && mem_grow((void **)&text, &room, n + PART_BYTES, 1) == 0 &&
		(got = read(fd, text + n, room - n - 1)) > 0)
		n += (size_t)got;
	if (fd >= 0)
		(void)close(fd);
	if (got != 0) {
		free(text);
		return NULL;
	}
	text[n] = '\0';
	return text;
}

/* Parses decimal digits at *@at after spaces. False if there are none. */
static bool parse_decimal(const char **at, uint64_t *ret_value)
{
	const char *p = *at;
	uint64_t v = 0;

	while (*p == ' ')
		p++;
	if (!isdigit((unsigned char)*p))
		return false;
	while (isdigit((unsigned char)*p))
		v = v * 10 + (uint64_t)(*p++ - '0');
	*at = p;
	*ret_value = v;
	return true;
}

/* Returns the space before field @wanted (3 and up) of a stat line; NULL: no such field. */
static const char *stat_field(const char *text, int wanted)
{
	const char *p = strrchr(text, ')'); /* the name before it may contain anything, even ')' */

	for (int field = 2; p && field < wanted; field++)
		p = strchr(p + 1, ' ');
	return p;
}

int procfs_parse_last_cpu(const char *text)
{
	const char *p = stat_field(text, 39);
	uint64_t cpu;

	return p && parse_decimal(&p, &cpu) && cpu < 1 << 20 ? (int)cpu : -EPROTO;
}

uint64_t procfs_parse_stack_bottom(const char *text)
{
	const char *p = stat_field(text, 28);
	uint64_t bottom;

	return p && parse_decimal(&p, &bottom) ? bottom : 0;
}

uint64_t procfs_read_stack_bottom(int pid)
{
	char text[PROCFS_STAT_BYTES];

	window_forbid("opening a file");
	(void)proc_file_read(text, sizeof(text), "/proc/%d/stat", pid);
	return procfs_parse_stack_bottom(text);
}

static bool parse_field(const char *text, int field, uint64_t *ret_value)
{
	const char *p = stat_field(text, field);

	return p && parse_decimal(&p, ret_value);
}

int procfs_parse_kernel_time(const char *text, struct kernel_time *ret_time)
{
	struct kernel_time time;
	long hz = sysconf(_SC_CLK_TCK);

	if (hz <= 0 || !parse_field(text, 10, &time.minor_faults) ||
		!parse_field(text, 12, &time.major_faults) ||
		!parse_field(text, 15, &time.system_ns))
		return -EPROTO;
	time.system_ns *= 1000000000 / (uint64_t)hz;
	*ret_time = time;
	return 0;
}

int procfs_parse_state(const char *text, char *ret_state)
{
	const char *p = stat_field(text, 3);

	if (!p || p[0] != ' ' || !p[1])
		return -EPROTO;
	*ret_state = p[1];
	return 0;
}

static int parse_stat(const char *text, struct cpu_time *ret_cpu)
{
	const char *p = stat_field(text, 14);
	uint64_t user, system;
	long hz = sysconf(_SC_CLK_TCK);

	if (!p || hz <= 0 || !parse_decimal(&p, &user) || !parse_decimal(&p, &system))
		return -EPROTO;
	*ret_cpu = (struct cpu_time){.run_ns = (user + system) * (1000000000 / (uint64_t)hz)};
	return 0;
}

int procfs_parse_cpu(enum cpu_source source, const char *text, struct cpu_time *ret_cpu)
{
	struct cpu_time cpu;
	const char *p = text;

	if (source == CPU_SOURCE_STAT)
		return parse_stat(text, ret_cpu);
	if (!parse_decimal(&p, &cpu.run_ns) || !parse_decimal(&p, &cpu.wait_ns) ||
		!parse_decimal(&p, &cpu.slices))
		return -EPROTO;
	*ret_cpu = cpu;
	return 0;
}

int procfs_read_cpu(enum cpu_source source, int fd, struct cpu_time *ret_cpu)
{
	char text[PROCFS_CPU_BYTES];
	int n = procfs_read(fd, text, sizeof(text));

	return n < 0 ? n : procfs_parse_cpu(source, text, ret_cpu);
}

enum cpu_source procfs_cpu_source(void)
{
	char text[128];
	struct cpu_time cpu;

	if (proc_file_read(text, sizeof(text), "/proc/self/schedstat") <= 0 ||
		procfs_parse_cpu(CPU_SOURCE_SCHEDSTAT, text, &cpu) < 0 || !cpu.run_ns)
		return CPU_SOURCE_STAT;
	return CPU_SOURCE_SCHEDSTAT;
}

int procfs_parse_activity(const char *text, struct activity *ret_activity)
{
	struct activity a = {.syscall = -1};
	const char *pc = strrchr(text, ' '), *sp;
	char *end;

	if (strncmp(text, "running", 7) == 0) {
		a.running = true;
		*ret_activity = a;
		return 0;
	}
	for (sp = pc ? pc - 1 : text; sp > text && *sp != ' ';)
		sp--;
	a.syscall = (int32_t)strtol(text, &end, 10);
	if (!pc || end == text || sp <= text)
		return -EPROTO;
	a.sp = strtoull(sp, NULL, 16);
	a.pc = strtoull(pc, NULL, 16);
	*ret_activity = a;
	return 0;
}

int procfs_parse_call(const char *text, struct activity *ret_activity, uint64_t ret_argument[6])
{
	int r = procfs_parse_activity(text, ret_activity);
	char *at;

	(void)strtol(text, &at, 10);
	for (unsigned i = 0; i < 6; i++)
		ret_argument[i] = r < 0 || ret_activity->syscall < 0 ? 0 : strtoull(at, &at, 16);
	return r;
}

void procfs_read_name(int pid, int tid, char ret_name[PROCFS_NAME_BYTES])
{
	int n;

	window_forbid("opening a file");
	n = proc_file_read(ret_name, PROCFS_NAME_BYTES, "/proc/%d/task/%d/comm", pid, tid);
	while (n > 0 && ret_name[n - 1] == '\n')
		ret_name[--n] = '\0';
}

void procfs_read_exe(int pid, char *ret_path, size_t bytes)
{
	char link[48];
	ssize_t n;

	window_forbid("reading a link");
	(void)snprintf(link, sizeof(link), "/proc/%d/exe", proc_file_living_thread(pid));
	n = readlink(link, ret_path, bytes - 1);
	ret_path[n < 0 ? 0 : n] = '\0';
}

int procfs_read_threads(int pid, int **tids, size_t *n, size_t *room)
{
	char path[48];
	struct dirent *entry;
	DIR *dir;
	int r = 0;

	window_forbid("reading a folder");
	(void)snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	if (!dir)
		return -errno;
	while (r == 0 && (entry = readdir(dir))) {
		int tid = atoi(entry->d_name);

		if (tid <= 0)
			continue;
		r = mem_grow((void **)tids, room, *n + 1, sizeof(**tids));
		if (r == 0)
			(*tids)[(*n)++] = tid;
	}
	(void)closedir(dir);
	return r;
}

int procfs_read_pages(int statm_fd, uint64_t *ret_pages)
{
	char text[128];
	int n = procfs_read(statm_fd, text, sizeof(text));

	return n < 0 ? n : sscanf(text, "%" SCNu64, ret_pages) == 1 ? 0 : -EPROTO;
}

int procfs_open_load(void)
{
	struct statfs fs;
	int fd = procfs_open("/proc/loadavg");

	if (fd < 0 || (fstatfs(fd, &fs) == 0 && fs.f_type == PROC_SUPER_MAGIC))
		return fd;
	(void)close(fd);
	return -ENOTSUP;
}

int procfs_parse_runnable(const char *text)
{
	uint64_t runnable;

	/* Skips the three averages, which are not integers. */
	for (unsigned i = 0; i < 3; i++) {
		text = strchr(text, ' ');
		if (!text)
			return -EPROTO;
		text++;
	}
	return parse_decimal(&text, &runnable) && *text == '/' && runnable <= INT_MAX
		? (int)runnable
		: -EPROTO;
}

int procfs_read_runnable(int load_fd)
{
	char text[128];
	int n = procfs_read(load_fd, text, sizeof(text));

	return n < 0 ? n : procfs_parse_runnable(text);
}

uint64_t procfs_scheduler_tick_ns(void)
{
	struct timespec ts;

	/* The coarse clocks advance once per scheduler tick: their resolution is the tick. */
	if (clock_getres(CLOCK_MONOTONIC_COARSE, &ts) < 0 || ts.tv_sec || ts.tv_nsec < 100000)
		return 10000000;
	return (uint64_t)ts.tv_nsec;
}

/*
 * Parses the value of @key; converts milliseconds to ns. -EPROTO: the key is missing, or its value
 * is malformed.
 */
static int parse_sched(const char *text, const char *key, uint64_t *ret)
{
	const char *at = strstr(text, key), *begin;
	char *end;
	uint64_t rest;

	if (!at)
		return -EPROTO;
	at += strlen(key);
	at += strspn(at, " ");
	if (*at != ':')
		return -EPROTO;
	at += 1 + strspn(at + 1, " ");
	if (!isdigit((unsigned char)*at))
		return -EPROTO;
	*ret = strtoull(at, &end, 10);
	if (*end == '\n')
		return 0;
	begin = end + 1;
	if (*end != '.' || !isdigit((unsigned char)*begin))
		return -EPROTO;
	rest = strtoull(begin, &end, 10);
	if (end - begin != 6)
		return -EPROTO;
	*ret = *ret * 1000000 + rest;
	return 0;
}

int procfs_parse_turn(const char *text, struct turn *ret_turn)
{
	int r;

	*ret_turn = (struct turn){0};
	r = parse_sched(text, "\nse.exec_start", &ret_turn->switched_ns);
	if (r == 0)
		(void)parse_sched(text, "\nse.sum_exec_runtime", &ret_turn->run_ns);
	return r;
}

int procfs_parse_queued(const char *text, uint64_t *ret_ns)
{
	return parse_sched(text, "\nse.avg.last_update_time", ret_ns);
}

int procfs_read_turn(int fd, struct turn *ret_turn)
{
	char text[PROCFS_TURN_BYTES];
	int n = procfs_read(fd, text, sizeof(text));

	return n < 0 ? n : procfs_parse_turn(text, ret_turn);
}
