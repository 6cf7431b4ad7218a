/* SPDX-License-Identifier: MIT */
/*
 * sprofil-opener: opens files for the process that started it. That is the analyst, or the
 * inspector, and may not open files itself (tools/sandbox/sandbox.h). The opener has the rights of
 * the user who profiles. It links libc only, and does not parse the content of files. Its first
 * argument is the number of a socket's descriptor. Requests (proto/opening.h) come over this
 * socket, and the opener ends when the other end is closed. opener/openings.h says which files may
 * be read, and when.
 *
 * The opener writes the files named on its command line. If an output cannot be written, it writes
 * a new file in TMPDIR. In a live view it also writes files that the user names, if they have the
 * suffix of a profile or a report.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/command_line.h"
#include "base/outfile.h"
#include "base/output.h"
#include "base/series.h"
#include "base/stack_room.h"
#include "opener/limited.h"
#include "opener/openings.h"

enum { SUFFIXES_MOST = 32, NUMBER_MOST = 9999 };

/* Prefix of files in TMPDIR for data that could not be written elsewhere. */
#define KEPT "sprof-"
/* Maximum number of such files in TMPDIR. */
enum { KEPT_MOST = 16 };

struct settings {
	struct openings openings;
	struct limited limited;
	/* pattern of the outputs' names; the capture's name; NULL: none */
	const char *output, *capture;
	char *snapshot;  /* pattern of the names of snapshots: @output, and %t if it has none */
	unsigned mounts; /* descriptor of the list of mounts (opener/mounts.h); 0: no list */
	unsigned keep;   /* --keep: how many of the newest outputs stay; 0: all */
	const char *suffix[SUFFIXES_MOST];
	size_t suffixes;
};

/* The file being written; there is at most one. */
struct begun {
	bool any;
	bool recording;      /* a profile: an older file of that name is kept as NAME.old */
	const char *pattern; /* pattern of the name if it has a time (%t), else NULL */
	struct output_facts facts;
	time_t dated;                    /* begin time, by which --keep finds the oldest file */
	char own[OPENING_PATH_MOST + 1]; /* the process's name, used by @facts */
	/*
	 * path of the unfinished file in TMPDIR (OPENING_KEEP); NULL: none. If it is set, @any is
	 * false.
	 */
	char *kept;
	struct outfile out;
};

static void abandon(struct begun *begun)
{
	if (begun->any)
		outfile_abandon(&begun->out);
	begun->any = false;
	if (begun->kept)
		(void)unlink(begun->kept);
	free(begun->kept);
	begun->kept = NULL;
}

static void set_text(struct opened *opened, const char *text)
{
	(void)snprintf(opened->text, sizeof(opened->text), "%s", text ? text : "");
}

static int begin(struct begun *begun, const char *path, struct opened *opened)
{
	const char *problem = NULL;
	int r;

	abandon(begun);
	r = outfile_begin(&begun->out, path, OUTFILE_AT_ONCE, &problem);
	set_text(opened, r < 0 ? problem : path);
	if (r < 0)
		return r;
	begun->any = true;
	begun->recording = false;
	begun->pattern = NULL;
	if (!begun->out.fresh[0])
		opened->flags |= OPENED_IN_PLACE;
	/* Returns a copy, because reply() closes what it sends: commit() still needs @out's own. */
	return fcntl(begun->out.fd, F_DUPFD_CLOEXEC, 3);
}

/* A process chooses its own name, a part of a path: "." and ".." are made harmless. */
static void disarm(char *name)
{
	if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		memset(name, '_', strlen(name));
}

static int begin_output(const struct settings *s, struct begun *begun, const struct opening *what,
	struct opened *opened)
{
	bool is_snapshot = what->start == 1;
	const char *pattern = is_snapshot ? s->snapshot : s->output;
	char *name;
	int r;

	if (!pattern)
		return -EPERM;
	abandon(begun);
	strcpy(begun->own, what->path);
	disarm(begun->own);
	begun->facts = (struct output_facts){.pid = what->pid,
		.name = begun->own,
		.time = is_snapshot ? time(NULL) : (time_t)what->time,
		.rank = output_rank()};
	/*
	 * A snapshot has the beginning of a segment's data; the file written at the segment's end
	 * has all of the data. So both begin at the same time. --keep must remove the snapshot
	 * first: it counts as one second older.
	 */
	begun->dated = (time_t)what->time - is_snapshot;
	r = output_name(pattern, &begun->facts, &name);
	if (r < 0)
		return r;
	r = begin(begun, name, opened);
	free(name);
	if (r >= 0) {
		begun->recording = true;
		begun->pattern = output_is_timed(pattern) ? pattern : NULL;
	}
	return r;
}

static bool ends_well(const struct settings *s, const char *path)
{
	for (size_t i = 0; i < s->suffixes; i++) {
		if (output_ends_in(path, s->suffix[i]) || output_continues(path, s->suffix[i]))
			return true;
	}
	return false;
}

