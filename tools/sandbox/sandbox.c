/* SPDX-License-Identifier: MIT */
#include "tools/sandbox/sandbox.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <linux/capability.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef HAVE_SECCOMP
#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#endif

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

/* systemd assigns these users to running services (DynamicUser); they own no files. */
enum { USER_FIRST = 61184, USERS = 4336, USER_NOBODY = 65534 };

/*
 * RLIMIT_AS is the size of the machine's memory plus this, for mapped files (a browser's debug file
 * has 5 GiB).
 */
#define ADDRESSES_FREE (UINT64_C(16) << 30)

/* OOM_MORE raises our OOM score: the kernel kills this process before supervisor and target. */
enum { OOM_MORE = 300, OOM_MOST = 1000 };

/*
 * Connections that the process may have. NOBODY: none. SERVING: those that others open to it.
 * CONNECTING: also those that it opens.
 */
enum surroundings { NOBODY, SERVING, CONNECTING };

static void add(char text[SANDBOX_TEXT_BYTES], const char *format, ...)
	__attribute__((format(printf, 2, 3)));
static void add(char text[SANDBOX_TEXT_BYTES], const char *format, ...)
{
	size_t n = strlen(text);
	va_list args;

	n += (size_t)snprintf(text + n, SANDBOX_TEXT_BYTES - n, "%s", n ? ", " : "");
	va_start(args, format);
	if (n < SANDBOX_TEXT_BYTES)
		(void)vsnprintf(text + n, SANDBOX_TEXT_BYTES - n, format, args);
	va_end(args);
}

static void die_first(void)
{
	int fd = open("/proc/self/oom_score_adj", O_RDWR | O_CLOEXEC);
	char text[16] = "";
	int score, n;

	if (fd < 0)
		return;
	if (read(fd, text, sizeof(text) - 1) > 0) {
		score = atoi(text) + OOM_MORE;
		n = snprintf(text, sizeof(text), "%d", score > OOM_MOST ? OOM_MOST : score);
		(void)!pwrite(fd, text, (size_t)n, 0);
	}
	(void)close(fd);
}

static void bound_memory(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
	struct rlimit none = {0, 0}, now;
	rlim_t most = ADDRESSES_FREE + (rlim_t)pages * (rlim_t)page;

	(void)setrlimit(RLIMIT_CORE, &none);
	if (pages <= 0 || page <= 0 || getrlimit(RLIMIT_AS, &now) < 0 || now.rlim_cur <= most)
		return;
	now.rlim_cur = most;
	if (now.rlim_max > most)
		now.rlim_max = most;
	(void)setrlimit(RLIMIT_AS, &now);
}

/*
 * Makes the process run as @user, without groups. False: this failed, for instance because @user
 * does not exist in a user namespace with few users.
 */
static bool become(uid_t user)
{
	return setgroups(0, NULL) == 0 && setresgid(user, user, user) == 0 &&
		setresuid(user, user, user) == 0;
}

static void leave_root(struct sandbox *s)
{
	if (geteuid() != 0 && getuid() != 0)
		return;
	if (become(USER_FIRST + (uid_t)getpid() % USERS) || become(USER_NOBODY))
		add(s->holds, "user %u", geteuid());
	else
		add(s->lacks, "the user stays root (%s)", strerror(errno));
}

static void drop_capabilities(struct sandbox *s)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {0};

	(void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	if (syscall(SYS_capset, &head, none) == 0)
		add(s->holds, "no capabilities");
	else
		add(s->lacks, "capabilities stay (%s)", strerror(errno));
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0)
		add(s->holds, "no_new_privs");
	else
		add(s->lacks, "no_new_privs (%s)", strerror(errno));
}

/*
 * Empties the capability bounding set: an executed program could regain capabilities that are in
 * the set. Call this before drop_capabilities(), as it needs CAP_SETPCAP.
 */
static void drop_bounding_set(void)
{
	for (unsigned long capability = 0;
		prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0 && capability < 64; capability++)
		(void)prctl(PR_CAPBSET_DROP, capability, 0, 0, 0);
}

