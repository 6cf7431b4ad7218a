/* SPDX-License-Identifier: MIT */
#include "profile/runtime_advice.h"

#include <stddef.h>
#include <string.h>

static const struct {
	const char *begins, *remedy;
} runtimes[] = {
	{"java",
		"'jcmd PID Compiler.perfmap' while it runs (Java 17 and later; sprofrun --jit-map "
		"does it), or java -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit, names "
		"it; that of Java 11 to 22 and 25 to 27 has names without"},
	{"node",
		"node --perf-basic-prof-only-functions names it, node --perf-prof with lines, too"},
	{"dotnet", "DOTNET_PerfMapEnabled=1 in its environment names it"},
	{"python", "python -X perf (3.12 and later) names it"},
};

const char *runtime_advice(const char *process)
{
	for (size_t i = 0; i < sizeof(runtimes) / sizeof(*runtimes); i++) {
		if (!strncmp(process, runtimes[i].begins, strlen(runtimes[i].begins)))
			return runtimes[i].remedy;
	}
	return NULL;
}
