/* SPDX-License-Identifier: MIT */
#include "supervisor/os/proc_maps.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/maps_line.h"
#include "supervisor/os/mem.h"
#include "supervisor/os/procfs.h"
#include "supervisor/os/window.h"

int proc_maps_read(int pid, char **text, size_t *room)
{
	size_t n = 0;
	ssize_t got;
	int fd = procfs_open("/proc/%d/maps", pid), r;

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

bool proc_maps_next_executable(const char **at, struct mapped_range *ret_range)
{
	while (**at) {
		const char *line = *at, *end = strchrnul(line, '\n');
		const char *rights = line + strcspn(line, " \n");
		struct maps_line parsed;

		*at = *end ? end + 1 : end;
		/* Checked before parsing: of thousands of lines, few are executable. */
		if (end - rights < 4 || rights[3] != 'x')
			continue;
		if (maps_line_parse(line, (size_t)(end - line), &parsed) == 0) {
			*ret_range = (struct mapped_range){
				parsed.start, parsed.end, parsed.offset, parsed.inode};
			return true;
		}
	}
	return false;
}

/* struct procmap_query of linux/fs.h (Linux 6.11) */
struct map_query {
	uint64_t size, flags, address;
	uint64_t start, end, vma_flags, page_size, offset, inode;
	uint32_t dev_major, dev_minor, name_size, build_id_size;
	uint64_t name, build_id;
};
#define MAP_QUERY _IOWR('f', 17, struct map_query)
enum { MAP_QUERY_READ = 0x01, MAP_QUERY_WRITE = 0x02, MAP_QUERY_EXEC = 0x04 };

static int query_ioctl(int maps_fd, uint64_t address, uint64_t flags, struct map_query *ret_query)
{
	*ret_query =
		(struct map_query){.size = sizeof(*ret_query), .flags = flags, .address = address};
	window_forbid("asking for a mapping");
	return ioctl(maps_fd, MAP_QUERY, ret_query) < 0 ? -errno : 0;
}

static int query(int maps_fd, uint64_t address, uint64_t flags, struct mapped_range *ret_range)
{
	struct map_query query;
	int r = query_ioctl(maps_fd, address, flags, &query);

	if (r < 0)
		return r;
	*ret_range = (struct mapped_range){query.start, query.end, query.offset, query.inode};
	return 0;
}

int proc_maps_query(int maps_fd, uint64_t address, struct mapped_range *ret_range)
{
	return query(maps_fd, address, MAP_QUERY_EXEC, ret_range);
}

int proc_maps_query_writable(int maps_fd, uint64_t address, struct mapped_range *ret_range)
{
	return query(maps_fd, address, MAP_QUERY_READ | MAP_QUERY_WRITE, ret_range);
}

bool proc_maps_is_guarded(int maps_fd, uint64_t start)
{
	struct map_query query;

	return start && query_ioctl(maps_fd, start - 1, 0, &query) == 0 &&
		!(query.vma_flags & (MAP_QUERY_READ | MAP_QUERY_WRITE | MAP_QUERY_EXEC));
}
