/* SPDX-License-Identifier: MIT */
#include "view/title.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "profile/audit.h"
#include "profile/profile.h"

/* A list of this many bytes ends with an ellipsis in place of further commands. */
enum { LIST_BYTES = 1000 };

/* The command or, of live processes, which have none, the name of one. "": unknown. */
static const char *name_by_call(const struct profile *profile)
{
	const char *command = profile_command(profile);

	return command[0] || !profile_tasks(profile) ? command : profile_task(profile, 0).process;
}

static const char *first_name(const struct profile *profile)
{
	const char *name = name_by_call(profile);

	if (name[0])
		return name;
	if (profile_mappings(profile) && profile_mapping(profile, 0).file[0])
		return text_basename(profile_mapping(profile, 0).file);
	return "profile";
}

/*
 * Returns the command that a note on merging names. NULL: the note is of another kind, or names the
 * profile's own command.
 */
static const char *merged_command(const struct profile *profile, size_t note)
{
	static const char begin[] = PROFILE_MERGED_WITH;
	const char *text = profile_note(profile, note);

	if (profile_note_is_foreign(profile, note) || strncmp(text, begin, strlen(begin)) != 0 ||
		!strcmp(text + strlen(begin), profile_command(profile)))
		return NULL;
	return text + strlen(begin);
}

static void list_commands(const struct profile *profile, FILE *out)
{
	size_t bytes = strlen(first_name(profile));

	fputs(first_name(profile), out);
	for (size_t i = 0; i < profile_notes(profile); i++) {
		const char *command = merged_command(profile, i);

		if (!command)
			continue;
		bytes += strlen(command);
		fprintf(out, ", %s", bytes > LIST_BYTES ? text_ellipsis(true) : command);
		if (bytes > LIST_BYTES)
			return;
	}
}

static bool is_merged(const struct profile *profile)
{
	for (size_t i = 0; i < profile_notes(profile); i++) {
		if (merged_command(profile, i))
			return true;
	}
	return false;
}

char *title_of(const struct profile *profile, unsigned files, bool ascii)
{
	char *text = NULL, *clean;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	if (!out)
		return NULL;
	if (files > 1)
		fprintf(out, "%u files: ", files);
	else if (is_merged(profile))
		fputs("merged: ", out);
	list_commands(profile, out);
	clean = fclose(out) == 0 ? text_clean(text, ascii) : NULL;
	free(text);
	return clean;
}

const char *title_executable(const struct profile *profile)
{
	/*
	 * Up to the first space, this is the name by which the program was called. A process that
	 * sets its title may have a colon there, as in "nginx: master".
	 */
	const char *command = name_by_call(profile), *file, *slash;
	size_t bytes = strcspn(command, " "), least;
	uint64_t processes;

	if (!audit_figure(profile, "processes", &processes) || processes != 1 ||
		profile_main(profile) >= profile_mappings(profile))
		return NULL;
	file = text_basename(profile_mapping(profile, profile_main(profile)).file);
	slash = memrchr(command, '/', bytes);
	if (slash) {
		bytes -= (size_t)(slash + 1 - command);
		command = slash + 1;
	}
	if (bytes && command[bytes - 1] == ':')
		bytes--;
	least = bytes < strlen(file) ? bytes : strlen(file);
	/* No file name begins like these: a quoted word, "-bash" of a login shell, "(daemon)". */
	if (!least || strchr("'\"-([", *command) || !strncmp(command, file, least))
		return NULL;
	return file;
}
