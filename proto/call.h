/* SPDX-License-Identifier: MIT */
/*
 * The messages between a program that calls sprofil or profil (client/) and its supervisor. All
 * callers share the request pipe; each call has an answer pipe of its own. If no supervisor traces
 * the program, the library starts one, a helper (client/start.c).
 *
 * Integers are little-endian. A request is one write of at most CALL_MAX_BYTES bytes, so the
 * kernel does not mix it with requests of other threads. A larger table is sent in several
 * requests, in order, with one nonce.
 *
 * Request
 *   offset  size  field
 *        0     4  magic           "SPRQ"
 *        4     2  version         CALL_VERSION
 *        6     2  size            bytes of this message
 *        8     4  checksum        FNV-1a (32 bits) of the message with these 4 bytes taken as 0
 *       12     4  pid             of the caller, in its own pid namespace
 *       16     4  tid             of the calling thread, in its own pid namespace
 *       20     4  answer          descriptor of the answer pipe's write end in the caller
 *       24     8  nonce           random; repeated in the seal
 *       32     8  seal            address of the seal in the caller's memory
 *       40     4  total           regions of the whole table; 0 turns profiling off
 *       44     4  first           number of regions sent before this message
 *       48     2  count           regions in this message
 *       50     1  dialect         enum call_dialect
 *       51     1  element         bytes of a counter: 2, 4 or 8
 *       52     4  flags           enum call_flags; bits 8 to 31: the tick, in units of 10 us
 *       56     -  regions
 *
 * Region
 *        0     8  base            address of the first counter
 *        8     8  bytes           of the buffer
 *       16     8  offset          address of the first instruction
 *       24     8  limit           address behind the last instruction, 0: as far as the buffer goes
 *       32     4  scale
 *       36     4  -               0
 *
 * Seal: in the caller's memory during the call. The supervisor refuses a request without it:
 * another process can write to the pipe, but does not know the nonce.
 *        0     8  magic           "SPRFSEAL"
 *        8     8  nonce
 *       16     8  address         of this seal
 *       24     4  pid             as in the request
 *       28     4  tid
 *
 * Answer
 *        0     4  magic           "SPRA"
 *        4     2  version         CALL_VERSION
 *        6     2  size            CALL_ANSWER_BYTES
 *        8     8  nonce           of the request; 0 in a helper's first answer
 *       16     4  error           0, or an errno value
 *       20     4  descriptor      helper's first answer: of its request pipe, in the helper
 *       24     8  tick_ns         CPU time of one count
 *       32     8  inode           helper's first answer: of its request pipe
 *
 * Status: behind the answer, in the same write, if the request had CALL_STATUS or turned profiling
 * off. Ticks are counted since the table came into force.
 *        0     4  magic           "SPRT"
 *        4     2  version         CALL_VERSION
 *        6     2  size            CALL_STATUS_BYTES
 *        8     4  state           enum call_state
 *       12     4  reason          enum call_reason
 *       16     4  regions         of the table
 *       20     4  dead            of these, turned off: a counter was inaccessible
 *       24     8  tick_ns         CPU time of one count
 *       32     8  counted         ticks added to counters
 *       40     8  outside         ticks for which no region has a counter
 *       48     8  full            ticks whose counter was full
 *       56     8  faulted         ticks whose counter was inaccessible
 *       64     8  lost            ticks that could not be counted in time
 *       72     4  first dead      index of the first dead region, UINT32_MAX: none; the next ones
 *                                 follow, 4 bytes each, CALL_DEAD_LISTED in all
 *
 * Turning off without a pipe, for a caller that can no longer read /proc (setuid, chroot,
 * PR_SET_DUMPABLE): it sends itself a signal that it ignores, by
 *
 *   tgkill(pid, tid, signal, CALL_OFF_FIRST, CALL_OFF_SECOND)
 *
 * whose last two arguments the kernel ignores. The supervisor finds both in the registers at the
 * signal-delivery-stop, turns profiling off for the process, and sets the call's result to
 * CALL_OFF_DONE. A result of 0 proves that no supervisor traces this thread. No other process can
 * forge the request, because the registers are the caller's own. It works where that stop shows
 * the number of the system call (CALL_HAS_OFF): x86-64, aarch64.
 *
 * A caller that is not dumpable first sends CALL_ASK_SECOND in place of CALL_OFF_SECOND: can the
 * supervisor access its memory? The result is CALL_ASK_YES or CALL_ASK_NO. A supervisor without
 * CAP_SYS_PTRACE cannot: it would never answer a request by the pipe.
 *
 * Nothing here allocates or does I/O.
 */
