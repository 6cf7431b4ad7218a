/* SPDX-License-Identifier: MIT */
/* Finds what would give an object's samples the names that they lack. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "view/report/doctor.h"

static int say(struct doctor_object *object, const char *cause, const char *mend)
{
	object->cause = cause;
	free(object->mend);
	object->mend = mend ? strdup(mend) : NULL;
	return mend && !object->mend ? -ENOMEM : 0;
}

/* @command may be NULL. */
static int add_command(char **to, const char *command)
{
	*to = command ? strdup(command) : NULL;
	return command && !*to ? -ENOMEM : 0;
}

/* Code that is not in a file. */
static int mend_special(struct doctor_object *object)
{
	const char *path = object->path;

	if (!strcmp(path, "[kernel]") || !strcmp(path, "[stack]") || !object->unnamed)
		return 0;
	if (!strcmp(path, "[vdso]"))
		return say(object, "inner functions of the kernel's clock, which it gives no names",
			"none is needed: the functions that call them have names");
	if (!path[0] || !strcmp(path, "[unknown]"))
		return say(object, "it is not known what was mapped there",
			"take a new profile; if it stays so, please report it");
	return say(object, "code without a file: made at run time, and nobody told its names",
		"java -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit, node "
		"--perf-basic-prof-only-functions, python3.12 -X perf; then take a new profile");
}

/* The command that installs debug symbols; NULL: unknown. */
static int find_package(const struct doctor *d, const char *path, char **ret_command)
{
	const struct code_reader *reader = d->options.code;

	*ret_command = NULL;
	return reader && reader->package ? reader->package(reader->context, path, ret_command) : 0;
}

static int mend_missing(const struct doctor *d, struct doctor_object *object, const char *cause,
	const char *compile)
{
	const char *fetched = object->build_id[0] && !d->options.fetch
		? "sprofreport doctor --debuginfod FILE"
		: NULL;
	char *command;
	int r = find_package(d, object->path, &command);

	if (r < 0)
		return r;
	object->cause = cause;
	object->command[0] = command;
	if (command) {
		object->behind = "then take a new profile";
		r = add_command(&object->command[1], fetched);
		if (r < 0)
			return r;
	}
	if (asprintf(&object->mend, "%s%s%s; then take a new profile%s%s",
		    command ? command : compile, command && fetched ? ", or " : "",
		    command && fetched ? fetched : "", object->unfetched[0] ? "; " : "",
		    object->unfetched) >= 0)
		return 0;
	object->mend = NULL;
	return -ENOMEM;
}

/* Not one of the samples that could have a line has one. */
static bool has_no_lines(const struct doctor_object *object)
{
	return object->unlined && object->unlined == object->samples - object->stubs;
}

/* Are there names or lines now that the profile lacks? */
static bool is_better_now(const struct doctor_object *object)
{
	return object->code.found &&
		((object->unnamed && object->code.addresses &&
			 object->code.named == object->code.addresses) ||
			(has_no_lines(object) && object->code.lined));
}

/* The file exists but cannot be read: recompiling or installing would not help. */
static bool is_unread(const struct code_object *code)
{
	return !strcmp(code->lines, "unread") || !strcmp(code->symbols, "unread");
}

static int mend_file(const struct doctor *d, struct doctor_object *object)
{
	const struct code_object *code = &object->code;

	/* Nothing else ran, so nothing is missing. */
	if (object->samples && object->samples == object->stubs)
		return 0;
	/* Names and lines exist; inlined functions may be missing. */
	if (!object->unnamed && !object->unlined)
		return code->found && code->problem[0] ? say(object, code->problem, NULL) : 0;
	if (is_better_now(object))
		return say(object, "the profile lacks names that can be had now",
			"take a new profile");
	if (code->problem[0] && (!code->found || is_unread(code)))
		return say(object, code->problem, NULL);
	if (!strcmp(object->symbols, "none") || !strcmp(object->symbols, "dynsym") ||
		!strcmp(object->symbols, ".gnu_debugdata")) {
		if (object->unnamed)
			return mend_missing(d, object,
				!strcmp(object->symbols, "none")
					? "it has no symbols: it was stripped, and no debug file "
					  "is "
					  "here"
					: "it has few symbols: it was stripped, and no debug file "
					  "is here",
				"link it without -s and do not strip it, or keep its debug file: "
				"objcopy --only-keep-debug");
	}
	if (!strcmp(object->lines, "none"))
		return mend_missing(d, object,
			"it has no debug information: no lines, no inlined "
			"functions",
			"compile it with -g");
	if (code->problem[0])
		return say(object, code->problem, NULL);
	if (has_no_lines(object) && code->found && !code->lined)
		return say(object,
			"it has debug information, but none for what ran: those units were "
			"compiled without -g, or it is damaged",
			"readelf --debug-dump=info shows which units it has");
	if (object->unlined || object->unnamed)
		return say(object,
			"parts of it have no debug information: assembler, or units "
			"compiled without -g",
			NULL);
	return 0;
}

/* Debug information mends nothing of that: it is a cause of its own. */
static int mend_stacks(struct doctor_object *object)
{
	bool is_truncated = object->truncated > object->incomplete;
	const char *mend, *cause;

	if (!object->incomplete && !object->truncated)
		return 0;
	if (is_truncated) {
		cause = "stacks are deeper than what was copied of them";
		mend = "sprofrun --max-stack 64M";
	} else {
		cause = "stacks end here: it has no unwind information for its code";
		mend = doctor_is_file(object)
			? "compile it with -fasynchronous-unwind-tables; assembler wants .cfi "
			  "directives"
			: "keep frame pointers: java -XX:+PreserveFramePointer, node "
			  "--interpreted-frames-native-stack; then sprofrun --call-graph fp";
	}
	if (object->cause[0]) {
		object->cut_cause = cause;
		object->cut_mend = mend;
		object->cut_mend_is_command = is_truncated;
		return 0;
	}
	if (is_truncated && add_command(&object->command[0], mend) < 0)
		return -ENOMEM;
	return say(object, cause, mend);
}

int doctor_mend(struct doctor *doctor, struct doctor_object *object)
{
	int r = doctor_is_file(object) ? mend_file(doctor, object) : mend_special(object);

	return r < 0 ? r : mend_stacks(object);
}
