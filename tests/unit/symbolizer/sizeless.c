/* SPDX-License-Identifier: MIT */
/*
 * A stripped library for test_sizeless.c: the only symbol in .dynsym has no size, as in assembly
 * files. Functions without symbols follow it.
 */
int sizeless_sink;

__asm__(".text\n.globl sizeless_label\n.type sizeless_label, @function\nsizeless_label:\n"
#if defined(__x86_64__)
	"\tret\n\t.p2align 4, 0x90\n"
#else
	"\tret\n\t.p2align 4\n"
#endif
);

__attribute__((used, noinline)) static int hidden(int n)
{
	for (int i = 0; i < n; i++)
		sizeless_sink += i * n;
	return sizeless_sink;
}

__attribute__((used, noinline)) static int hidden_too(int n)
{
	return hidden(n) * n + hidden(n + 1);
}