/* As in linux/landlock.h of Linux 6.12: the build machine's header may be older. */
struct ruleset {
	uint64_t fs, net, scoped;
};

#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#endif
#ifndef SYS_landlock_restrict_self
#define SYS_landlock_restrict_self 446
#endif

static void forbid_paths(struct sandbox *s)
{
	/* Number of file system rights, by landlock's version. */
	static const unsigned fs_rights[] = {0, 13, 14, 15, 15, 16};
	const long last = sizeof(fs_rights) / sizeof(*fs_rights) - 1;
	/* These arguments ask for landlock's version. */
	long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, 1);
	struct ruleset rules = {0};
	int fd, r;

	if (abi <= 0) {
		add(s->lacks, "landlock (%s)", strerror(errno));
		return;
	}
	rules.fs = (UINT64_C(1) << fs_rights[abi > last ? last : abi]) - 1;
	rules.net = abi >= 4 ? 3 : 0;
	rules.scoped = abi >= 6 ? 3 : 0;
	fd = (int)syscall(SYS_landlock_create_ruleset, &rules,
		abi >= 6           ? sizeof(rules)
			: abi >= 4 ? 2 * sizeof(uint64_t)
				   : sizeof(uint64_t),
		0);
	r = fd < 0 ? -1 : (int)syscall(SYS_landlock_restrict_self, fd, 0);
	if (r == 0)
		add(s->holds, "landlock %ld", abi);
	else
		add(s->lacks, "landlock (%s)", strerror(errno));
	if (fd >= 0)
		(void)close(fd);
}

#ifdef HAVE_SECCOMP
/* Calls that are harmless with any arguments. */
static const int allowed[] = {SCMP_SYS(read), SCMP_SYS(readv), SCMP_SYS(pread64), SCMP_SYS(write),
	SCMP_SYS(writev), SCMP_SYS(pwrite64), SCMP_SYS(lseek), SCMP_SYS(_llseek), SCMP_SYS(close),
	SCMP_SYS(close_range), SCMP_SYS(dup), SCMP_SYS(dup2), SCMP_SYS(dup3), SCMP_SYS(fstat),
	SCMP_SYS(fstat64), SCMP_SYS(newfstatat), SCMP_SYS(fstatat64), SCMP_SYS(statx),
	SCMP_SYS(poll), SCMP_SYS(ppoll), SCMP_SYS(select), SCMP_SYS(pselect6), SCMP_SYS(sendmsg),
	SCMP_SYS(recvmsg), SCMP_SYS(pipe), SCMP_SYS(pipe2), SCMP_SYS(eventfd2), SCMP_SYS(signalfd4),
	SCMP_SYS(munmap), SCMP_SYS(mremap), SCMP_SYS(madvise), SCMP_SYS(brk),
	SCMP_SYS(rt_sigaction), SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigreturn),
	SCMP_SYS(rt_sigtimedwait), SCMP_SYS(rt_sigpending), SCMP_SYS(sigaltstack),
	SCMP_SYS(sigreturn), SCMP_SYS(futex), SCMP_SYS(set_robust_list), SCMP_SYS(set_tid_address),
	SCMP_SYS(rseq), SCMP_SYS(sched_yield), SCMP_SYS(sched_getaffinity), SCMP_SYS(gettid),
	SCMP_SYS(getpid), SCMP_SYS(getppid), SCMP_SYS(getpgrp), SCMP_SYS(getpgid), SCMP_SYS(getsid),
	SCMP_SYS(getuid), SCMP_SYS(geteuid), SCMP_SYS(getgid), SCMP_SYS(getegid), SCMP_SYS(exit),
	SCMP_SYS(exit_group), SCMP_SYS(wait4), SCMP_SYS(waitid), SCMP_SYS(clock_gettime),
	SCMP_SYS(clock_getres), SCMP_SYS(clock_nanosleep), SCMP_SYS(nanosleep),
	SCMP_SYS(gettimeofday), SCMP_SYS(time), SCMP_SYS(setitimer), SCMP_SYS(getitimer),
	SCMP_SYS(getrandom), SCMP_SYS(sysinfo), SCMP_SYS(uname), SCMP_SYS(getrusage),
	SCMP_SYS(times), SCMP_SYS(getrlimit), SCMP_SYS(ugetrlimit), SCMP_SYS(setrlimit),
	SCMP_SYS(restart_syscall)};

