/* SPDX-License-Identifier: MIT */
/*
 * The records that the supervisor sends to the analyst: through the ring (proto/ring.h), or in a
 * capture file, which is CAPTURE_MAGIC followed by records. docs/PROTOCOL.md, section 2, has the
 * layout of each record. Pointers in the structures borrow from the record.
 */
#ifndef PROTO_RECORD_H
#define PROTO_RECORD_H

#include <stddef.h>
#include <stdint.h>

#include "proto/runtime_table.h"

#define CAPTURE_MAGIC       "SPROFCAP\x01\0\0\0\0\0\0\0"
#define CAPTURE_MAGIC_BYTES 16

#define RECORD_HEADER_BYTES  16
#define RECORD_MAX_REGISTERS 40
/* Bytes of a RECORD_SAMPLE before its registers and stack. */
#define RECORD_SAMPLE_BYTES   104
#define RECORD_MAX_TEXT_BYTES 32768

enum record_type {
	RECORD_PAD = 0,       /* fills the end of the ring; only size and type */
	RECORD_START = 1,     /* the first record of a stream */
	RECORD_PROCESS = 2,   /* a process is traced from now on; again when it calls exec */
	RECORD_EXEC = 3,      /* the image that a process runs: right after each RECORD_PROCESS */
	RECORD_MAPS = 4,      /* a piece of /proc/PID/maps, as the kernel printed it */
	RECORD_THREAD = 5,    /* a thread's name: before its first sample, and when it changes */
	RECORD_SAMPLE = 6,    /* a thread's registers and stack; flags say when it was read */
	RECORD_EXIT = 7,      /* a process is gone, or detached */
	RECORD_UNSAMPLED = 8, /* times of an executable that are in no sample */
	RECORD_AUDIT = 9,     /* the audit figures so far; the last RECORD_AUDIT counts */
	RECORD_END = 10,      /* the last record of the supervisor */
	RECORD_CPU = 11,      /* CPU time that the kernel charged to a thread */
	RECORD_SNAPSHOT = 12, /* audit figures; makes the analyst write the profile so far */
	RECORD_SERVE = 13,    /* audit figures; makes the analyst send the profile to the server */
	RECORD_RUNTIME = 14,  /* frames of a language's runtime: right before their RECORD_SAMPLE */
	RECORD_OBJECT = 15,   /* a code object of a language's runtime */
	RECORD_MEMORY = 16,   /* the answer to a REQUEST_MEMORY */
	RECORD_TYPES
};

struct record_header {
	uint32_t size; /* bytes of the whole record, a multiple of 8 */
	uint16_t type; /* enum record_type */
	uint16_t flags;
	uint64_t time_ns; /* CLOCK_MONOTONIC */
};

#define RECORD_VERSION 3
enum {
	RECORD_START_WALL = 1,       /* waiting time is recorded, too */
	RECORD_START_WALL_FIRST = 2, /* also set: period_ns is of elapsed time, not CPU time */
};
struct record_start {
	uint16_t flags;
	uint16_t machine;      /* ELF e_machine of the supervisor */
	uint64_t period_ns;    /* requested CPU (or elapsed) time between two samples */
	uint64_t realtime_ns;  /* CLOCK_REALTIME at time_ns */
	uint32_t supervisor;   /* its pid */
	uint32_t restarts;     /* number of analysts that died before this one */
	uint64_t lost_samples; /* samples lost with these analysts */
	uint64_t lost_ns;      /* CPU time of the lost samples */
	const char *command;   /* arguments separated by NULs; not NUL-terminated */
	size_t command_bytes;
};

enum {
	RECORD_PROCESS_ATTACHED = 1, /* the process existed before the supervisor attached */
	RECORD_PROCESS_FORKED = 2,   /* the process has a copy of its parent's image and maps */
};
struct record_process {
	uint32_t pid;
	uint32_t parent; /* pid of the process that created it; 0: unknown */
};

struct record_exec {
	uint32_t pid;
	const char *path; /* of the executable, as in /proc/PID/exe; NUL-terminated */
	const char *name; /* of the process (comm); NUL-terminated */
};

enum { RECORD_MAPS_LAST = 1 }; /* this is the last piece of the text */
struct record_maps {
	uint32_t pid;
	uint32_t generation; /* grows by one with every reading of a process's maps */
	uint32_t offset;     /* of this piece in the whole text */
	uint32_t bytes;      /* of this piece */
	const char *text;    /* not NUL-terminated */
};

struct record_thread {
	uint32_t pid;
	uint32_t tid;
	const char *name; /* NUL-terminated */
};

