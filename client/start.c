/* SPDX-License-Identifier: MIT */
/*
 * Starts the helper unnoticed by the program. The program would notice a direct child: its end
 * sends SIGCHLD, and waitpid(-1) returns it, because exec resets the exit signal to SIGCHLD. So
 * there is an intermediate process, cloned with exit signal 0, that never calls exec: only a wait
 * with __WCLONE or __WALL sees it. It creates the helper and ends; the helper is reparented to
 * init. If orphans are reparented to the program itself (pid 1 of a container, or a subreaper), the
 * intermediate process stays until the helper ends.
 *
 * The helper has its own session, none of our descriptors and nothing of our environment.
 */
#include "client/client.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <linux/futex.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client/include/sprofil/status.h"

#define STACK_BYTES 65536
#define READY_MS    10000

/*
 * An intermediate process that stays until its helper ends. After that, the process is reaped, and
 * its stack is unmapped. This structure is at the stack's lowest address.
 */
struct between {
	struct between *next;
	int pid, parent; /* @parent: the process that has started it */
};

/* The intermediate processes not reaped yet. A helper may end long after it stopped tracing. */
static _Atomic(struct between *) betweens;

/* Path of the helper that was installed with this library, found at load time. "": none. */
static char installed_path[PATH_MAX];

/*
 * Can only root and the library's owner change the file @st, or the entries of the folder @st? @own
 * is the library. @sticky: others may write to @st, but cannot replace the entry that counts.
 */
static bool is_ours(const struct stat *st, const struct stat *own, bool sticky)
{
	if (st->st_uid != 0 && st->st_uid != own->st_uid)
		return false;
	return sticky ||
		!(st->st_mode & S_IWOTH ||
			(st->st_mode & S_IWGRP && st->st_gid != 0 && st->st_gid != own->st_gid));
}

/*
 * Is the helper at @path as trustworthy as the file @library? In a shared folder such as /tmp,
 * another user may have put a program or a link there. So no folder on the way may be a link, or
 * let others replace its entry on the path. A sticky folder protects an entry that is a folder, but
 * not a file: others could make a hard link of that name. @path is changed during the call.
 */
static bool is_trusted(char *path, const char *library)
{
	struct stat st, own;

	if (stat(library, &own) < 0)
		return false;
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		bool good, sticky;

		*slash = '\0';
		good = lstat(path, &st) == 0 && S_ISDIR(st.st_mode);
		*slash = '/';
		sticky = good && st.st_mode & S_ISVTX && strchr(slash + 1, '/');
		if (!good || !is_ours(&st, &own, sticky))
			return false;
	}
	return lstat(path, &st) == 0 && S_ISREG(st.st_mode) && is_ours(&st, &own, false) &&
		access(path, X_OK) == 0;
}

/*
 * Sets installed_path; it stays empty if no helper is there. The system knows only the path of a
 * shared library. The path of a program is argv[0], which the user of a set-user-ID program
 * chooses. installed_path is absolute: the program may change its folder. (test: test_installed.sh)
 */
static void find_installed(void)
{
	static const char from_library[] = SPROFIL_LIBDIR_TO_SUPERVISOR;
	const size_t up = strspn(from_library, "./");
	Dl_info info;
	struct link_map *map = NULL;
	const char *slash;
	char prefix[PATH_MAX], path[PATH_MAX];
	int n;

	if (!dladdr1((const void *)&client_start, &info, (void **)&map, RTLD_DL_LINKMAP) || !map)
		return;
	slash = strrchr(map->l_name, '/');
	if (!slash)
		return;
	n = snprintf(path, sizeof(path), "%.*s/%.*s", (int)(slash - map->l_name), map->l_name,
		(int)up, from_library);
	if (n < 0 || (size_t)n >= sizeof(path) || !realpath(path, prefix))
		return;
	n = snprintf(installed_path, sizeof(installed_path), "%s/%s", prefix, from_library + up);
	if (n < 0 || (size_t)n >= sizeof(installed_path) ||
		!is_trusted(installed_path, map->l_name))
		installed_path[0] = '\0';
}

/* Runs when the library is loaded, because dladdr1 is not async-signal-safe. */
__attribute__((constructor)) static void loaded(void)
{
	int error = errno; /* main() must begin with errno 0 */

	find_installed();
	errno = error;
}

static const char *supervisor_path(char given[PATH_MAX])
{
	/* A set-user-ID program does not trust its environment. */
	if (!getauxval(AT_SECURE) && client_environment(CALL_SUPERVISOR_ENV, given, PATH_MAX) > 0)
		return given;
	/* An upgrade may have removed the folder since the library was loaded. */
	return installed_path[0] && access(installed_path, X_OK) == 0 ? installed_path
								      : SPROFIL_SUPERVISOR_PATH;
}

struct start {
	const char *path;
	char *argv[6];
	int ready_fd, go_fd;
	bool stay;   /* orphans are reparented to the program: the intermediate process stays */
	char *stack; /* the helper's stack until its exec; above it, the intermediate process's */
	_Atomic uint32_t helper; /* the helper's pid, or -errno if it could not be created */
};

