/* SPDX-License-Identifier: MIT */
#include "tools/front/serve_front.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/child.h"
#include "base/libexec.h"
#include "base/units.h"
#include "supervisor/engine/signals.h"
#include "supervisor/os/suspend.h"
#include "supervisor/os/waiter.h"
#include "tools/front/front.h"
#include "tools/front/push_option.h"
#include "tools/front/target_options.h"
#include "tools/serve/serve_fds.h"

enum { BACKLOG = 64, ADDRESS_BYTES = INET6_ADDRSTRLEN, FDS = SERVE_PUSH_FD + 1 };
/*
 * Longest waits, in units of 10 ms. For the server: 10 s. For sprofil-push: 1000 s; it normally
 * ends sooner by itself.
 */
enum { SERVER_MOMENTS = 1000, PUSH_MOMENTS = 100000 };
/* TCP keep-alive: seconds before the first probe and between probes; number of probes. */
enum { KEEPALIVE_SECONDS = 15, KEEPALIVE_MOST = 4 };

union address {
	struct sockaddr any;
	struct sockaddr_in four;
	struct sockaddr_in6 six;
};

static int take_address(void *front, char *value)
{
	struct serve_front *f = front;

	if (!push_option_is_address(value))
		front_reject(f->program, "bad address", value,
			"give a URL of a store, like http://127.0.0.1:4040");
	free(f->url);
	f->url = strdup(value);
	if (!f->url)
		front_reject(f->program, "bad address", value, "no memory for it");
	f->password_shown = push_option_hide(value);
	return 0;
}

static int read_address_file(void *front, char *path)
{
	struct serve_front *f = front;
	const char *problem;

	free(f->url);
	f->url = push_option_read(path, &problem);
	if (!f->url) {
		front_complain(f->program, "cannot use --push-from '%s': %s", path, problem);
		exit(FRONT_USAGE);
	}
	f->password_shown = false;
	return 0;
}

static int take_every(void *front, char *value)
{
	struct serve_front *f = front;

	f->every = value;
	if (units_time_ns(value, &f->push_ns) < 0 || f->push_ns < 1000000000 ||
		f->push_ns > UINT64_C(600000000000))
		return -EINVAL;
	return 0;
}

struct option_set serve_front_options(struct serve_front *front)
{
	static const struct option_row rows[] = {
		{"listen", 0, OPTION_TEXT, .at = offsetof(struct serve_front, listen)},
		{"push", 0, OPTION_TAKE, .take = take_address},
		{"push-from", 0, OPTION_TAKE, .take = read_address_file},
		{"push-every", 0, OPTION_TAKE, .take = take_every, NULL, "bad time",
			"give a time from 1s to 10m, like 15s"},
	};

	return (struct option_set){OPTION_ROWS(rows), front, 0};
}

bool serve_front_is_given(const struct serve_front *f)
{
	return f->listen || f->url;
}

void serve_front_check(const struct serve_front *f)
{
	if (f->every && !f->url)
		front_reject(f->program, "--push-every", f->every, "it belongs to --push");
	if (f->password_shown && !f->quiet)
		front_complain(f->program,
			"the password of --push could be seen in the list of processes until now: "
			"write the URL into a file, and give --push-from FILE");
}

/* Parses "6060", ":6060", "localhost:6060", "127.0.0.1:6060" or "[::1]:6060". */
static bool read_address(const char *text, union address *ret_address, socklen_t *ret_bytes)
{
	const char *colon = strrchr(text, ':'), *port = colon ? colon + 1 : text;
	char name[ADDRESS_BYTES] = "";
	size_t bytes = colon ? (size_t)(colon - text) : 0;
	unsigned long number;

	if (!port[0] || strlen(port) > 5 || port[strspn(port, "0123456789")] ||
		bytes >= sizeof(name))
		return false;
	number = strtoul(port, NULL, 10);
	if (number > UINT16_MAX)
		return false;
	memcpy(name, text, bytes);
	*ret_address = (union address){.six = {.sin6_family = AF_INET6}};
	if (name[0] == '[' && bytes > 1 && name[bytes - 1] == ']') {
		name[bytes - 1] = '\0';
		ret_address->six.sin6_port = htons((uint16_t)number);
		*ret_bytes = sizeof(ret_address->six);
		return inet_pton(AF_INET6, name + 1, &ret_address->six.sin6_addr) == 1;
	}
	*ret_address = (union address){.four = {.sin_family = AF_INET}};
	ret_address->four.sin_port = htons((uint16_t)number);
	*ret_bytes = sizeof(ret_address->four);
	if (!name[0] || strcasecmp(name, "localhost") == 0)
		strcpy(name, "127.0.0.1");
	return inet_pton(AF_INET, name, &ret_address->four.sin_addr) == 1;
}

