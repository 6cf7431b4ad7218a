/* SPDX-License-Identifier: MIT */
/* The input line, for a pattern, a least share, a file's name, or a delay. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "view/live/live_internal.h"

static const char *const labels[] = {
	[PROMPT_SEARCH] = "search: ",
	[PROMPT_FILTER] = "show only what matches: ",
	[PROMPT_LIMIT] = "least share in %: ",
	[PROMPT_SAVE] = "save the profile as: ",
	[PROMPT_DELAY] = "seconds between updates: ",
};

const char *live_prompt_label(const struct live *live)
{
	return labels[live->prompt.kind];
}

int live_prompt_open(struct live *live, int kind)
{
	struct live_prompt *prompt = &live->prompt;

	prompt->kind = kind;
	prompt->text[0] = '\0';
	if (kind == PROMPT_FILTER)
		(void)snprintf(prompt->text, sizeof(prompt->text), "%s", live->filter);
	else if (kind == PROMPT_SAVE)
		(void)snprintf(prompt->text, sizeof(prompt->text), "%s", live->save_as);
	else if (kind == PROMPT_LIMIT && live->min_percent > 0)
		(void)snprintf(prompt->text, sizeof(prompt->text), "%g", live->min_percent);
	else if (kind == PROMPT_DELAY)
		(void)snprintf(
			prompt->text, sizeof(prompt->text), "%.10g", (double)live->delay_ns / 1e9);
	prompt->bytes = strlen(prompt->text);
	prompt->proposed = true;
	return 0;
}

/*
 * Compiles @text, an extended regular expression, to @regex, and copies it to @kept. The expression
 * is case-sensitive only if it contains capitals. An invalid one, such as "operator(", is matched
 * literally, and @why says so; otherwise @why is "".
 */
static void set_pattern(
	const char *text, regex_t *regex, bool *has, char *kept, char why[LIVE_TEXT_BYTES])
{
	int flags = REG_EXTENDED | REG_NOSUB, error;
	char quoted[2 * LIVE_TEXT_BYTES], reason[80];
	size_t n = 0;

	why[0] = '\0';

	if (*has)
		regfree(regex);
	*has = false;
	if (kept != text)
		(void)snprintf(kept, LIVE_TEXT_BYTES, "%s", text);
	if (!text[0])
		return;
	if (strcspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == strlen(text))
		flags |= REG_ICASE;
	error = regcomp(regex, text, flags);
	*has = error == 0;
	if (*has)
		return;
	(void)regerror(error, regex, reason, sizeof(reason));
	(void)snprintf(
		why, LIVE_TEXT_BYTES, "no regular expression (%s), so taken by the letter", reason);
	for (const char *p = text; *p; p++) {
		if (strchr("\\^$.[]|()*+?{}", *p))
			quoted[n++] = '\\';
		quoted[n++] = *p;
	}
	quoted[n] = '\0';
	*has = regcomp(regex, quoted, flags) == 0;
}

static void set_limit(struct live *live, const char *text)
{
	char *end;
	double value = strtod(text, &end);

	if (!text[0])
		value = 0;
	if (*end || !(value >= 0 && value <= 100))
		live_complain(live, "give percent, 0 to 100");
	else
		live->min_percent = value;
}

static void set_delay(struct live *live, const char *text)
{
	char *end;
	double value = strtod(text, &end);

	if (!text[0] || *end || !(value >= 0.1 && value <= 3600)) {
		live_complain(live, "give seconds, 0.1 to 3600");
		return;
	}
	live->delay_ns = (uint64_t)(value * 1e9);
	live->due_ns = 0;
}

static void set_filter(struct live *live, const char *text)
{
	set_pattern(text, &live->filter_regex, &live->has_filter, live->filter, live->bad_filter);
	live->places_matched = 0;
}

void live_show_all(struct live *live)
{
	set_filter(live, "");
	live_say(live, "the filter is gone");
}

/* Says why a pattern is taken literally, behind the present message, if any. */
static void complain_of_pattern(struct live *live, const char *why)
{
	char text[LIVE_TEXT_BYTES];

	(void)snprintf(text, sizeof(text), "%.40s%s%.200s", live->message,
		live->message[0] ? ": " : "", why);
	live_complain(live, text);
}

