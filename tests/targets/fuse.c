/* SPDX-License-Identifier: MIT */
/*
 * fuse FILE FOLDER one|many|slow: a file system in user space, mounted at FOLDER, whose only file
 * "prog" has the contents of FILE. one: one thread answers; many: a new thread for each request;
 * slow: one thread that computes for some milliseconds before each answer. Needs CAP_SYS_ADMIN and
 * /dev/fuse. Prints "mounted", and ends when it is unmounted.
 *
 * The file is cached as little as the kernel permits, so a reader of the file has to wait for this
 * program. While there is a file "silent" in its folder, it answers no requests to read, and the
 * parts that the kernel has cached stay.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define REQUEST_BYTES (256 * 1024)
#define WRITE_MOST    131072
#define ROOT          1
#define PROG          2
#define THINKS        4000000 /* loops of a slow answer */

struct server {
	int device, file;
	off_t bytes;
	bool slow;
};

struct request {
	const struct server *server;
	struct fuse_in_header head;
	unsigned char rest[REQUEST_BYTES];
};

static void answer(const struct request *q, int error, const void *data, size_t n)
{
	struct fuse_out_header head = {
		.len = (uint32_t)(sizeof(head) + n), .error = error, .unique = q->head.unique};
	struct iovec part[2] = {{&head, sizeof(head)}, {(void *)(uintptr_t)data, n}};

	if (writev(q->server->device, part, n ? 2 : 1) < 0 && errno != ENOENT)
		perror("fuse: answer");
}

static void describe(const struct server *server, uint64_t node, struct fuse_attr *ret_attr)
{
	*ret_attr = (struct fuse_attr){.ino = node, .nlink = 1, .blksize = 4096};
	ret_attr->mode = node == ROOT ? S_IFDIR | 0755 : S_IFREG | 0755;
	if (node != ROOT) {
		ret_attr->size = (uint64_t)server->bytes;
		ret_attr->blocks = (uint64_t)server->bytes / 512 + 1;
	}
}

static void begin(const struct request *q)
{
	const struct fuse_init_in *in = (const void *)q->rest;
	struct fuse_init_out out = {.major = 7,
		.minor = in->minor < 31 ? in->minor : 31,
		.max_readahead = in->max_readahead,
		.max_write = WRITE_MOST};

	answer(q, 0, &out, sizeof(out));
}

static void look_up(const struct request *q)
{
	struct fuse_entry_out out = {.nodeid = PROG};

	if (q->head.nodeid != ROOT || strcmp((const char *)q->rest, "prog") != 0) {
		answer(q, -ENOENT, NULL, 0);
		return;
	}
	describe(q->server, PROG, &out.attr);
	answer(q, 0, &out, sizeof(out));
}

static void read_file(const struct request *q)
{
	const struct fuse_read_in *in = (const void *)q->rest;
	char *data = malloc(in->size);
	ssize_t n = data ? pread(q->server->file, data, in->size, (off_t)in->offset) : -1;

	answer(q, n < 0 ? -EIO : 0, data, n < 0 ? 0 : (size_t)n);
	free(data);
}

static bool is_silent(void)
{
	return access("silent", F_OK) == 0;
}

static void serve(const struct request *q)
{
	struct fuse_attr_out attributes = {0};
	struct fuse_open_out opened = {.open_flags = is_silent() ? FOPEN_KEEP_CACHE : 0};
	struct fuse_statfs_out fs = {.st = {.bsize = 4096, .namelen = 255}};

	for (volatile long i = 0; q->server->slow && i < THINKS; i++)
		;
	switch (q->head.opcode) {
	case FUSE_INIT: begin(q); break;
	case FUSE_LOOKUP: look_up(q); break;
	case FUSE_READ:
		if (!is_silent())
			read_file(q);
		break;
	case FUSE_GETATTR:
		describe(q->server, q->head.nodeid, &attributes.attr);
		answer(q, 0, &attributes, sizeof(attributes));
		break;
	case FUSE_OPEN:
	case FUSE_OPENDIR: answer(q, 0, &opened, sizeof(opened)); break;
	case FUSE_STATFS: answer(q, 0, &fs, sizeof(fs)); break;
	case FUSE_RELEASE:
	case FUSE_RELEASEDIR:
	case FUSE_FLUSH:
	case FUSE_ACCESS: answer(q, 0, NULL, 0); break;
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT: break;
	case FUSE_GETXATTR: answer(q, -ENODATA, NULL, 0); break;
	default: answer(q, -ENOSYS, NULL, 0);
	}
}

static void *serve_one(void *context)
{
	serve(context);
	free(context);
	return NULL;
}

int main(int argc, char *argv[])
{
	struct server server = {.device = open("/dev/fuse", O_RDWR | O_CLOEXEC)};
	pthread_attr_t detached;
	char options[64];
	struct stat st;
	bool many;

	if (argc != 4)
		return 99;
	many = strcmp(argv[3], "many") == 0;
	server.slow = strcmp(argv[3], "slow") == 0;
	server.file = open(argv[1], O_RDONLY | O_CLOEXEC);
	(void)snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0",
		server.device);
	if (server.device < 0 || server.file < 0 || fstat(server.file, &st) < 0 ||
		mount("fuse", argv[2], "fuse", 0, options) < 0) {
		perror("fuse: mount");
		return 77;
	}
	server.bytes = st.st_size;
	(void)puts("mounted");
	(void)fflush(stdout);
	(void)pthread_attr_init(&detached);
	(void)pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
	for (;;) {
		struct request *q = malloc(sizeof(*q));
		pthread_t thread;
		ssize_t n;

		if (!q)
			return 99;
		q->server = &server;
		n = readv(server.device,
			(struct iovec[]){{&q->head, sizeof(q->head)}, {q->rest, sizeof(q->rest)}},
			2);
		if (n < 0) {
			free(q);
			if (errno == EINTR || errno == ENOENT)
				continue;
			return 0;
		}
		if (!many || pthread_create(&thread, &detached, serve_one, q) != 0)
			(void)serve_one(q);
	}
}