#ifndef PROTO_CALL_H
#define PROTO_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CALL_VERSION        1
#define CALL_MAX_BYTES      4096 /* PIPE_BUF of Linux */
#define CALL_HEADER_BYTES   56
#define CALL_REGION_BYTES   40
#define CALL_SEAL_BYTES     32
#define CALL_ANSWER_BYTES   40
#define CALL_DEAD_LISTED    14
#define CALL_STATUS_BYTES   128
#define CALL_MAX_REGIONS    65536 /* PROFIL_MAX: regions of a table */
#define CALL_REGIONS_EACH   ((CALL_MAX_BYTES - CALL_HEADER_BYTES) / CALL_REGION_BYTES)
#define CALL_SUPERVISOR_ENV "SPROFIL_SUPERVISOR"
#define CALL_RESTRICT_ENV   "SPROFIL_RESTRICT_FASTPROF"

/*
 * The caller finds the request pipe of its tracer by the name of a memfd, for example
 * "sprofil-calls:7:81234": descriptor and inode of the pipe. /proc/PID/fd shows the memfd as
 * "/memfd:sprofil-calls:7:81234 (deleted)".
 */
#define CALL_MARK "sprofil-calls"

#define CALL_OFF_FIRST  UINT64_C(0x6c69666f72707321) /* "!sprofil" */
#define CALL_OFF_SECOND UINT64_C(0x66666f2065622174) /* "t!be off" */
#define CALL_OFF_DONE   0x66666f                     /* "off" */
#define CALL_ASK_SECOND UINT64_C(0x3f3f656d20656573) /* "see me??", after CALL_OFF_FIRST */
#define CALL_ASK_YES    0x736579                     /* "yes" */
#define CALL_ASK_NO     0x6f6e                       /* "no" */
#if (defined(__x86_64__) || defined(__aarch64__)) && defined(__LP64__)
#define CALL_HAS_OFF 1
#else
#define CALL_HAS_OFF 0
#endif

enum call_dialect {
	CALL_NATIVE = 0,
	CALL_HPUX = 1,
	CALL_IRIX = 2,
	CALL_AIX = 3,
	CALL_SYSV = 4,
	CALL_GLIBC = 5,
	CALL_DIALECTS
};

enum call_flags {
	CALL_FAST = 1,    /* one count per millisecond */
	CALL_PLAIN = 2,   /* a region of offset 0 and scale 2 is not an overflow bin */
	CALL_STATUS = 4,  /* requests only the status of profiling; @total is 0 */
	CALL_USER = 8,    /* ticks in system calls are not counted */
	CALL_THREAD = 16, /* a table for the calling thread, beside that of the process */
	CALL_WALL = 32,   /* counts elapsed time, also while blocked, instead of CPU time */
	CALL_ALL_FLAGS = 63
};

/* The upper 24 bits of the flags: the tick, in units of 10 us; 0: the dialect's tick. */
#define CALL_TICK_SHIFT   8
#define CALL_TICK_UNIT_NS UINT64_C(10000)
#define CALL_TICK_LEAST   10      /* 100 us */
#define CALL_TICK_MOST    1000000 /* 10 s */

enum call_state {
	CALL_IS_OFF = 0,
	CALL_IS_ON = 1,
	CALL_HAS_ENDED = 2, /* profiling has ended without a call; enum call_reason says why */
	CALL_STATES
};

enum call_reason {
	CALL_NO_REASON = 0,
	CALL_FAULT = 1,  /* a counter was inaccessible */
	CALL_FULL = 2,   /* System V: a counter reached 32767 */
	CALL_HIDDEN = 3, /* the program's memory is inaccessible to the supervisor */
	CALL_GONE = 4,   /* the supervisor has ended: never sent, the client notices it */
	CALL_REASONS
};

