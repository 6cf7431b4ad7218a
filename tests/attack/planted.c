/* SPDX-License-Identifier: MIT */
/*
 * Code that an attacker could run in a parser, through a fault of the parser. Runs when the parser
 * reads a file that ends with "PLANTED TARGET BYSTANDER FOLDER START END MAJOR MINOR INODE": pids
 * of the profiled process and of another one, a folder with files to break, and two mappings of the
 * bystander: the vdso (START, END) and a file (MAJOR, MINOR, INODE). Attempts each thing that the
 * sandbox should prevent, prints on stderr whether it worked, for example "planted: NAME: refused
 * (Operation not permitted)", then crashes, as such attacks do.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/io_uring.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "opener/opener.h"

void planted_fault(const uint8_t *data, size_t bytes);

static void tell(const char *name, long result)
{
	if (result >= 0)
		(void)fprintf(stderr, "planted: %s: DONE\n", name);
	else
		(void)fprintf(stderr, "planted: %s: refused (%s)\n", name, strerror(errno));
}

static void try_files(const char *folder)
{
	char path[256];

	(void)snprintf(path, sizeof(path), "%.200s/planted", folder);
	tell("open", open("/etc/passwd", O_RDONLY));
	tell("open by hand", syscall(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY));
	tell("create", open(path, O_RDWR | O_CREAT, 0666));
	tell("mkdir", mkdir(path, 0777));
	tell("unlink", unlink(path));
	tell("chmod of a descriptor", fchmod(STDERR_FILENO, 04755));
	tell("memfd", memfd_create("x", 0));
	for (int fd = 3; fd < 64; fd++) {
		if (pread(fd, path, 6, 0) == 6 && memcmp(path, "secret", 6) == 0)
			tell("a descriptor of the user", fd);
	}
}

static void try_net(void)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(9)};
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	tell("socket", fd);
	tell("unix socket", socket(AF_UNIX, SOCK_STREAM, 0));
	for (int i = 0; i < 16; i++) {
		if (connect(i, (struct sockaddr *)&to, sizeof(to)) == 0 || errno == ECONNREFUSED)
			tell("connect", 0);
	}
}

static void try_exec(const char *folder)
{
	char command[300];
	char *const argv[] = {(char *)"sh", (char *)"-c", command, NULL};
	char *const none[] = {NULL};
	int status = 0;
	pid_t pid = fork();

	(void)snprintf(command, sizeof(command), "touch %.200s/planted", folder);
	if (pid == 0) {
		tell("exec", execve("/bin/sh", argv, none));
		tell("execveat", syscall(SYS_execveat, AT_FDCWD, "/bin/sh", argv, none, 0));
		_exit(0);
	}
	(void)waitpid(pid, &status, 0);
	tell("code of its own",
		mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS,
			-1, 0) == MAP_FAILED
			? -1
			: 0);
}

static void try_process(const char *whose, pid_t pid)
{
	char name[64], word[8];
	struct iovec local = {word, sizeof(word)}, remote = {(void *)&tell, sizeof(word)};
	struct rlimit limit = {0, 0};
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
#define TRY(what, call) \
	((void)snprintf(name, sizeof(name), "%s of the %s", what, whose), tell(name, (call)))
	TRY("ptrace", ptrace(PTRACE_SEIZE, pid, 0, 0));
	TRY("kill", kill(pid, SIGKILL));
	TRY("tgkill", syscall(SYS_tgkill, pid, pid, SIGKILL));
	TRY("queued signal", sigqueue(pid, SIGKILL, (union sigval){0}));
	TRY("pidfd", syscall(SYS_pidfd_open, pid, 0));
	TRY("memory", process_vm_readv(pid, &local, 1, &remote, 1, 0));
	TRY("memory writing", process_vm_writev(pid, &local, 1, &remote, 1, 0));
	TRY("limits", prlimit(pid, RLIMIT_CPU, &limit, NULL));
	TRY("affinity", sched_setaffinity(pid, sizeof(cpus), &cpus));
	TRY("priority", setpriority(PRIO_PROCESS, (id_t)pid, 19));
	(void)fcntl(STDIN_FILENO, F_SETSIG, SIGKILL);
	TRY("signal by descriptor", fcntl(STDERR_FILENO, F_SETOWN, pid));
#undef TRY
}

static void try_rights(void)
{
	struct io_uring_params params = {0};

	tell("root", setresuid(0, 0, 0));
	tell("user namespace", unshare(CLONE_NEWUSER));
	tell("namespace of a child",
		syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, NULL, NULL, NULL, NULL));
	tell("io_uring", syscall(SYS_io_uring_setup, 1, &params));
	tell("bpf", syscall(SYS_bpf, 0, NULL, 0));
	tell("perf", syscall(SYS_perf_event_open, NULL, 0, -1, -1, 0));
	tell("userfaultfd", syscall(SYS_userfaultfd, 0));
	tell("keys", syscall(SYS_keyctl, 0, 0));
	tell("typing", ioctl(STDERR_FILENO, TIOCSTI, "x"));
	tell("dumping", prctl(PR_SET_DUMPABLE, 1, 0, 0, 0));
}

static void try_opener(pid_t bystander, const struct opening *memory)
{
	static const struct {
		const char *name;
		uint32_t kind;
		const char *path;
	} tries[] = {{"a secret, as debug file", OPENING_ELF, "/etc/shadow"},
		{"a text, as debug file", OPENING_ELF, "/etc/passwd"},
		{"a secret, as source", OPENING_SOURCE, "/etc/shadow"},
		{"a program, as profile", OPENING_VIEW, "/tmp/planted"},
		{"a file of its own, as profile", OPENING_VIEW, "/etc/cron.d/planted"},
		{"a capture", OPENING_CAPTURE, ""},
		{"a device, as debug file", OPENING_ELF, "/dev/null"},
		{"memory, as file", OPENING_ELF, "/proc/self/mem"}};
	static const uint32_t kinds[] = {
		OPENING_IMAGE, OPENING_VDSO, OPENING_CODE, OPENING_THREADS};
	struct opener opener = {.fd = -1};
	struct opened opened;
	struct stat st;

	for (int fd = 3; fd < 64 && opener.fd < 0; fd++) {
		if (fstat(fd, &st) == 0 && S_ISSOCK(st.st_mode))
			opener.fd = fd;
	}
	tell("the opener", opener.fd);
	for (size_t i = 0; i < sizeof(tries) / sizeof(*tries); i++) {
		int r = opener_ask_path(&opener, tries[i].kind, 0, tries[i].path, &opened);

		errno = -r;
		tell(tries[i].name, r < 0 ? -1 : opened.fd);
	}
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		struct opening what = *memory;
		int r;

		what.kind = kinds[i];
		what.pid = (uint32_t)bystander;
		r = opener_ask(&opener, &what, &opened);

		errno = -r;
		tell("memory of the bystander, by the opener", r);
	}
}

void planted_fault(const uint8_t *data, size_t bytes)
{
	static const char mark[] = "PLANTED ";
	char text[300], folder[256];
	size_t n = bytes < sizeof(text) - 1 ? bytes : sizeof(text) - 1;
	static struct opening memory;
	int target, bystander;
	const char *at;

	memcpy(text, data + bytes - n, n);
	text[n] = '\0';
	at = memmem(text, n, mark, sizeof(mark) - 1);
	if (!at ||
		sscanf(at, "PLANTED %d %d %255s %" SCNx64 " %" SCNx64 " %x %x %" SCNu64, &target,
			&bystander, folder, &memory.start, &memory.end, &memory.major,
			&memory.minor, &memory.inode) != 8)
		return;
	try_files(folder);
	try_net();
	try_exec(folder);
	try_process("target", target);
	try_process("bystander", bystander);
	try_rights();
	try_opener(bystander, &memory);
	/* The parent comes last: if the attempt works, it kills the parent. */
	try_process("parent", getppid());
	(void)fprintf(stderr, "planted: all tried\n");
	__builtin_trap();
}