enum {
	RECORD_SAMPLE_KERNEL = 1,    /* the thread was in a system call */
	RECORD_SAMPLE_TRUNCATED = 2, /* the stack is longer than the copy */
	RECORD_SAMPLE_BLOCKED = 4,   /* blocked, read without a stop; weight_ns is 0 */
	/*
	 * With BLOCKED: the thread is, or was until recently, at the same place as in its last
	 * BLOCKED sample. Only the times are valid.
	 */
	RECORD_SAMPLE_AGAIN = 8,
	RECORD_SAMPLE_STOPPED = 16, /* with BLOCKED or DUMP: a signal (job control) stops it */
	RECORD_SAMPLE_DUMP = 32,    /* for --dump: weight_ns is how long it was stopped */
	RECORD_SAMPLE_ASLEEP = 64,  /* fell asleep at the instant, read without a stop */
	RECORD_SAMPLE_LEFT = 128,   /* @outer is a stack that the thread has left */
};
struct record_sample {
	uint16_t flags;
	uint32_t pid, tid;
	/*
	 * Registers of the user program. fp is the frame pointer. In a system call, pc is the
	 * address behind the instruction that makes the call. pc 0: unknown, because exec or the
	 * thread's end ended the call. With BLOCKED or ASLEEP, only pc and sp are known.
	 */
	uint64_t pc, sp, fp;
	uint64_t weight_ns; /* CPU time that the sample stands for; planned before the instant */
	int32_t syscall;    /* number of the system call that the thread is in, or -1 */
	uint16_t machine;   /* ELF e_machine of the registers; a 32-bit process has its own */
	uint16_t registers; /* number of elements of @reg */
	uint32_t stack_bytes;
	uint64_t stack_base;                /* address of the first byte copied */
	uint64_t stack_limit;               /* end of the mapping that contains sp; 0: unknown */
	uint64_t queue_ns;                  /* time in the run queue that was not reported before */
	uint64_t blocked_ns;                /* time blocked that was not reported before */
	uint64_t reg[RECORD_MAX_REGISTERS]; /* in the order of the machine's DWARF numbers */
	const uint8_t *stack;
	/*
	 * A second piece of stack. outer_bytes 0: there is none.
	 *
	 * Without RECORD_SAMPLE_LEFT, it is the stack that a signal handler on an alternate stack
	 * has interrupted.
	 *
	 * With RECORD_SAMPLE_LEFT, it is the stack of a goroutine of Go. The thread has left that
	 * stack at left_sp and left_pc. left_pc 0: the thread has left it to call the vdso.
	 *
	 * With RECORD_SAMPLE_LEFT, and CHUNKS_BASE (proto/chunk_layout.h) as left_sp, it is a copy
	 * of those frames of a Java virtual thread that were in the heap. Their callee is the
	 * outermost frame on the stack: its return address is the return barrier
	 * (supervisor/target/chunks.h), and left_pc is its frame pointer.
	 */
	uint32_t outer_bytes;
	uint64_t outer_base;
	uint64_t left_pc, left_sp; /* with RECORD_SAMPLE_LEFT */
	const uint8_t *outer;
};

#define RECORD_EXIT_DETACHED UINT32_MAX
struct record_exit {
	uint32_t pid;
	uint32_t status;    /* wait status, or RECORD_EXIT_DETACHED */
	uint64_t kernel_ns; /* CPU time charged to its threads while they were profiled */
};

/*
 * The last RECORD_CPU for now: the thread has ended, changes its image by exec or is detached, or
 * profiling of the thread pauses (REQUEST_FREEZE, --thread-name).
 */
enum { RECORD_CPU_LAST = 1 };
struct record_cpu {
	uint32_t pid, tid;
	/*
	 * CPU time that the kernel charged to the thread since its last RECORD_CPU, or since its
	 * image began.
	 */
	uint64_t cpu_ns;
};

/*
 * Times that no sample has: those lost with an analyst that died, and waiting times of threads that
 * were never observed waiting. Each is the sum over all processes with the same executable.
 */
struct record_unsampled {
	uint64_t cpu_ns, queue_ns, blocked_ns;
	const char *path; /* NUL-terminated */
};

enum {
	RECORD_END_PIECE = 1,   /* --ring: ends a piece, which a later request may want */
	RECORD_END_UNASKED = 2, /* --ring: no profile was requested, so nothing is written */
	RECORD_END_REFUSED = 4, /* attaching to a named process failed: nothing was profiled */
	RECORD_END_ROTATED = 8  /* --rotate: the run continues in another file */
};
/* The data of a RECORD_AUDIT, RECORD_SNAPSHOT, RECORD_SERVE or RECORD_END. */
struct record_audit {
	/* Lines "key value\n", NUL-terminated. The keys are those of `sprofreport summary`. */
	const char *text;
};

