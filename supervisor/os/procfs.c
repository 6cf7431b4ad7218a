/* SPDX-License-Identifier: MIT */
#include "supervisor/os/procfs.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "supervisor/os/mem.h"
#include "supervisor/os/window.h"

/* Of a thread's sched file: the line that counts is the third. */
#define SWITCHED_BYTES 256

static int open_proc(const char *path)
{
	int fd;

	window_forbid("opening a file");
	fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int open_of_thread(int pid, int tid, const char *file)
{
	char path[64];

	(void)snprintf(path, sizeof(path), "/proc/%d/task/%d/%s", pid, tid, file);
	return open_proc(path);
}

/* Reads a small file from its start, NUL-terminated. Returns the length. */
static int read_small(int fd, char *text, size_t room)
{
	ssize_t n = pread(fd, text, room - 1, 0);

	if (n < 0)
		return -errno;
	text[n] = '\0';
	return (int)n;
}

static int read_small_path(const char *path, char *text, size_t room)
{
	int fd = open_proc(path), n;

	if (fd < 0)
		return fd;
	n = read_small(fd, text, room);
	(void)close(fd);
	return n;
}

/* Decimal digits at *@at after spaces. False when there are none. */
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

/* The space before field @wanted (3 and up) of a stat line, NULL: it has none. */
static const char *stat_field(const char *text, int wanted)
{
	const char *p = strrchr(text, ')'); /* the name may contain anything */

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

int procfs_open_stat(int pid, int tid)
{
	return open_of_thread(pid, tid, "stat");
}

int procfs_read_last_cpu(int stat_fd)
{
	char text[1024];
	int n = read_small(stat_fd, text, sizeof(text));

	return n < 0 ? n : procfs_parse_last_cpu(text);
}

uint64_t procfs_parse_stack_bottom(const char *text)
{
	const char *p = stat_field(text, 28);
	uint64_t bottom;

	return p && parse_decimal(&p, &bottom) ? bottom : 0;
}

uint64_t procfs_read_stack_bottom(int pid)
{
	char path[64], text[1024];

	(void)snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	return read_small_path(path, text, sizeof(text)) < 0 ? 0 : procfs_parse_stack_bottom(text);
}

int procfs_parse_state(const char *text, char *ret_state)
{
	const char *p = stat_field(text, 3);

	if (!p || p[0] != ' ' || !p[1])
		return -EPROTO;
	*ret_state = p[1];
	return 0;
}

int procfs_read_state(int stat_fd, char *ret_state)
{
	char text[1024];
	int n = read_small(stat_fd, text, sizeof(text));

	return n < 0 ? n : procfs_parse_state(text, ret_state);
}

/* Of two lines of a status file: "\nkey:" and a number, with blanks before it. */
static int add_two(const char *text, const char *const keys[2], uint64_t *ret_sum)
{
	uint64_t sum = 0, n;

	for (unsigned i = 0; i < 2; i++) {
		const char *at = strstr(text, keys[i]);

		if (!at)
			return -EPROTO;
		at += strlen(keys[i]);
		at += strspn(at, " \t");
		if (!parse_decimal(&at, &n))
			return -EPROTO;
		sum += n;
	}
	*ret_sum = sum;
	return 0;
}

int procfs_parse_switches(const char *text, uint64_t *ret_switches)
{
	static const char *const keys[] = {
		"\nvoluntary_ctxt_switches:", "\nnonvoluntary_ctxt_switches:"};

	return add_two(text, keys, ret_switches);
}

int procfs_parse_executable(const char *text, uint64_t *ret_kib)
{
	static const char *const keys[] = {"\nVmExe:", "\nVmLib:"};

	return add_two(text, keys, ret_kib);
}

static int read_status(
	int pid, int tid, int (*parse)(const char *text, uint64_t *ret), uint64_t *ret)
{
	char text[4096];
	int fd = open_of_thread(pid, tid, "status"), n;

	if (fd < 0)
		return fd;
	n = read_small(fd, text, sizeof(text));
	(void)close(fd);
	return n < 0 ? n : parse(text, ret);
}

int procfs_read_switches(int pid, int tid, uint64_t *ret_switches)
{
	return read_status(pid, tid, procfs_parse_switches, ret_switches);
}

int procfs_read_executable(int pid, int tid, uint64_t *ret_kib)
{
	return read_status(pid, tid, procfs_parse_executable, ret_kib);
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

int procfs_open_cpu(enum cpu_source source, int pid, int tid)
{
	return open_of_thread(pid, tid, source == CPU_SOURCE_SCHEDSTAT ? "schedstat" : "stat");
}

int procfs_read_cpu(enum cpu_source source, int fd, struct cpu_time *ret_cpu)
{
	char text[512];
	int n = read_small(fd, text, sizeof(text));

	return n < 0 ? n : procfs_parse_cpu(source, text, ret_cpu);
}

enum cpu_source procfs_cpu_source(void)
{
	char text[128];
	struct cpu_time cpu;

	if (read_small_path("/proc/self/schedstat", text, sizeof(text)) <= 0 ||
		procfs_parse_cpu(CPU_SOURCE_SCHEDSTAT, text, &cpu) < 0 || !cpu.run_ns)
		return CPU_SOURCE_STAT;
	return CPU_SOURCE_SCHEDSTAT;
}

int procfs_open_activity(int pid, int tid)
{
	return open_of_thread(pid, tid, "syscall");
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

int procfs_read_activity(int fd, struct activity *ret_activity)
{
	char text[256];
	int n = read_small(fd, text, sizeof(text));

	return n < 0 ? n : procfs_parse_activity(text, ret_activity);
}

int procfs_read_call(int fd, struct activity *ret_activity, uint64_t ret_argument[6])
{
	char text[256], *at = text;
	int n = read_small(fd, text, sizeof(text));

	if (n < 0)
		return n;
	n = procfs_parse_activity(text, ret_activity);
	(void)strtol(text, &at, 10);
	for (unsigned i = 0; i < 6; i++)
		ret_argument[i] = n < 0 || ret_activity->syscall < 0 ? 0 : strtoull(at, &at, 16);
	return n;
}

int procfs_read_ids(int tid, int *ret_pid, int *ret_parent)
{
	char path[48], text[1024];
	const char *group, *parent;
	int n;

	(void)snprintf(path, sizeof(path), "/proc/%d/status", tid);
	n = read_small_path(path, text, sizeof(text));
	if (n < 0)
		return n;
	group = strstr(text, "\nTgid:");
	parent = strstr(text, "\nPPid:");
	if (!group || !parent)
		return -EPROTO;
	*ret_pid = atoi(group + 6);
	*ret_parent = atoi(parent + 6);
	return 0;
}

bool procfs_is_zombie(int tid)
{
	char path[48], text[1024];
	const char *state;

	(void)snprintf(path, sizeof(path), "/proc/%d/status", tid);
	if (read_small_path(path, text, sizeof(text)) < 0)
		return false;
	state = strstr(text, "\nState:\t");
	return state && state[8] == 'Z';
}

bool procfs_is_filtered(int tid)
{
	char path[48], text[4096];
	const char *mode;

	(void)snprintf(path, sizeof(path), "/proc/%d/status", tid);
	if (read_small_path(path, text, sizeof(text)) < 0)
		return false;
	mode = strstr(text, "\nSeccomp:");
	return mode && atoi(mode + 9) == 2;
}

int procfs_read_pending(int tid, uint64_t *ret_pending)
{
	static const char *const keys[] = {"\nSigPnd:", "\nShdPnd:", "\nSigBlk:"};
	char path[48], text[4096];
	uint64_t set[3];
	int n;

	(void)snprintf(path, sizeof(path), "/proc/%d/status", tid);
	n = read_small_path(path, text, sizeof(text));
	for (unsigned i = 0; i < 3 && n >= 0; i++) {
		const char *at = strstr(text, keys[i]);

		if (!at)
			return -EPROTO;
		set[i] = strtoull(at + strlen(keys[i]), NULL, 16);
	}
	if (n < 0)
		return n;
	*ret_pending = (set[0] | set[1]) & ~set[2];
	return 0;
}

int procfs_read_dispositions(int tid, uint64_t *ret_ignored, uint64_t *ret_caught)
{
	char path[48], text[4096];
	const char *ignored, *caught;
	int n;

	(void)snprintf(path, sizeof(path), "/proc/%d/status", tid);
	n = read_small_path(path, text, sizeof(text));
	if (n < 0)
		return n;
	ignored = strstr(text, "\nSigIgn:");
	caught = strstr(text, "\nSigCgt:");
	if (!ignored || !caught)
		return -EPROTO;
	*ret_ignored = strtoull(ignored + 8, NULL, 16);
	*ret_caught = strtoull(caught + 8, NULL, 16);
	return 0;
}

void procfs_read_name(int pid, int tid, char ret_name[PROCFS_NAME_BYTES])
{
	int fd = open_of_thread(pid, tid, "comm");
	int n = fd < 0 ? 0 : read_small(fd, ret_name, PROCFS_NAME_BYTES);

	if (fd >= 0)
		(void)close(fd);
	if (n < 0)
		n = 0;
	while (n > 0 && ret_name[n - 1] == '\n')
		n--;
	ret_name[n] = '\0';
}

void procfs_read_exe(int pid, char *ret_path, size_t bytes)
{
	char link[48];
	ssize_t n;

	window_forbid("reading a link");
	(void)snprintf(link, sizeof(link), "/proc/%d/exe", pid);
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

int procfs_open_maps(int pid)
{
	char path[48];

	(void)snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	return open_proc(path);
}

int procfs_read_maps(int pid, char **text, size_t *room)
{
	size_t n = 0;
	ssize_t got;
	int fd = procfs_open_maps(pid), r;

	if (fd < 0)
		return fd;
	do {
		r = mem_grow((void **)text, room, n + 4097, 1);
		if (r < 0)
			break;
		got = read(fd, *text + n, *room - n - 1);
		if (got < 0)
			r = -errno;
		else
			n += (size_t)got;
	} while (r == 0 && got > 0);
	(void)close(fd);
	if (r < 0)
		return r;
	(*text)[n] = '\0';
	return (int)n;
}

int procfs_open_statm(int pid)
{
	char path[48];

	(void)snprintf(path, sizeof(path), "/proc/%d/statm", pid);
	return open_proc(path);
}

int procfs_read_pages(int statm_fd, uint64_t *ret_pages)
{
	char text[128];
	int n = read_small(statm_fd, text, sizeof(text));

	return n < 0 ? n : sscanf(text, "%" SCNu64, ret_pages) == 1 ? 0 : -EPROTO;
}

bool procfs_next_executable(const char **at, struct mapped_range *ret_range)
{
	while (**at) {
		const char *line = *at, *end = strchrnul(line, '\n');
		const char *rights = line + strcspn(line, " \n");
		struct mapped_range range;

		*at = *end ? end + 1 : end;
		/* There may be thousands of lines, and few are executable. */
		if (end - rights < 4 || rights[3] != 'x')
			continue;
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %*x:%*x %" SCNu64,
			    &range.start, &range.end, &range.offset, &range.inode) == 4 &&
			range.start < range.end) {
			*ret_range = range;
			return true;
		}
	}
	return false;
}

/* struct procmap_query of linux/fs.h, as far as its first version goes. */
struct map_query {
	uint64_t size, flags, address;
	uint64_t start, end, vma_flags, page_size, offset, inode;
	uint32_t dev_major, dev_minor, name_size, build_id_size;
	uint64_t name, build_id;
};
#define MAP_QUERY _IOWR('f', 17, struct map_query)
enum { MAP_QUERY_READ = 0x01, MAP_QUERY_WRITE = 0x02, MAP_QUERY_EXEC = 0x04 };

static int query_mapping(
	int maps_fd, uint64_t address, uint64_t flags, struct mapped_range *ret_range)
{
	struct map_query query = {.size = sizeof(query), .flags = flags, .address = address};

	window_forbid("asking for a mapping");
	if (ioctl(maps_fd, MAP_QUERY, &query) < 0)
		return -errno;
	*ret_range = (struct mapped_range){query.start, query.end, query.offset, query.inode};
	return 0;
}

int procfs_query_mapping(int maps_fd, uint64_t address, struct mapped_range *ret_range)
{
	return query_mapping(maps_fd, address, MAP_QUERY_EXEC, ret_range);
}

int procfs_query_writable(int maps_fd, uint64_t address, struct mapped_range *ret_range)
{
	return query_mapping(maps_fd, address, MAP_QUERY_READ | MAP_QUERY_WRITE, ret_range);
}

int procfs_open_load(void)
{
	struct statfs fs;
	int fd = open_proc("/proc/loadavg");

	if (fd < 0 || (fstatfs(fd, &fs) == 0 && fs.f_type == PROC_SUPER_MAGIC))
		return fd;
	(void)close(fd);
	return -ENOTSUP;
}

int procfs_parse_runnable(const char *text)
{
	uint64_t runnable;

	/* Three averages, which are no whole numbers, come first. */
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
	int n = read_small(load_fd, text, sizeof(text));

	return n < 0 ? n : procfs_parse_runnable(text);
}

uint64_t procfs_scheduler_tick_ns(void)
{
	struct timespec ts;

	/* The coarse clocks advance once a tick. */
	if (clock_getres(CLOCK_MONOTONIC_COARSE, &ts) < 0 || ts.tv_sec || ts.tv_nsec < 100000)
		return 10000000;
	return (uint64_t)ts.tv_nsec;
}

unsigned procfs_cpus(void)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	return n > 1 ? (unsigned)n : 1;
}

bool procfs_has_tickless_cpus(void)
{
	char text[64];

	return read_small_path("/sys/devices/system/cpu/nohz_full", text, sizeof(text)) > 1 &&
		isdigit((unsigned char)text[0]);
}

int procfs_open_switched(int pid, int tid)
{
	return open_of_thread(pid, tid, "sched");
}

int procfs_parse_switched(const char *text, uint64_t *ret_ns)
{
	static const char key[] = "\nse.exec_start";
	const char *at = strstr(text, key), *begin;
	char *end;
	uint64_t ms, rest;

	if (!at)
		return -EPROTO;
	at += sizeof(key) - 1;
	at += strspn(at, " ");
	if (*at != ':')
		return -EPROTO;
	at += 1 + strspn(at + 1, " ");
	ms = strtoull(at, &end, 10);
	if (!isdigit((unsigned char)*at) || *end != '.')
		return -EPROTO;
	begin = end + 1;
	rest = strtoull(begin, &end, 10);
	if (!isdigit((unsigned char)*begin) || end - begin != 6)
		return -EPROTO;
	*ret_ns = ms * 1000000 + rest;
	return 0;
}

int procfs_read_switched(int fd, uint64_t *ret_ns)
{
	char text[SWITCHED_BYTES];
	int n = read_small(fd, text, sizeof(text));

	return n < 0 ? n : procfs_parse_switched(text, ret_ns);
}
