/* SPDX-License-Identifier: MIT */
/*
 * The messages between a program that calls sprofil or profil (client/) and its supervisor.
 * docs/PROTOCOL.md, section 1, says how the two find each other and talk, and has the layout of
 * each message. Nothing here allocates or does I/O.
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
 * The caller finds the request pipe of its tracer by the name of a memfd of the tracer, for example
 * "sprofil-calls:7:81234": the pipe's descriptor in the tracer is 7, its inode is 81234.
 * /proc/PID/fd shows this memfd as "/memfd:sprofil-calls:7:81234 (deleted)".
 */
#define CALL_MARK "sprofil-calls"

/*
 * A program can ask its supervisor without a pipe: it calls tgkill() with CALL_OFF_FIRST and a
 * second constant as the last two arguments, and the supervisor sets the result of the call.
 * CALL_OFF_SECOND turns profiling off; the result is CALL_OFF_DONE. By CALL_ASK_SECOND a program
 * that is not dumpable asks whether the supervisor can access its memory, before it turns profiling
 * on. A result of 0 proves that no supervisor traces the thread. Both requests work only on
 * machines on which a signal-delivery-stop shows the number of the system call (CALL_HAS_OFF).
 */
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
	CALL_PLAIN = 2,   /* no overflow bin: a region of offset 0 and scale 2 is an ordinary one */
	CALL_STATUS = 4,  /* asks only how profiling stands; @total must be 0 */
	CALL_USER = 8,    /* ticks in system calls are not counted */
	CALL_THREAD = 16, /* a table for the calling thread, beside that of the process */
	CALL_WALL = 32,   /* counts elapsed time, also while blocked, instead of CPU time */
	CALL_ALL_FLAGS = 63
};

/*
 * The upper 24 bits of the flags are the time of one count, in units of 10 us. 0: the dialect
 * decides.
 */
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
	CALL_GONE = 4,   /* the supervisor has ended; the client finds this out itself */
	CALL_REASONS
};

struct call_region {
	uint64_t base;   /* address of the first counter */
	uint64_t bytes;  /* of the buffer */
	uint64_t offset; /* address of the first instruction */
	uint64_t limit;  /* address behind the last instruction; 0: as far as the buffer goes */
	uint32_t scale;
};

struct call_request {
	uint32_t pid, tid;      /* of the caller, in its own pid namespace */
	int32_t answer;         /* descriptor of the answer pipe's write end in the caller */
	uint64_t nonce;         /* random; the seal (call_put_seal()) repeats it */
	uint64_t seal;          /* address of the seal, which proves who sent the request */
	uint32_t total;         /* regions of the whole table; 0 turns profiling off */
	uint32_t first;         /* number of regions sent before this message */
	uint16_t count;         /* regions in this message */
	uint8_t dialect;        /* enum call_dialect */
	uint8_t element;        /* bytes of a counter: 2, 4 or 8 */
	uint32_t flags;         /* enum call_flags; upper bits: CALL_TICK_SHIFT */
	const uint8_t *regions; /* when decoded: borrowed, read with call_get_region() */
};

struct call_answer {
	uint64_t nonce;     /* of the request; 0: a new supervisor's first answer */
	int32_t error;      /* 0, or an errno value */
	int32_t descriptor; /* first answer: the supervisor's descriptor of its request pipe */
	uint64_t tick_ns;   /* time of one count; CPU time unless CALL_WALL */
	uint64_t inode;     /* first answer: inode of the request pipe */
};

struct call_status {
	enum call_state state;
	enum call_reason reason;
	uint32_t regions; /* of the table */
	uint32_t dead;    /* regions turned off because a counter was inaccessible */
	uint64_t tick_ns; /* time of one count; CPU time unless CALL_WALL */
	/* Ticks since the table came into force: */
	uint64_t counted;                      /* added to counters */
	uint64_t outside;                      /* not counted: no region has a counter for them */
	uint64_t full;                         /* not counted: their counter was full */
	uint64_t faulted;                      /* not counted: their counter was inaccessible */
	uint64_t lost;                         /* lost before they could be counted */
	uint32_t first_dead[CALL_DEAD_LISTED]; /* indexes of dead regions; UINT32_MAX: none */
};

/*
 * Returns the time of one count in ns: CPU time, or elapsed time with CALL_WALL. @dialect must be
 * less than CALL_DIALECTS.
 */
uint64_t call_period_ns(enum call_dialect dialect, uint32_t flags);

/*
 * Writes a request with @request->count regions. Returns its size. -ENOSPC: it does not fit into
 * @room or CALL_MAX_BYTES; -EINVAL: a field is out of range or contradicts another field, so that
 * call_get_request() would refuse the request.
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
 * Assembles a table from the requests of one thread. For each request (the caller allocates and
 * frees a.region; @done is 1 when the table is complete):
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
 * Adds a request. Returns 1 if the table is complete, 0 if more requests must follow. Regions that
 * the table has already are ignored. -EPROTO: the request does not continue the table, so drop the
 * assembly.
 */
int call_assembly_add(struct call_assembly *a, const struct call_request *request);

#endif
