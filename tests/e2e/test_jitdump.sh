#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Generated code gets names and lines from the jitdump that its process has mapped. Tested with a
# program that writes a jitdump as runtimes do, and with node --perf-prof if node is installed.
. "$(dirname "$0")/../lib.sh"

cc=$(command -v gcc || command -v cc) || skip "no C compiler"
[ "$(uname -m)" = x86_64 ] || skip "the generated code is of x86-64"
cat >jit.c <<'C'
/* Two functions of generated code, each a counting loop, and their jitdump. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* mov %edi,%ecx; 1: dec %rcx; jnz 1b; ret */
static const uint8_t loop[] = {0x48, 0x89, 0xf9, 0x48, 0xff, 0xc9, 0x75, 0xfb, 0xc3};

static void put_code(FILE *f, uint64_t start, const char *file, uint32_t line, const char *name)
{
	uint32_t lines[] = {2, (uint32_t)(16 + 16 + 16 + strlen(file) + 1)}, where[] = {line, 0};
	uint32_t code[] = {0, (uint32_t)(56 + strlen(name) + 1 + sizeof(loop))};
	uint32_t ids[] = {(uint32_t)getpid(), (uint32_t)getpid()};
	uint64_t time = 1, one[] = {start, 1}, rest[] = {start, start, sizeof(loop), 1};

	fwrite(lines, sizeof(lines), 1, f);
	fwrite(&time, sizeof(time), 1, f);
	fwrite(one, sizeof(one), 1, f);
	fwrite(&start, sizeof(start), 1, f);
	fwrite(where, sizeof(where), 1, f);
	fwrite(file, strlen(file) + 1, 1, f);
	fwrite(code, sizeof(code), 1, f);
	fwrite(&time, sizeof(time), 1, f);
	fwrite(ids, sizeof(ids), 1, f);
	fwrite(rest, sizeof(rest), 1, f);
	fwrite(name, strlen(name) + 1, 1, f);
	fwrite(loop, sizeof(loop), 1, f);
}

int main(int argc, char **argv)
{
	uint32_t head[10] = {0x4A695444, 1, 40, 62, 0, (uint32_t)getpid()};
	uint8_t *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char path[256];
	FILE *f;

	(void)argc;
	snprintf(path, sizeof(path), "%s/jit-%d.dump", argv[1], (int)getpid());
	f = fopen(path, "w+");
	if (!f || mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(f), 0) == MAP_FAILED)
		return 1;
	fwrite(head, sizeof(head), 1, f);
	memcpy(code, loop, sizeof(loop));
	memcpy(code + 64, loop, sizeof(loop));
	put_code(f, (uint64_t)code, "/src/first.js", 11, "first");
	put_code(f, (uint64_t)code + 64, "/src/second.js", 22, "second");
	fclose(f);
	((void (*)(uint64_t))code)(300000000);
	((void (*)(uint64_t))(code + 64))(100000000);
	return 0;
}
C
"$cc" -O1 -o jit jit.c || exit 1
mkdir dumps
"$SPROFRUN" -q -F 1000 --max-overhead 100 -o p.pb.gz ./jit "$WORK/dumps"; is "status" $? 0
"$SPROFREPORT" lines --format tsv p.pb.gz | awk -F'\t' '$8 == "[jit]" { print $5, $6, $7 }' |
	sort >lines
is "names and lines" "$(cat lines)" "first /src/first.js 11
second /src/second.js 22"

if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
    mkdir nobody && chown 65534 nobody && chmod 755 "$WORK"
    "$SPROFRUN" -q -F 1000 --max-overhead 100 -o n.pb.gz \
        setpriv --reuid 65534 --clear-groups ./jit "$WORK/nobody"
    is "of another user that is profiled" "$("$SPROFREPORT" lines --format tsv n.pb.gz |
        awk -F'\t' '$5 == "first" { print $6, $7 }')" "/src/first.js 11"
fi

# Only names are checked: node 20 now and then writes damaged file names of lines.
if command -v node >/dev/null; then
    cat >hot.js <<'J'
function hotLoop(n) { let s = 0; for (let i = 0; i < n; i++) s = (s * 31 + i) | 0; return s; }
let t = 0;
for (let k = 0; k < 60; k++) t ^= hotLoop(5000000);
console.log(t);
J
    "$SPROFRUN" -q -F 1000 -o node.pb.gz node --perf-prof "$WORK/hot.js" >/dev/null
    "$SPROFREPORT" lines --format tsv node.pb.gz >lines
    check "a function of node's" grep -q 'hotLoop' lines
fi
finish
