/* SPDX-License-Identifier: MIT */
/* How a user can get the names, lines and callers that samples lack. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "profile/runtime_advice.h"
#include "view/report/doctor.h"

/* No advice is given if at most 1 stack in FEW_CUT is cut. */
enum { FEW_CUT = 100 };
/* The same if at most 1 sample of Java in FEW_UNLINED lacks a line: some always do. */
enum { FEW_UNLINED = 10 };

static int set_texts(struct doctor_object *object, const char *cause, const char *remedy)
{
	object->cause = cause;
	free(object->remedy);
	object->remedy = remedy ? strdup(remedy) : NULL;
	return remedy && !object->remedy ? -ENOMEM : 0;
}

/* @command may be NULL. 0 or -ENOMEM. */
static int add_command(char **to, const char *command)
{
	*to = command ? strdup(command) : NULL;
	return command && !*to ? -ENOMEM : 0;
}

/* Code that a runtime made and did not name: the remedy tells how to make the runtime name it. */
static int remedy_of_generated(const struct doctor *d, struct doctor_object *object)
{
	const char *process = profile_task(d->profile, object->task).process;
	const char *advice = runtime_advice(process);
	char remedy[300];

	(void)snprintf(remedy, sizeof(remedy), "%s; then take a new profile",
		advice ? advice
		       : "if what made it can write /tmp/perf-PID.map or a jitdump, as perf reads "
			 "them, let it");
	return set_texts(
		object, "code without a file: made at run time, and nobody told its names", remedy);
}

/* Sets cause and remedy for code that is not in a file. */
static int remedy_of_special(const struct doctor *d, struct doctor_object *object)
{
	const char *path = object->path;

	if (!strcmp(path, "[java]") && object->unlined * FEW_UNLINED > object->samples)
		return set_texts(object,
			"HotSpot tells lines and inlined methods for calls and checks only: what "
			"runs between them may be shown as its caller",
			"java -XX:+UnlockDiagnosticVMOptions -XX:+DebugNonSafepoints tells them "
			"everywhere; then take a new profile");
	if (!strcmp(path, "[kernel]") || !strcmp(path, "[stack]") || !object->unnamed)
		return 0;
	if (!strcmp(path, "[vdso]"))
		return set_texts(object,
			"inner functions of the kernel's clock, which it gives no names",
			"none is needed: the functions that call them have names");
	if (!path[0] || !strcmp(path, "[unknown]"))
		return set_texts(object, "it is not known what was mapped there",
			"take a new profile; if it stays so, please report it");
	return remedy_of_generated(d, object);
}

/* Finds the package with the debug symbols of the file at @path. 0 or -ENOMEM. */
static int find_package(const struct doctor *d, const char *path, struct code_package *ret_package)
{
	const struct code_reader *reader = d->options.code;

	*ret_package = (struct code_package){0};
	return reader && reader->package ? reader->package(reader->context, path, ret_package) : 0;
}

static bool is_go(const struct doctor_object *object)
{
	return strcmp(object->code.language, "Go") == 0;
}

/*
 * Sets the remedy's sentence: the command that installs @package. If there is no command, because
 * the package is of another distribution: whoever made the package may have the symbols. If no
 * package is known: @compile, how to build the object. All end with taking a new profile. @fetch: a
 * command that downloads the debug file, named as an alternative to installing; NULL: none. 0 or
 * -ENOMEM.
 */
static int advise(struct doctor_object *object, const struct code_package *package,
	const char *compile, const char *fetch)
{
	char foreign[160] = "";
	int n;

	if (package->foreign)
		(void)snprintf(foreign, sizeof(foreign),
			"its package, %.64s, is not of this distribution: whoever made it may have "
			"its debug symbols",
			package->foreign);
	n = asprintf(&object->remedy, "%s%s%s; then take a new profile%s%s",
		package->command           ? package->command
			: package->foreign ? foreign
					   : compile,
		package->command && fetch ? ", or " : "", package->command && fetch ? fetch : "",
		object->unfetched[0] ? "; " : "", object->unfetched);
	if (n >= 0)
		return 0;
	object->remedy = NULL;
	return -ENOMEM;
}

static int remedy_of_missing(const struct doctor *d, struct doctor_object *object,
	const char *cause, const char *compile)
{
	const char *fetch =
		object->build_id[0] && !d->options.fetch ? d->options.fetch_command : NULL;
	struct code_package package;
	int r = find_package(d, object->path, &package);

	if (r < 0)
		return r;
	object->cause = cause;
	object->command[0] = package.command;
	object->name_at = package.name_at;
	object->name_bytes = package.name_bytes;
	if (package.command) {
		object->behind = package.adds
			? "then take a new profile; whether that archive can be reached was not "
			  "tried: if not, apt says why, and it is taken out again"
			: "then take a new profile";
		r = add_command(&object->command[1], fetch);
	}
	if (r == 0)
		r = advise(object, &package, compile, fetch);
	free(package.foreign);
	return r;
}

/* Do all samples lack a line, except in stubs, which cannot have one? */
static bool has_no_lines(const struct doctor_object *object)
{
	return object->unlined && object->unlined == object->samples - object->stubs;
}