static int enter(struct live *live)
{
	struct live_prompt *prompt = &live->prompt;
	int kind = prompt->kind, r;
	char why[LIVE_TEXT_BYTES];

	prompt->kind = PROMPT_NONE;
	switch (kind) {
	case PROMPT_SEARCH:
		set_pattern(prompt->text[0] ? prompt->text : live->search, &live->search_regex,
			&live->has_search, live->search, why);
		r = live_search(live, false);
		if (why[0])
			complain_of_pattern(live, why);
		return r;
	case PROMPT_FILTER:
		set_filter(live, prompt->text);
		if (live->bad_filter[0])
			live_complain(live, live->bad_filter);
		break;
	case PROMPT_LIMIT: set_limit(live, prompt->text); break;
	case PROMPT_DELAY: set_delay(live, prompt->text); break;
	case PROMPT_SAVE:
		if (!prompt->text[0])
			break;
		(void)snprintf(live->save_as, sizeof(live->save_as), "%s", prompt->text);
		free(live->control.save_as);
		live->control.save_as = strdup(prompt->text);
		return live->control.save_as ? 0 : -ENOMEM;
	default: break;
	}
	return live_look(live);
}

static void clear(struct live_prompt *prompt)
{
	prompt->bytes = 0;
	prompt->text[0] = '\0';
}

static void erase(struct live_prompt *prompt)
{
	while (prompt->bytes && (prompt->text[prompt->bytes - 1] & 0xc0) == 0x80)
		prompt->bytes--;
	if (prompt->bytes)
		prompt->bytes--;
	prompt->text[prompt->bytes] = '\0';
}

static void type(struct live_prompt *prompt, int32_t c)
{
	char utf8[TEXT_UTF8_BYTES];
	size_t n = text_encode(c, utf8);

	if (prompt->bytes + n >= sizeof(prompt->text))
		return;
	memcpy(prompt->text + prompt->bytes, utf8, n + 1);
	prompt->bytes += n;
}

int live_prompt_press(struct live *live, struct live_key key)
{
	struct live_prompt *prompt = &live->prompt;
	bool proposed = prompt->proposed;

	prompt->proposed = false; /* only the first key can replace the proposal */
	switch (key.code) {
	case LIVE_KEY_ENTER:
	case '\n': return enter(live);
	case LIVE_KEY_ESCAPE:
	case 3: prompt->kind = PROMPT_NONE; break;
	case LIVE_KEY_BACKSPACE:
	case LIVE_KEY_DELETE:
	case 8:
	case 127: erase(prompt); break;
	case 21: /* ^U */ clear(prompt); break;
	default:
		if (key.code < 0x20 || key.code >= LIVE_KEY_UP)
			break;
		if (proposed)
			clear(prompt);
		type(prompt, key.code);
	}
	return 0;
}

/* Moves the cursor to the next (or previous) matching row; after the last row comes the first. */
int live_search(struct live *live, int backwards)
{
	struct live_page *page = live_page(live);
	char text[LIVE_TEXT_BYTES];
	size_t n = live->table.n;

	if (!live->has_search) {
		live_complain(live, "nothing is searched for: / asks");
		return 0;
	}
	if (page->view == LIVE_TREE && live->tree) {
		struct live_row *row = live_row(live);
		uint32_t node = live_tree_search(live, row ? row->node : 0, backwards);
		int r = live_look(live);

		for (size_t i = 0; r == 0 && node != LIVE_NONE && i < live->table.n; i++) {
			if (live->table.row[i].node == node) {
				live_move(live, (long)i - (long)page->cursor);
				return 0;
			}
		}
		if (r < 0)
			return r;
		n = live->table.n;
	}
	for (size_t i = 1; i <= n; i++) {
		size_t at = backwards ? (page->cursor + n - i) % n : (page->cursor + i) % n;

		if (live_matches(live, &live->table.row[at], true)) {
			live_move(live, (long)at - (long)page->cursor);
			return 0;
		}
	}
	(void)snprintf(text, sizeof(text), "not found: %.60s", live->search);
	live_complain(live, text);
	return 0;
}
