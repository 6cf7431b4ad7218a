/* SPDX-License-Identifier: MIT */
/*
 * Finds the Debian or Ubuntu package with the debug symbols of a file, and the archive that apt
 * needs to install the package.
 */
#ifndef TOOLS_INSPECTOR_PACKAGE_H
#define TOOLS_INSPECTOR_PACKAGE_H

struct code_package;

/* The distribution, from /etc/os-release. */
struct package_system {
	char id[16];       /* "debian", "ubuntu"; "": unknown */
	char codename[24]; /* "bookworm"; "": unknown */
	/* how the user becomes root */
	enum { PACKAGE_AS_ROOT, PACKAGE_BY_SUDO, PACKAGE_BY_SU } rights;
};

/*
 * Finds how to install @symbols, the package with the debug symbols of @package. @policy: what
 * "apt-cache policy" prints about both packages. It shows whether @package is of this distribution,
 * and whether apt knows the archive of debug symbols. Reads no files. 0 or -ENOMEM.
 */
int package_judge(const struct package_system *system, const char *package, const char *symbols,
	const char *policy, struct code_package *ret_package);

/*
 * Asks dpkg and apt about the file @path. *@ret_package is all zero if the file is in no package,
 * or if there is no dpkg. 0 or -ENOMEM.
 */
int package_find(const char *path, struct code_package *ret_package);

#endif
