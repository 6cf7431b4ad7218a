/* SPDX-License-Identifier: MIT */
#include "supervisor/os/say.h"

#include <stdarg.h>
#include <stdio.h>

void say_line(const struct say *say, enum say_kind kind, const char *format, ...)
{
	char line[512];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	say->line(say->context, kind, line);
}