static bool is_loopback(const union address *address)
{
	if (address->any.sa_family == AF_INET6)
		return IN6_IS_ADDR_LOOPBACK(&address->six.sin6_addr);
	return ntohl(address->four.sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
}

/* Notes the address of the socket @fd: if @asked has port 0, the kernel has chosen the port. */
static void note_address(struct serve_front *f, int fd, const union address *asked)
{
	union address address = {0};
	socklen_t bytes = sizeof(address);
	char name[ADDRESS_BYTES] = "";
	bool six;

	if (getsockname(fd, &address.any, &bytes) < 0)
		return;
	six = address.any.sa_family == AF_INET6;
	(void)inet_ntop(address.any.sa_family,
		six ? (void *)&address.six.sin6_addr : (void *)&address.four.sin_addr, name,
		sizeof(name));
	(void)snprintf(f->address, sizeof(f->address), "http://%s%s%s:%u/debug/pprof/",
		six ? "[" : "", name, six ? "]" : "",
		ntohs(six ? address.six.sin6_port : address.four.sin_port));
	f->port_chosen = (six ? asked->six.sin6_port : asked->four.sin_port) == 0;
	f->reachable = !is_loopback(&address);
}

void serve_front_print(const struct serve_front *f)
{
	if (f->address[0] && (!f->quiet || f->port_chosen))
		front_complain(f->program, "profiles are at %s", f->address);
}

static const char *listen_remedy(int error)
{
	switch (error) {
	case EADDRINUSE: return "; give another port, or 0 for one that is free";
	case EACCES: return "; ports below 1024 are root's: give another, like 6060";
	case EADDRNOTAVAIL: return "; this machine has no such address: 127.0.0.1 it has";
	default: return "";
	}
}

/* TCP keep-alive notices a lost peer; accepted sockets inherit the options from @fd. */
static void set_options(int fd)
{
	int on = 1, seconds = KEEPALIVE_SECONDS, most = KEEPALIVE_MOST;

	(void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	(void)setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
	(void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &seconds, sizeof(seconds));
	(void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &seconds, sizeof(seconds));
	(void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &most, sizeof(most));
}

static int begin_listening(struct serve_front *f)
{
	union address address;
	socklen_t bytes;
	int fd;

	if (!read_address(f->listen, &address, &bytes))
		front_reject(f->program, "bad address", f->listen,
			"give ADDRESS:PORT, like 127.0.0.1:6060 or [::1]:6060, or a port alone "
			"(then 127.0.0.1)");
	fd = socket(address.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd >= 0)
		set_options(fd);
	if (fd < 0 || bind(fd, &address.any, bytes) < 0 || listen(fd, BACKLOG) < 0) {
		front_complain(f->program, "cannot listen on %s: %s%s", f->listen, strerror(errno),
			listen_remedy(errno));
		if (fd >= 0)
			(void)close(fd);
		return -1;
	}
	note_address(f, fd, &address);
	return fd;
}

static bool find(const struct serve_front *f, const char *name, char path[PATH_MAX])
{
	if (libexec_find(name, path))
		return true;
	front_complain(f->program, "%s is missing: it belongs into libexec/sprofil beside bin%s",
		name,
		strcmp(name, "sprofil-push") == 0
			? ", and is built where libcurl is (Debian: libcurl4-openssl-dev)"
			: "");
	return false;
}

static bool start_server(struct serve_front *f, const char *name, const int fds[FDS])
{
	char path[PATH_MAX], every[24];
	const char *argv[12] = {path, "--program", f->program, "--name", name};
	size_t n = 5;
	int r;

	if (!find(f, "sprofil-server", path))
		return false;
	(void)snprintf(every, sizeof(every), "%llu", (unsigned long long)f->push_ns);
	if (f->listen)
		argv[n++] = "--listen";
	/* Without this option, the server refuses requests for other hosts. */
	if (f->reachable)
		argv[n++] = "--reachable";
	if (f->on_demand)
		argv[n++] = "--on-demand";
	if (f->verbose)
		argv[n++] = "--verbose";
	if (f->url) {
		argv[n++] = "--push";
		argv[n++] = every;
	}
	r = child_start(argv, fds, FDS, 0, &f->server_pid);
	if (r < 0)
		front_complain(f->program, "cannot start %s: %s", path, strerror(-r));
	return r == 0;
}

/*
 * The address may contain a password. So it is passed in the environment, which only the user and
 * root can read. Everybody can read arguments.
 */
static bool start_push(struct serve_front *f, const char *name, const int fds[FDS])
{
	char path[PATH_MAX];
	const char *argv[8] = {path, "--program", f->program, "--name", name};
	int r;

	if (!find(f, "sprofil-push", path))
		return false;
	if (f->quiet)
		argv[5] = "--quiet";
	else if (f->verbose)
		argv[5] = "--verbose";
	if (setenv("SPROFIL_PUSH_URL", f->url, 1) < 0)
		r = -errno;
	else
		r = child_start(argv, fds, FDS, 0, &f->push_pid);
	(void)unsetenv("SPROFIL_PUSH_URL");
	if (r < 0)
		front_complain(f->program, "cannot start %s: %s", path, strerror(-r));
	return r == 0;
}

bool serve_front_begin(struct serve_front *f, const char *name, struct engine_options *engine)
{
	int request[2] = {-1, -1}, pieces[2] = {-1, -1}, push[2] = {-1, -1}, listen_fd = -1;
	int null_fd = -1, r = 0;
	int *const all[] = {&request[0], &request[1], &pieces[0], &pieces[1], &push[0], &push[1],
		&listen_fd, &null_fd};
	bool begun = false;

	if (!serve_front_is_given(f))
		return true;
	if (f->listen) {
		listen_fd = begin_listening(f);
		if (listen_fd < 0)
			return false;
	}
	null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (null_fd < 0 || pipe2(request, O_CLOEXEC) < 0 ||
		(f->url && pipe2(push, O_CLOEXEC) < 0) ||
		socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pieces) < 0)
		r = -errno;
	for (size_t i = 0; i < sizeof(all) / sizeof(*all) && r == 0; i++)
		r = child_lift(all[i], FDS);
	if (r < 0) {
		front_complain(f->program, "cannot serve: %s", strerror(-r));
	} else {
		(void)fcntl(request[0], F_SETFL, O_NONBLOCK);
		begun = start_server(f, name,
			(const int[FDS]){
				null_fd, null_fd, -1, request[1], pieces[0], listen_fd, push[1]});
		if (begun && f->url)
			begun = start_push(f, name,
				(const int[FDS]){null_fd, null_fd, -1, -1, -1, -1, push[0]});
	}
	if (begun && f->reachable)
		front_complain(f->program,
			"whoever reaches this address gets names of functions, files and threads, "
			"and can have profiles taken: nobody is asked who they are");
	for (size_t i = 0; i < 2; i++) {
		if (push[i] >= 0)
			(void)close(push[i]);
	}
	if (listen_fd >= 0)
		(void)close(listen_fd);
	if (null_fd >= 0)
		(void)close(null_fd);
	if (request[1] >= 0)
		(void)close(request[1]);
	if (pieces[0] >= 0)
		(void)close(pieces[0]);
	f->server = (struct engine_server){request[0], pieces[1], f->on_demand};
	engine->server = &f->server;
	return begun;
}

/*
 * Handles a signal that came during a wait: passes the signal on if a command lives; otherwise
 * SIGTSTP suspends this process. True: no command lives, and the signal is one to end.
 */
static bool ends_wait(const struct engine_result *result, const siginfo_t *info)
{
	if (signals_pass_on(result, info))
		return false;
	if (info->si_signo == SIGTSTP)
		suspend_by_key();
	/* SIGUSR2 only asks for a snapshot: it does not end the wait. */
	return info->si_signo != SIGUSR2 && signals_is_control(info->si_signo);
}

/* Waits for @pid. False: it still runs after @moments times 10 ms, or a signal ended the wait. */
static bool await(const struct engine_result *result, pid_t pid, unsigned moments, bool *ordered)
{
	const struct timespec moment = {0, 10000000};
	struct waiter_result seen;
	siginfo_t info;
	sigset_t signals;

	signals_handled(&signals);
	(void)sigdelset(&signals, SIGCHLD);
	for (unsigned i = 0; !*ordered && i < moments; i++) {
		if (waiter_peek(pid, &seen) < 0 || seen.kind == WAITER_GONE)
			return true;
		if (sigtimedwait(&signals, &info, &moment) >= 0)
			*ordered = ends_wait(result, &info);
	}
	return false;
}

/*
 * Waits like await(), then kills the process if it has not ended. True: it ended by itself, with
 * status 0.
 */
static bool join_one(const struct engine_result *result, pid_t pid, unsigned moments, bool *ordered)
{
	struct waiter_result seen;
	int status = 0;

	if (!await(result, pid, moments, ordered))
		(void)kill(pid, SIGKILL);
	/*
	 * If the engine has waited for the process already, waiter_peek() fails: the status is
	 * unknown, and the result is false.
	 */
	return waiter_peek(pid, &seen) == 0 && waiter_join(pid, &status) == 0 && !status;
}

bool serve_front_join(struct serve_front *f, const struct engine_result *result, bool ordered)
{
	bool served = f->server_pid || f->push_pid, all = true;

	if (f->server.request_fd >= 0)
		(void)close(f->server.request_fd);
	if (f->server.pieces_fd >= 0)
		(void)close(f->server.pieces_fd);
	f->server.request_fd = f->server.pieces_fd = -1;
	if (f->server_pid)
		all = join_one(result, f->server_pid, SERVER_MOMENTS, &ordered);
	/*
	 * A failure of the server counts if --push is given: a profile is then missing in the
	 * store.
	 */
	all = f->push_pid ? join_one(result, f->push_pid, PUSH_MOMENTS, &ordered) && all : true;
	if (ordered && served && !f->quiet)
		front_complain(f->program, "interrupted: who still waited for %s got none",
			f->listen ? "a profile" : "the last profile");
	f->server_pid = f->push_pid = 0;
	free(f->url);
	f->url = NULL;
	return all;
}