/*
 * For functions that run on a mapped stack and never return. AddressSanitizer's marks around their
 * variables would stay on that memory, which is unmapped soon and may be mapped again.
 */
#define ON_BORROWED_STACK __attribute__((no_sanitize("address")))

/*
 * The helper between clone and exec. It has its own descriptor table, but runs in the program's
 * memory while its parent waits. All signals are blocked. Only system calls are possible.
 */
ON_BORROWED_STACK static int become_helper(void *context)
{
	struct start *start = context;
	char *const environment[] = {NULL};

	(void)fcntl(start->ready_fd, F_SETFD, 0);
	(void)fcntl(start->go_fd, F_SETFD, 0);
	(void)setsid();
	(void)execve(start->path, start->argv, environment);
	_exit(127);
}

ON_BORROWED_STACK static void close_all(void)
{
	/* A pipe of the program would not end while this process holds a descriptor of it. */
	if (syscall(SYS_close_range, 0, UINT_MAX, 0) < 0)
		for (int fd = 0; fd < 65536; fd++)
			(void)syscall(SYS_close, fd);
}

/*
 * The intermediate process; like become_helper(), it can only make system calls. It shares errno
 * with the thread that created it, so no call may fail once that thread continues. The wait would
 * fail if SIGCHLD were ignored: so SIGCHLD gets its default disposition.
 */
ON_BORROWED_STACK static int stand_between(void *context)
{
	/* The kernel's struct sigaction; all 0 is the default disposition. */
	static const uint64_t by_default[4];
	struct start *start = context;
	bool stay = start->stay;
	int pid;

	(void)syscall(SYS_rt_sigaction, SIGCHLD, by_default, NULL, sizeof(uint64_t));
	pid = clone(
		become_helper, start->stack + STACK_BYTES, CLONE_VM | CLONE_VFORK | SIGCHLD, start);
	if (pid < 0)
		pid = -errno;
	else if (stay)
		close_all();
	/* Now *@start may cease to exist: the futex call uses only its address. */
	atomic_store(&start->helper, (uint32_t)pid);
	(void)syscall(SYS_futex, &start->helper, FUTEX_WAKE, 1, NULL, NULL, 0);
	if (stay && pid > 0)
		(void)syscall(SYS_wait4, pid, NULL, __WALL, NULL);
	_exit(0);
}

static void put_decimal(char to[12], int n)
{
	char digits[12];
	unsigned i = 0;

	do
		digits[i++] = (char)('0' + n % 10);
	while (n /= 10);
	while (i)
		*to++ = digits[--i];
	*to = '\0';
}

/* Are orphans reparented to this process? */
static bool init_is_us(void)
{
	int subreaper = 0;

	return getpid() == 1 || (prctl(PR_GET_CHILD_SUBREAPER, &subreaper) == 0 && subreaper);
}

/*
 * Creates the intermediate process and returns its pid, or -errno. Sets start->helper to the
 * helper's pid, or -errno. If the intermediate process stays, the caller unmaps its stack, which
 * begins at start->stack + STACK_BYTES, after that process has ended.
 */
static int spawn(struct start *start)
{
	char *stack = mmap(NULL, 2 * STACK_BYTES, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
	int pid, flags = start->stay ? CLONE_VM : CLONE_VM | CLONE_VFORK;
	sigset_t all, mask;

	if (stack == MAP_FAILED)
		return -ENOMEM;
	start->stack = stack;
	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_BLOCK, &all, &mask);
	pid = clone(stand_between, stack + 2 * STACK_BYTES, flags, start);
	if (pid < 0)
		pid = -errno;
	while (pid > 0 && atomic_load(&start->helper) == 0)
		(void)syscall(SYS_futex, &start->helper, FUTEX_WAIT, 0, NULL, NULL, 0);
	(void)pthread_sigmask(SIG_SETMASK, &mask, NULL);
	/*
	 * The helper's stack is free since its exec; an intermediate process that stays keeps its.
	 */
	(void)munmap(stack, pid > 0 && start->stay ? STACK_BYTES : 2 * STACK_BYTES);
	return pid;
}

/*
 * Waits for the helper's message: does it trace us, and which descriptor is its pipe? 0; -EBUSY:
 * another supervisor traces us; -EMFILE, -ENFILE, -EAGAIN, -ENOMEM: the helper has too few
 * descriptors or can create no thread; -ETIMEDOUT: no message came; -EPERM: any other failure.
 */