/* Counts our user's files in the folder @path that begin_keep() made. */
static unsigned count_kept(const char *path)
{
	DIR *folder = opendir(path);
	unsigned n = 0;
	struct stat st;

	for (const struct dirent *d; folder && (d = readdir(folder));)
		n += fnmatch(KEPT "??????.pb.gz", d->d_name, 0) == 0 &&
			fstatat(dirfd(folder), d->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
			st.st_uid == geteuid();
	if (folder)
		(void)closedir(folder);
	return n;
}

/*
 * Begins a file in TMPDIR, so that a bad output name does not cost the measured data. If output
 * names contain the time, a long run could make many files in TMPDIR: if KEPT_MOST of them exist,
 * no more are made.
 */
static int begin_keep(const struct settings *s, struct begun *begun, struct opened *opened)
{
	const char *given = getenv("TMPDIR"), *folder = given && given[0] ? given : "/tmp";
	char path[4096];
	int fd, n = snprintf(path, sizeof(path), "%s/" KEPT "XXXXXX.pb.gz", folder);

	if (n < 0 || (size_t)n >= sizeof(path))
		return -ENAMETOOLONG;
	if (output_is_timed(s->output) && count_kept(folder) >= KEPT_MOST) {
		(void)snprintf(opened->text, sizeof(opened->text),
			"%.200s, where %d are already: " KEPT "*.pb.gz", folder, KEPT_MOST);
		return -EDQUOT;
	}
	fd = mkostemps(path, (int)strlen(".pb.gz"), O_CLOEXEC);
	if (fd < 0)
		return -errno;
	abandon(begun);
	begun->kept = strdup(path);
	set_text(opened, path);
	return fd;
}

/*
 * Gives a file its final name, which contains a time in seconds. A snapshot's time is when it is
 * made; another file's time is when its data begins. So a snapshot and the next file may have the
 * same time. The one that is named later then gets a number after its time (test: test_rotate.sh).
 */
static int name_timed(struct begun *begun, struct opened *opened)
{
	struct output_facts facts = begun->facts;
	int r = -EEXIST;

	while (r == -EEXIST && ++facts.number <= NUMBER_MOST) {
		const char *base;
		char *path;

		r = output_name(begun->pattern, &facts, &path);
		if (r < 0)
			break;
		base = strrchr(path, '/');
		r = outfile_name_new(&begun->out, base ? base + 1 : path);
		set_text(opened, path);
		free(path);
	}
	return r;
}

/* Removes the oldest files that differ only in their time, until @keep are left. */
static void trim(const struct begun *begun, int folder_fd, unsigned keep)
{
	char *series;

	if (output_series(begun->pattern, &begun->facts, &series) < 0)
		return;
	series_trim(folder_fd, series, keep);
	free(series);
}

static int commit(struct begun *begun, unsigned keep, struct opened *opened)
{
	bool timed = begun->pattern && begun->out.fresh[0];
	int folder_fd = -1, r = 0;

	free(begun->kept);
	begun->kept = NULL;
	if (!begun->any)
		return 0;
	if (timed && keep) {
		folder_fd = fcntl(begun->out.at.folder_fd, F_DUPFD_CLOEXEC, 3);
		series_date(begun->out.fd, begun->dated);
	}
	if (timed)
		r = name_timed(begun, opened);
	else if (begun->recording)
		outfile_keep_old(&begun->out);
	if (r == 0)
		r = outfile_commit(&begun->out);
	else
		outfile_abandon(&begun->out);
	begun->any = false;
	if (r == 0 && folder_fd >= 0)
		trim(begun, folder_fd, keep);
	if (folder_fd >= 0)
		(void)close(folder_fd);
	return r;
}

static int serve_writing(const struct settings *s, struct begun *begun, const struct opening *what,
	struct opened *opened)
{
	switch (what->kind) {
	case OPENING_OUTPUT: return begin_output(s, begun, what, opened);
	case OPENING_CAPTURE: return s->capture ? begin(begun, s->capture, opened) : -EPERM;
	case OPENING_VIEW:
		return s->openings.view && ends_well(s, what->path)
			? begin(begun, what->path, opened)
			: -EPERM;
	case OPENING_KEEP: return s->output ? begin_keep(s, begun, opened) : -EPERM;
	case OPENING_COMMIT: return commit(begun, s->keep, opened);
	default: abandon(begun); return 0;
	}
}

static void answer(
	void *openings, pid_t sender, const struct opening *what, struct opened *ret_opened)
{
	openings_answer(openings, sender, what, ret_opened);
}

static void serve(struct settings *s, struct begun *begun, pid_t sender, const struct opening *what,
	struct opened *ret_opened)
{
	int r;

	if (what->kind < OPENING_OUTPUT) {
		limited_answer(&s->limited, sender, what, ret_opened);
		return;
	}
	*ret_opened = (struct opened){.sequence = what->sequence, .fd = -1};
	r = serve_writing(s, begun, what, ret_opened);
	if (r < 0)
		ret_opened->error = r;
	else if (what->kind < OPENING_COMMIT)
		ret_opened->fd = r;
}

/* Receives a request; returns its length in bytes; 0: the connection is closed. */
static ssize_t receive(int socket_fd, uint8_t *packet, pid_t *ret_sender)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(struct ucred))];
	} control;
	struct iovec data = {packet, OPENING_BYTES_MOST};
	struct msghdr message = {.msg_iov = &data,
		.msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = sizeof(control.bytes)};
	struct ucred sender = {0};
	struct cmsghdr *c;
	ssize_t n;

	do
		n = recvmsg(socket_fd, &message, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	/* Descriptors in a request do not fit next to the credentials, and are dropped. */
	c = n > 0 ? CMSG_FIRSTHDR(&message) : NULL;
	if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_CREDENTIALS &&
		c->cmsg_len >= CMSG_LEN(sizeof(sender)))
		memcpy(&sender, CMSG_DATA(c), sizeof(sender));
	*ret_sender = sender.pid;
	return n;
}

