/* SPDX-License-Identifier: MIT */
/*
 * Counts into a page that userfaultfd never delivers. Ends with 7 after 0.3 s of CPU time. Prints
 * "held" if the kernel lets the supervisor wait for the page; "refused" if the page is for the
 * program's own accesses only, as with an ordinary user's userfaultfd, so that the counter cannot
 * be written.
 */
#include <sprofil/sprofil.h>

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "tests/clock.h"

int main(void)
{
	size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
	void *page = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct uffdio_api api = {.api = UFFD_API};
	struct uffdio_register all = {
		.range = {(uintptr_t)page, bytes}, .mode = UFFDIO_REGISTER_MODE_MISSING};
	struct prof bin = {page, (unsigned)bytes, 0, 2};
	const char *kind = "held";
	uint64_t start;
	int fd;

	fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	if (fd < 0) {
		kind = "refused";
		fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY);
	}
	if (page == MAP_FAILED || fd < 0 || ioctl(fd, UFFDIO_API, &api) < 0 ||
		ioctl(fd, UFFDIO_REGISTER, &all) < 0)
		return 77;
	if (sprofil(&bin, 1, NULL, PROF_UINT) < 0)
		return 1;
	(void)puts(kind);
	(void)fflush(stdout);
	for (start = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
		clock_ns(CLOCK_PROCESS_CPUTIME_ID) - start < 300000000;)
		;
	return 7;
}