static int await_helper(int pid, int pidfd, int ready_fd)
{
	uint8_t data[CALL_ANSWER_BYTES];
	struct call_answer answer;
	/* The pidfd shows the helper's end, even if a forked child holds the pipe open. */
	struct pollfd fds[2] = {
		{.fd = ready_fd, .events = POLLIN}, {.fd = pidfd, .events = POLLIN}};
	int n = client_poll(fds, 2, client_now_ms() + READY_MS);

	if (n <= 0)
		return n == 0 ? -ETIMEDOUT : -EPERM;
	if (read(ready_fd, data, sizeof(data)) != (ssize_t)sizeof(data) ||
		call_get_answer(data, sizeof(data), &answer) < 0) {
		client_note_refusal(SPROFIL_NO_HELPER);
		return -EPERM;
	}
	if (answer.error == EMFILE || answer.error == ENFILE || answer.error == EAGAIN ||
		answer.error == ENOMEM)
		return -answer.error;
	if (answer.error) {
		client_note_refusal(SPROFIL_REFUSED);
		return answer.error == EBUSY ? -EBUSY : -EPERM;
	}
	client_remember((uint32_t)pid, answer.descriptor, answer.inode);
	return 0;
}

static void note_between(struct between *between)
{
	struct between *first = atomic_load(&betweens);

	do
		between->next = first;
	while (!atomic_compare_exchange_weak(&betweens, &first, between));
}

/* Does the result @r of waitpid() say that @pid is gone? (Not if a seccomp filter refused it.) */
static bool is_gone(int pid, int r)
{
	return r == pid || (r < 0 && errno == ECHILD);
}

/*
 * Reaps the intermediate processes that have ended. In a forked child, the processes of the parent
 * stay listed: after vfork() their stacks are in use. Meanwhile, other threads and signal handlers
 * may find the list empty.
 */
static void bury_ended(void)
{
	struct between *between = atomic_exchange(&betweens, NULL), *next;

	for (; between; between = next) {
		next = between->next;
		if (between->parent == getpid() &&
			is_gone(between->pid,
				waitpid(between->pid, NULL, WNOHANG | __WCLONE)))
			(void)munmap(between, STACK_BYTES);
		else
			note_between(between);
	}
}

/* Waits for the intermediate process, whatever signals come. False: it may still live. */
static bool reap(int between)
{
	int r;

	do
		r = waitpid(between, NULL, __WCLONE);
	while (r < 0 && errno == EINTR);
	return is_gone(between, r);
}

/* Errors that sprofil(3) does not document become -EPERM. */
static int pid_or_error(int pid)
{
	if (pid > 0 || pid == -EAGAIN || pid == -ENOMEM)
		return pid;
	client_note_refusal(SPROFIL_NO_HELPER);
	return -EPERM;
}

static int release_helper(int helper, int ready[2], int go[2])
{
	int r = -EPERM, pidfd = (int)syscall(SYS_pidfd_open, helper, 0);

	/* Permits the helper to trace us where Yama restricts ptrace to descendants. */
	(void)prctl(PR_SET_PTRACER, (unsigned long)helper, 0, 0, 0);
	(void)close(ready[1]);
	ready[1] = -1;
	if (write(go[1], "g", 1) == 1)
		r = await_helper(helper, pidfd, ready[0]);
	if (pidfd >= 0)
		(void)close(pidfd);
	return r;
}

static int start_with(const char *path, int ready[2], int go[2])
{
	char pid_text[12], ready_text[12], go_text[12];
	struct start start = {.path = path,
		.argv = {(char *)"sprofil-supervisor", (char *)"--serve", pid_text, ready_text,
			go_text},
		.ready_fd = ready[1],
		.go_fd = go[0],
		.stay = init_is_us()};
	struct between *stack;
	int between, r;

	put_decimal(pid_text, (int)getpid());
	put_decimal(ready_text, ready[1]);
	put_decimal(go_text, go[0]);
	between = spawn(&start);
	if (between < 0)
		return pid_or_error(between);
	r = pid_or_error((int)atomic_load(&start.helper));
	if (r > 0)
		r = release_helper(r, ready, go);
	stack = (struct between *)(void *)(start.stack + STACK_BYTES);
	if (start.stay && r == 0) {
		*stack = (struct between){.pid = between, .parent = getpid()};
		note_between(stack);
		return 0;
	}
	/* The intermediate process has ended, or ends with its helper. */
	if (reap(between) && start.stay)
		(void)munmap(stack, STACK_BYTES);
	return r;
}

int client_start(void)
{
	char given[PATH_MAX];
	/* Done before the pipes are opened: to read the environment takes two descriptors. */
	const char *path = supervisor_path(given);
	int ready[2], go[2], r;

	/* In a foreign /proc, the helper would trace another process that has our pid there. */
	r = client_check_proc();
	if (r == -ENODATA) {
		client_note_refusal(SPROFIL_FOREIGN_PROC);
		return -EPERM;
	}
	if (r < 0)
		return r;
	if (pipe2(ready, O_CLOEXEC | O_NONBLOCK) < 0)
		return -errno;
	if (pipe2(go, O_CLOEXEC) < 0) {
		r = -errno;
		(void)close(ready[0]);
		(void)close(ready[1]);
		return r;
	}
	bury_ended();
	/* go[0] stays open here, so that the write to go[1] cannot raise SIGPIPE. */
	r = start_with(path, ready, go);
	(void)close(ready[0]);
	if (ready[1] >= 0)
		(void)close(ready[1]);
	(void)close(go[0]);
	(void)close(go[1]);
	return r;
}