/* Terminal calls. TIOCSTI, which simulates the user's input, is missing on purpose. */
static const unsigned long terminal_calls[] = {TCGETS, TCSETS, TCSETSW, TCSETSF, TIOCGWINSZ,
	TIOCGPGRP, TIOCSPGRP, TCFLSH, TCSBRK, FIONREAD, 0x802c542a, 0x402c542b, 0x402c542c,
	0x402c542d /* TCGETS2, TCSETS2, TCSETSW2, TCSETSF2 */};

/* Permitted fcntl() operations. F_SETOWN and F_SETSIG are missing on purpose: they send signals. */
static const int descriptor_calls[] = {
	F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_GET_SEALS, F_ADD_SEALS};

/* prctl() operations on this process only. PR_SET_VMA names the mappings of malloc. */
static const int own_calls[] = {PR_SET_PDEATHSIG, PR_SET_NAME, PR_GET_NAME, 0x53564d41};

/* Further permitted calls of a process with connections (SERVING or CONNECTING). */
static const int serving_calls[] = {SCMP_SYS(accept), SCMP_SYS(accept4), SCMP_SYS(recvfrom),
	SCMP_SYS(sendto), SCMP_SYS(shutdown), SCMP_SYS(getsockname), SCMP_SYS(getpeername),
	SCMP_SYS(getsockopt), SCMP_SYS(setsockopt), SCMP_SYS(epoll_create1), SCMP_SYS(epoll_ctl),
	SCMP_SYS(epoll_wait), SCMP_SYS(epoll_pwait)};

/* Further permitted calls of a process that opens connections (CONNECTING). */
static const int connecting_calls[] = {SCMP_SYS(socket), SCMP_SYS(connect), SCMP_SYS(bind),
	SCMP_SYS(socketpair), SCMP_SYS(sendmmsg), SCMP_SYS(recvmmsg), SCMP_SYS(access),
	SCMP_SYS(faccessat), SCMP_SYS(faccessat2), SCMP_SYS(stat), SCMP_SYS(lstat),
	SCMP_SYS(statfs), SCMP_SYS(fstatfs), SCMP_SYS(readlink), SCMP_SYS(readlinkat),
	SCMP_SYS(getdents64), SCMP_SYS(getcwd)};

#define LOW 0xffffffff

static int add_calls(scmp_filter_ctx filter, enum surroundings surroundings)
{
	const uint64_t writing = O_ACCMODE | O_CREAT | O_TRUNC;
	int r = 0;

	for (size_t i = 0;
		i < sizeof(serving_calls) / sizeof(*serving_calls) && surroundings != NOBODY; i++)
		(void)seccomp_rule_add(filter, SCMP_ACT_ALLOW, serving_calls[i], 0);
	if (surroundings != CONNECTING)
		return 0;
	for (size_t i = 0; i < sizeof(connecting_calls) / sizeof(*connecting_calls); i++)
		(void)seccomp_rule_add(filter, SCMP_ACT_ALLOW, connecting_calls[i], 0);
	r = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(openat), 1,
		SCMP_A2(SCMP_CMP_MASKED_EQ, writing, O_RDONLY));
	(void)seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(open), 1,
		SCMP_A1(SCMP_CMP_MASKED_EQ, writing, O_RDONLY));
	return r;
}