enum {
	RECORD_RUNTIME_TRUNCATED = 1, /* there are more frames */
	RECORD_RUNTIME_UNREAD = 2,    /* some of the memory could not be read */
	RECORD_RUNTIME_UNKNOWN = 4,   /* the runtime does not know the thread: all below is 0 */
};
enum { RECORD_FRAME_WORDS = 1 + RUNTIME_FRAME_WORDS };
struct record_runtime {
	uint16_t flags;
	uint32_t pid, tid;
	uint32_t id; /* of the struct runtime_table with which the frames were read */
	uint32_t frames;
	uint64_t thread;                            /* address of the thread's state */
	uint64_t watch[RUNTIME_WATCH_WORDS];        /* the words at table.watch */
	uint64_t thread_word[RUNTIME_THREAD_WORDS]; /* table.thread_word of the thread's state */
	/*
	 * @frames frames, innermost first. Each has RECORD_FRAME_WORDS words: the frame's address,
	 * then the words at table.frame_word.
	 */
	const uint8_t *frame;
};

/*
 * A code object. It replaces the object that an earlier record of the process has at the same
 * address.
 */
struct record_object {
	uint32_t pid;
	uint32_t id; /* of the table */
	uint64_t address;
	uint32_t bytes;
	uint32_t text_bytes[RUNTIME_TEXTS]; /* bytes of each text with its header; may be cut */
	const uint8_t *data;                /* the object */
	const uint8_t *text[RUNTIME_TEXTS];
};

/* Memory read at the time of the record, while the process may run. */
struct record_memory {
	uint32_t pid;
	uint32_t requested; /* number of bytes */
	uint32_t bytes;     /* number of bytes that could be read, from the address on */
	uint64_t address;
	const uint8_t *data;
};

struct record {
	struct record_header header;
	union {
		struct record_start start;
		struct record_process process;
		struct record_exec exec;
		struct record_maps maps;
		struct record_thread thread;
		struct record_sample sample;
		struct record_exit exit;
		struct record_cpu cpu;
		struct record_unsampled unsampled;
		struct record_audit audit;
		struct record_runtime runtime;
		struct record_object object;
		struct record_memory memory;
	} as;
};

/*
 * record_put_…() writes a record to @to. Returns the record's size in bytes, a multiple of 8.
 * -ENOSPC: @room bytes are too few. Cuts a text after RECORD_MAX_TEXT_BYTES. record_…_bytes()
 * returns the room that a record needs. None allocates.
 */
int record_put_start(uint8_t *to, size_t room, uint64_t time_ns, const struct record_start *start);
int record_put_process(
	uint8_t *to, size_t room, uint64_t time_ns, uint16_t flags, uint32_t pid, uint32_t parent);
int record_put_exec(uint8_t *to, size_t room, uint64_t time_ns, uint32_t pid, const char *path,
	const char *name);
int record_put_maps(
	uint8_t *to, size_t room, uint64_t time_ns, uint16_t flags, const struct record_maps *maps);
int record_put_thread(
	uint8_t *to, size_t room, uint64_t time_ns, uint32_t pid, uint32_t tid, const char *name);
int record_put_exit(uint8_t *to, size_t room, uint64_t time_ns, const struct record_exit *exit);
int record_put_cpu(
	uint8_t *to, size_t room, uint64_t time_ns, uint16_t flags, const struct record_cpu *cpu);
int record_put_unsampled(
	uint8_t *to, size_t room, uint64_t time_ns, const struct record_unsampled *unsampled);
/* @type is RECORD_AUDIT, RECORD_SNAPSHOT, RECORD_SERVE or RECORD_END. */
int record_put_audit(uint8_t *to, size_t room, uint64_t time_ns, enum record_type type,
	uint16_t flags, const char *text);
int record_put_sample(
	uint8_t *to, size_t room, uint64_t time_ns, const struct record_sample *sample);
int record_put_runtime(
	uint8_t *to, size_t room, uint64_t time_ns, const struct record_runtime *runtime);
size_t record_runtime_bytes(const struct record_runtime *runtime);
int record_put_object(
	uint8_t *to, size_t room, uint64_t time_ns, const struct record_object *object);
size_t record_object_bytes(const struct record_object *object);
int record_put_memory(
	uint8_t *to, size_t room, uint64_t time_ns, const struct record_memory *memory);
size_t record_memory_bytes(const struct record_memory *memory);
size_t record_sample_bytes(const struct record_sample *sample);

/*
 * Decodes a record of exactly @bytes bytes; only its header if the type is unknown. 0; -EPROTO: the
 * record is malformed, or a RECORD_START of another version.
 */
int record_get(const uint8_t *data, size_t bytes, struct record *ret_record);

#endif