static int reply(int socket_fd, struct opened *opened)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = {0};
	uint8_t packet[OPENING_BYTES_MOST];
	struct iovec data = {packet, opened_put(packet, opened)};
	struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1};
	struct cmsghdr *c;
	ssize_t n;

	if (opened->fd >= 0) {
		message.msg_control = control.bytes;
		message.msg_controllen = sizeof(control.bytes);
		c = CMSG_FIRSTHDR(&message);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(opened->fd));
		memcpy(CMSG_DATA(c), &opened->fd, sizeof(opened->fd));
	}
	do
		n = sendmsg(socket_fd, &message, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	if (opened->fd >= 0)
		(void)close(opened->fd);
	return n < 0 ? -errno : 0;
}

static int take_suffix(void *settings, char *value)
{
	struct settings *s = settings;

	if (s->suffixes < SUFFIXES_MOST)
		s->suffix[s->suffixes++] = value;
	return 0;
}

#define AT(member) .at = offsetof(struct settings, member)

static const struct option_row rows[] = {
	{"output", 0, OPTION_TEXT, AT(output)},
	{"capture", 0, OPTION_TEXT, AT(capture)},
	{"keep", 0, OPTION_COUNT, AT(keep), .most = UINT32_MAX},
	{"mounts", 0, OPTION_COUNT, AT(mounts), .most = INT32_MAX},
	{"supervisor", 0, OPTION_COUNT, AT(openings.supervisor), .most = INT32_MAX},
	{"log", 0, OPTION_TEXT, AT(openings.log)},
	{"suffix", 0, OPTION_TAKE, .take = take_suffix},
	{"view", 0, OPTION_FLAG, AT(openings.view)},
};

/*
 * Also lifts the limit of file sizes: the user did not mean it for the copies that the opener makes
 * in memory files.
 */
static void prepare(int socket_fd)
{
	struct rlimit limit;
	int one = 1;

	(void)fcntl(socket_fd, F_SETFD, FD_CLOEXEC);
	(void)signal(SIGXFSZ, SIG_IGN);
	if (getrlimit(RLIMIT_FSIZE, &limit) == 0) {
		limit.rlim_cur = limit.rlim_max;
		(void)setrlimit(RLIMIT_FSIZE, &limit);
	}
	/*
	 * Other processes of the same user must not trace this process. An analyst that runs
	 * without seccomp could.
	 */
	(void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	(void)setsockopt(socket_fd, SOL_SOCKET, SO_PASSCRED, &one, sizeof(one));
}

static int run_all(int argc, char **argv)
{
	static struct opening what;
	static struct opened opened;
	uint8_t packet[OPENING_BYTES_MOST];
	/*
	 * Static: a thread that has exceeded its time limit (limited.h) uses the settings until the
	 * process ends.
	 */
	static struct settings s = {.openings = {.guards = true}};
	static struct begun begun;
	int socket_fd;
	pid_t sender;
	ssize_t n;

	if (argc < 2)
		return 2;
	socket_fd = atoi(argv[1]);
	command_line_parse_own(&(struct option_set){OPTION_ROWS(rows), &s, 0}, argc - 1, argv + 1);
	s.limited.answer = answer;
	s.limited.context = &s.openings;
	if (limited_init(&s.limited, LIMITED_WAIT_NS) < 0)
		return 1;
	(void)mounts_read(&s.openings.mounts, s.mounts ? (int)s.mounts : -1);
	prepare(socket_fd);
	if (s.output)
		s.snapshot = output_timed(s.output);
	while ((n = receive(socket_fd, packet, &sender)) > 0) {
		if (opening_get(packet, (size_t)n, &what) < 0)
			opened = (struct opened){
				.sequence = what.sequence, .error = -EPROTO, .fd = -1};
		else
			serve(&s, &begun, sender, &what, &opened);
		if (reply(socket_fd, &opened) < 0)
			break;
	}
	abandon(&begun);
	free(s.snapshot);
	/* Threads that are left behind still use the openings. */
	if (!limited_is_behind(&s.limited))
		openings_release(&s.openings);
	return 0;
}

int main(int argc, char **argv)
{
	return stack_room_run(run_all, argc, argv);
}