static int add_rules(scmp_filter_ctx filter)
{
	const uint64_t not_executed = PROT_EXEC;
	/* Forbidden flags: children get no new namespaces and no other parent than this process. */
	const uint64_t not_cloned = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC |
		CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET | CLONE_PARENT | CLONE_PTRACE;
	int r = 0;

#define ALLOW_IF(call, ...) \
	(r = r ? r : seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(call), 1, __VA_ARGS__))
	/* Errors are ignored: an old kernel, or another architecture, may lack one of the calls. */
	for (size_t i = 0; i < sizeof(allowed) / sizeof(*allowed); i++)
		(void)seccomp_rule_add(filter, SCMP_ACT_ALLOW, allowed[i], 0);
	for (size_t i = 0; i < sizeof(terminal_calls) / sizeof(*terminal_calls); i++)
		ALLOW_IF(ioctl, SCMP_A1(SCMP_CMP_MASKED_EQ, LOW, terminal_calls[i]));
	for (size_t i = 0; i < sizeof(descriptor_calls) / sizeof(*descriptor_calls); i++)
		ALLOW_IF(fcntl, SCMP_A1(SCMP_CMP_MASKED_EQ, LOW, (uint64_t)descriptor_calls[i]));
	for (size_t i = 0; i < sizeof(own_calls) / sizeof(*own_calls); i++)
		ALLOW_IF(prctl, SCMP_A0(SCMP_CMP_MASKED_EQ, LOW, (uint64_t)own_calls[i]));
	ALLOW_IF(prlimit64, SCMP_A0(SCMP_CMP_MASKED_EQ, LOW, 0));
	ALLOW_IF(mmap, SCMP_A2(SCMP_CMP_MASKED_EQ, not_executed, 0));
	ALLOW_IF(mprotect, SCMP_A2(SCMP_CMP_MASKED_EQ, not_executed, 0));
	ALLOW_IF(clone, SCMP_A0(SCMP_CMP_MASKED_EQ, not_cloned, 0));
	/* A filter cannot check the arguments of clone3(2); after ENOSYS, glibc uses clone(2). */
	r = r ? r : seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
	return r;
#undef ALLOW_IF
}

static void filter_calls(struct sandbox *s, enum surroundings surroundings)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
	int r = filter ? add_rules(filter) : -ENOMEM;

	if (r == 0)
		r = add_calls(filter, surroundings);
	if (r == 0)
		r = seccomp_load(filter);
	if (r == 0)
		add(s->holds, "seccomp");
	else
		add(s->lacks, "seccomp (%s)", strerror(-r));
	if (filter)
		seccomp_release(filter);
}
#else
static void filter_calls(struct sandbox *s, enum surroundings surroundings)
{
	(void)surroundings;
	add(s->lacks, "seccomp (built without libseccomp)");
}
#endif

static int ascending(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return x < y ? -1 : x > y;
}

/* For systems without close_range(): Linux before 5.9, or a container's filter. */
static void close_one_by_one(int from, int to)
{
	DIR *own = opendir("/proc/self/fd");
	const struct dirent *entry;

	while (own && (entry = readdir(own))) {
		/* "." and ".." give 0, which is below @from */
		int fd = atoi(entry->d_name);

		if (fd >= from && fd <= to && fd != dirfd(own))
			(void)close(fd);
	}
	if (own)
		(void)closedir(own);
}

static void close_all(int from, int to)
{
	if (close_range((unsigned)from, (unsigned)to, 0) < 0)
		close_one_by_one(from, to);
}

void sandbox_close_others(int *keep, size_t n)
{
	int from = 3;

	qsort(keep, n, sizeof(*keep), ascending);
	for (size_t i = 0; i < n; i++) {
		if (keep[i] < from)
			continue;
		if (keep[i] > from)
			close_all(from, keep[i] - 1);
		from = keep[i] + 1;
	}
	close_all(from, INT_MAX);
}

static void enter(struct sandbox *s, enum surroundings surroundings)
{
	*s = (struct sandbox){0};
	if (SANITIZED) {
		add(s->lacks, "all of it (built with a sanitizer, or for coverage)");
		return;
	}
	die_first();
	bound_memory();
	drop_bounding_set();
	leave_root(s);
	drop_capabilities(s);
	if (surroundings != CONNECTING)
		forbid_paths(s);
	filter_calls(s, surroundings);
}

void sandbox_enter(struct sandbox *s)
{
	enter(s, NOBODY);
}

void sandbox_enter_serving(struct sandbox *s)
{
	enter(s, SERVING);
}

void sandbox_enter_connecting(struct sandbox *s)
{
	enter(s, CONNECTING);
}