static bool is_better_now(const struct doctor_object *object)
{
	return object->code.found &&
		((object->unnamed && object->code.addresses &&
			 object->code.named == object->code.addresses) ||
			(has_no_lines(object) && object->code.lined > object->lined));
}

/* Recompiling or installing does not help with a file that cannot be read. */
static bool is_unread(const struct code_object *code)
{
	return !strcmp(code->lines, "unread") || !strcmp(code->symbols, "unread");
}

static int remedy_of_file(const struct doctor *d, struct doctor_object *object)
{
	const struct code_object *code = &object->code;

	if (object->samples && object->samples == object->stubs)
		return 0;
	/* No sample lacks a name or a line, so only inlined functions can be missing. */
	if (!object->unnamed && !object->unlined)
		return code->found && code->problem[0] ? set_texts(object, code->problem, NULL) : 0;
	if (is_better_now(object))
		return set_texts(object, "the profile lacks names that can be had now",
			"take a new profile");
	if (code->problem[0] && (!code->found || is_unread(code)))
		return set_texts(object, code->problem, NULL);
	if (!strcmp(object->symbols, "none") || !strcmp(object->symbols, "dynsym") ||
		!strcmp(object->symbols, ".gnu_debugdata")) {
		if (object->unnamed)
			return remedy_of_missing(d, object,
				!strcmp(object->symbols, "none")
					? "it has no symbols: it was stripped, and no debug file "
					  "is "
					  "here"
					: "it has few symbols: it was stripped, and no debug file "
					  "is here",
				is_go(object) ? "go build without -ldflags=-s, and do not strip it"
					      : "link it without -s and do not strip it, or keep "
						"its debug file: objcopy --only-keep-debug");
	}
	if (!strcmp(object->lines, "none"))
		return remedy_of_missing(d, object,
			"it has no debug information: no lines, no inlined "
			"functions",
			is_go(object) ? "go build without -ldflags=-w" : "compile it with -g");
	if (code->problem[0])
		return set_texts(object, code->problem, NULL);
	if (has_no_lines(object) && code->found && !code->lined)
		return set_texts(object,
			"it has debug information, but none for what ran: those units were "
			"compiled without -g, or it is damaged",
			"readelf --debug-dump=info shows which units it has");
	if (object->unlined || object->unnamed)
		return set_texts(object,
			"parts of it have no debug information: assembler, or units "
			"compiled without -g",
			NULL);
	return 0;
}

/* Returns an option of a compiler or a runtime by which callers can be found. */
static const char *remedy_of_cut_stacks(const struct doctor *d, const struct doctor_object *object)
{
	const char *process = profile_task(d->profile, object->task).process;

	if (!doctor_is_file(object) && !strncmp(process, "node", 4))
		return "keep frame pointers: node --interpreted-frames-native-stack; then "
		       "sprofrun --call-graph fp";
	if (!doctor_is_file(object) && !strncmp(process, "java", 4))
		return "keep frame pointers: java -XX:+PreserveFramePointer (not needed for 11 to "
		       "22, 25 to 27); then sprofrun --call-graph fp";
	if (!doctor_is_file(object))
		return "if what made the code can keep frame pointers in it, let it, and sprofrun "
		       "--call-graph fp; or perhaps it can be told not to compile";
	/*
	 * Measured with node 20: node's options for perf, with --call-graph fp, do not reduce the
	 * number of cut stacks.
	 */
	if (!strcmp(text_basename(object->path), "node"))
		return "none is known: these are V8's own routines (Builtins_...), and node's "
		       "options for perf do not change them";
	if (is_go(object))
		return "assembler of Go that uses the frame pointer for something else; the other "
		       "functions have whole stacks";
	return "compile it with -fasynchronous-unwind-tables; assembler wants .cfi directives";
}

/*
 * Cut stacks are treated apart from missing names and lines. Unwinding needs other sections of a
 * file than names and lines do, so what brings those does not make stacks whole.
 */
static int remedy_of_stacks(const struct doctor *d, struct doctor_object *object)
{
	bool is_truncated = object->truncated > object->incomplete;
	const char *remedy, *cause;

	/* A few stacks are always cut, as at the end of a process. */
	if ((object->incomplete + object->truncated) * FEW_CUT <= d->sums.chosen[VALUE_SAMPLES])
		return 0;
	if (is_truncated) {
		cause = "stacks are deeper than what was copied of them";
		remedy = "sprofrun --max-stack 64M";
	} else {
		cause = "stacks end here: it has no unwind information for its code";
		remedy = remedy_of_cut_stacks(d, object);
	}
	object->says_truncated = is_truncated;
	if (object->cause[0]) {
		object->cut_cause = cause;
		object->cut_remedy = remedy;
		object->cut_remedy_is_command = is_truncated;
		return 0;
	}
	if (is_truncated && add_command(&object->command[0], remedy) < 0)
		return -ENOMEM;
	return set_texts(object, cause, remedy);
}

int doctor_find_remedy(struct doctor *doctor, struct doctor_object *object)
{
	int r = doctor_is_file(object) ? remedy_of_file(doctor, object)
				       : remedy_of_special(doctor, object);

	return r < 0 ? r : remedy_of_stacks(doctor, object);
}
