/* SPDX-License-Identifier: MIT */
/*
 * Requests of the analyst, which may open no files, to the opener, and the answers. Each is a
 * packet (SOCK_SEQPACKET). An answer may carry a descriptor. docs/PROTOCOL.md, section 4, has the
 * layout.
 */
#ifndef PROTO_OPENING_H
#define PROTO_OPENING_H

#include <stddef.h>
#include <stdint.h>

#define OPENING_PATH_MOST    8191
#define OPENING_CODE_BYTES   4096
#define OPENING_REQUEST_HEAD 58
#define OPENING_ANSWER_HEAD  46
#define OPENING_BYTES_MOST   (OPENING_REQUEST_HEAD + OPENING_PATH_MOST)

/*
 * Each comment lists the members of struct opening that the kind uses. After the colon it says
 * what the answer's descriptor is.
 */
enum opening_kind {
	OPENING_MAPPED = 1, /* pid, start, end, device, inode, path: the file of a mapping */
	/*
	 * as OPENING_MAPPED: a copy of those parts of the file that are mapped without write access
	 */
	OPENING_IMAGE = 2,
	OPENING_VDSO = 3,    /* pid, start, end: a copy of the vdso */
	OPENING_ELF = 4,     /* path: a debug file, by build-id, link or alternate link */
	OPENING_PROCESS = 5, /* pid: none; the opener notes the process's user and namespace pid */
	/*
	 * pid: the process's perf map. start = 1: the process may live, so search its root folder,
	 * too; start = 0: the pid may have been reused (a replayed capture)
	 */
	OPENING_PERF_MAP = 6,
	OPENING_STAT = 7,    /* path: whether it exists, and as what; no descriptor */
	OPENING_SOURCE = 8,  /* path, pid: a source file, for the live view */
	OPENING_THREADS = 9, /* pid: a copy of the "stat" of all threads, each ended by NUL */
	OPENING_LOG = 10,    /* what the profiled command has written; only for the live view */
	OPENING_STATM = 11,  /* the sender's own /proc/PID/statm */
	/* path, pid: a jitdump; start as for OPENING_PERF_MAP */
	OPENING_JITDUMP = 12,
	/*
	 * pid: none; the answer's text is the process's first argument, which a process may change
	 * to show a title
	 */
	OPENING_TITLE = 13,
	/*
	 * pid, start, end: a copy of the first OPENING_CODE_BYTES from start on, in a mapping of
	 * code that has no file
	 */
	OPENING_CODE = 14,
	/*
	 * pid, time (the profile's beginning), path (the process's name): the profile's file, for
	 * writing. start = 1: instead the file of a snapshot, whose name may contain the present
	 * time
	 */
	OPENING_OUTPUT = 15,
	OPENING_CAPTURE = 16, /* the file of the capture, for writing */
	OPENING_VIEW = 17,    /* path, named by the user of the live view: the file, for writing */
	OPENING_KEEP = 18,    /* a file in TMPDIR: for data if the named file fails */
	/*
	 * Renames the file that was opened last for writing to its final name. No descriptor. The
	 * answer's text is the final name if the answer to OPENING_OUTPUT had another one.
	 */
	OPENING_COMMIT = 19,
	OPENING_ABANDON = 20, /* deletes the file opened last for writing; no descriptor */
};

enum opened_flag {
	OPENED_DELETED = 1,   /* the file is no longer at its path */
	OPENED_OTHER = 2,     /* perhaps not the mapped file: it may have been replaced */
	OPENED_PLAIN = 4,     /* not found at the path; its name is without " (deleted)" */
	OPENED_NO_ELF = 8,    /* found, but not an ELF file: no descriptor */
	OPENED_IN_PLACE = 16, /* the output is a pipe or terminal, written in place */
};

struct opening {
	uint32_t sequence;    /* repeated in the answer */
	uint32_t kind;        /* enum opening_kind */
	uint32_t pid;         /* 0: none */
	uint32_t plain_bytes; /* OPENING_MAPPED: length of @path without " (deleted)" */
	uint64_t start, end;  /* addresses of a mapping; start: see the kinds */
	uint64_t inode;       /* the inode and the device are as in /proc/PID/maps */
	uint32_t major, minor;
	uint64_t time;                    /* seconds since 1970, for a file's name */
	char path[OPENING_PATH_MOST + 1]; /* or a process's name */
};

struct opened {
	uint32_t sequence;
	int error;                               /* 0 or -errno */
	uint32_t flags;                          /* enum opened_flag */
	uint64_t device, inode, bytes, mtime_ns; /* of the file found */
	char text[OPENING_PATH_MOST + 1];        /* the name of a file, or what is wrong with it */
	int fd;                                  /* -1: none; passed beside the packet */
};

/* @to has room for OPENING_BYTES_MOST. Both return the length of the packet. */
size_t opening_put(uint8_t *to, const struct opening *opening);
size_t opened_put(uint8_t *to, const struct opened *opened);
/* Decode a packet. Return 0, or -EPROTO if it is malformed. */
int opening_get(const uint8_t *from, size_t bytes, struct opening *ret_opening);
int opened_get(const uint8_t *from, size_t bytes, struct opened *ret_opened);

#endif