/* The fields of these structures are described in the messages above. */
struct call_region {
	uint64_t base;
	uint64_t bytes;
	uint64_t offset;
	uint64_t limit;
	uint32_t scale;
};

struct call_request {
	uint32_t pid, tid;
	int32_t answer;
	uint64_t nonce;
	uint64_t seal;
	uint32_t total, first;
	uint16_t count;
	uint8_t dialect;
	uint8_t element;
	uint32_t flags;
	const uint8_t *regions; /* when decoded: borrowed, read with call_get_region() */
};

struct call_answer {
	uint64_t nonce;
	int32_t error;
	int32_t descriptor;
	uint64_t tick_ns;
	uint64_t inode;
};

struct call_status {
	enum call_state state;
	enum call_reason reason;
	uint32_t regions, dead;
	uint64_t tick_ns;
	uint64_t counted, outside, full, faulted, lost;
	uint32_t first_dead[CALL_DEAD_LISTED];
};

/* Returns the CPU time of one count, in ns. @dialect < CALL_DIALECTS. */
uint64_t call_period_ns(enum call_dialect dialect, uint32_t flags);

/*
 * Writes a request with @request->count regions. Returns its size. -ENOSPC: it does not fit into
 * @room or CALL_MAX_BYTES; -EINVAL: call_get_request() would refuse it.
 */
int call_put_request(uint8_t *to, size_t room, const struct call_request *request,
	const struct call_region *regions);

/* Decodes one request of exactly @bytes bytes. 0, or -EPROTO: malformed. */
int call_get_request(const uint8_t *data, size_t bytes, struct call_request *ret_request);

/* Returns region @i, less than @request->count, of a decoded request. */
struct call_region call_get_region(const struct call_request *request, unsigned i);

/*
 * Finds the next request in data read from the pipe, and skips bytes that are not a request.
 * @drained: the pipe is empty, so no more bytes of an incomplete request at the end will come.
 * Returns 1 if it set *@ret_request, which borrows from @data, or 0 if there is none. Either way,
 * *@ret_used is the number of bytes to remove from the front.
 */
int call_scan(const uint8_t *data, size_t bytes, bool drained, struct call_request *ret_request,
	size_t *ret_used);

/* Writes CALL_SEAL_BYTES to @to. */
void call_put_seal(uint8_t *to, const struct call_request *request);
/* Is @seal, CALL_SEAL_BYTES read from the sender's memory, the seal of @request? */
bool call_seal_is_good(const uint8_t *seal, const struct call_request *request);

/* Encoders return the size, or -ENOSPC if @room is smaller; decoders 0 or -EPROTO (malformed). */
int call_put_answer(uint8_t *to, size_t room, const struct call_answer *answer);
int call_get_answer(const uint8_t *data, size_t bytes, struct call_answer *ret_answer);
int call_put_status(uint8_t *to, size_t room, const struct call_status *status);
int call_get_status(const uint8_t *data, size_t bytes, struct call_status *ret_status);

/*
 * Assembles a table from the requests of one thread. The caller owns the storage of the regions:
 *
 *   if (call_assembly_starts(&request)) {
 *           a = (struct call_assembly){.region = room for request.total regions};
 *           call_assembly_begin(&a, &request);
 *   }
 *   done = call_assembly_add(&a, &request);
 */
struct call_assembly {
	struct call_request head;   /* the first request; its @regions is NULL */
	uint32_t have;              /* regions so far */
	struct call_region *region; /* room for head.total regions */
};

static inline bool call_assembly_starts(const struct call_request *request)
{
	return request->first == 0;
}

void call_assembly_begin(struct call_assembly *a, const struct call_request *request);

/*
 * Adds a request. Returns 1 if the table is complete, 0 if more requests must follow (a repeated
 * one changes nothing). -EPROTO: the request does not continue the table, so drop the assembly.
 */
int call_assembly_add(struct call_assembly *a, const struct call_request *request);

#endif
