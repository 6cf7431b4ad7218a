/* SPDX-License-Identifier: MIT */
/* The first lines: the target and its state, how it is sampled, and how far that can be trusted. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "profile/audit.h"
#include "view/live_internal.h"
#include "view/text.h"

static uint64_t figure(const struct live *live, const char *key)
{
	uint64_t value = 0;

	(void)profile_audit(live->profile, key, &value);
	return value;
}

/* Samples are periods of the wall clock. */
static bool is_by_wall(const struct live *live)
{
	size_t named = profile_default_value(live->profile);

	return named != SIZE_MAX &&
		strcmp(profile_value_type(live->profile, named).type, "wall") == 0;
}

static double cpus_by_samples(const struct live *live, uint64_t begun_ns)
{
	double cpu = 0;

	for (size_t i = 0; i < profile_samples(live->profile); i++)
		cpu += (double)profile_sample(live->profile, i).value[VALUE_CPU_NS];
	return begun_ns && live->now_ns > begun_ns ? cpu / (double)(live->now_ns - begun_ns) : 0;
}

/* Figures come once a second; what a second brought is the difference. */
void live_see_audit(struct live *live, uint64_t begun_ns)
{
	struct live_audit *audit = &live->audit;
	struct live_audit next = *audit;
	double wall, sampled;

	next.wall_ns = figure(live, "wall_ns");
	if (next.wall_ns <= audit->wall_ns && audit->known)
		return;
	next.cpu_ns = figure(live, "profiled_cpu_ns");
	next.kernel_ns = figure(live, "kernel_cpu_ns");
	next.stopped_ns = figure(live, "stopped_ns");
	next.lost = figure(live, "lost_samples");
	next.samples = 0;
	for (size_t i = 0; i < profile_samples(live->profile); i++)
		next.samples += (uint64_t)profile_sample(live->profile, i).value[VALUE_SAMPLES];
	if (!next.wall_ns) {
		audit->first_cpus = cpus_by_samples(live, begun_ns);
		return;
	}
	wall = (double)(next.wall_ns - audit->wall_ns);
	/* The time that samples stand for: with the wall clock, waiting too. */
	next.sampled_ns = next.cpu_ns;
	if (is_by_wall(live))
		next.sampled_ns += figure(live, "runqueue_ns") + figure(live, "blocked_ns");
	sampled = (double)(next.sampled_ns - audit->sampled_ns);
	next.cpus = (double)(next.kernel_ns - audit->kernel_ns) / wall;
	if (next.kernel_ns < audit->kernel_ns || next.cpus > 1e5)
		next.cpus = 0;
	next.rate = sampled > 0 ? (double)(next.samples - audit->samples) * 1e9 / sampled : 0;
	next.coverage = next.kernel_ns ? (double)next.cpu_ns / (double)next.kernel_ns : 0;
	next.stopped = next.kernel_ns + next.stopped_ns
		? (double)next.stopped_ns / (double)(next.kernel_ns + next.stopped_ns)
		: 0;
	if (next.seconds == LIVE_HISTORY)
		memmove(next.history, next.history + 1, (LIVE_HISTORY - 1) * sizeof(*next.history));
	else
		next.seconds++;
	next.history[next.seconds - 1] = (float)next.cpus;
	next.known = true;
	*audit = next;
}

/* The newest seconds; a full character is a whole CPU, or the most there was. */
static void format_history(const struct live *live, size_t columns, char *to, size_t room)
{
	static const char ascii[] = " .:-=+*#";
	const struct live_audit *audit = &live->audit;
	size_t first = audit->seconds > columns ? audit->seconds - columns : 0, n = 0;
	float most = 1;

	to[0] = '\0';
	for (size_t i = first; i < audit->seconds; i++)
		most = fmaxf(most, audit->history[i]);
	for (size_t i = first; i < audit->seconds && n + 4 < room; i++) {
		int level = (int)(audit->history[i] / most * 7 + 0.5F);

		if (live->options.ascii)
			n += (size_t)snprintf(to + n, room - n, "%c", ascii[level]);
		else if (audit->history[i] < 0.005F)
			n += (size_t)snprintf(to + n, room - n, " ");
		else
			n += (size_t)snprintf(to + n, room - n, "\xe2\x96%c", (char)(0x81 + level));
	}
}

static const char *describe_running(const struct live *live)
{
	if (live->frozen)
		return "frozen";
	if (live->audit.known)
		return live->audit.cpus > 0.005 ? "running" : "idle";
	/* What the kernel counts comes after a second. */
	return live->profile && profile_samples(live->profile) ? "running" : "watching";
}

static unsigned format_state(const struct live *live, char *to, size_t room)
{
	if (live->state == LIVE_STARTS)
		(void)snprintf(to, room, "starting");
	else if (live->state == LIVE_LET_GO)
		(void)snprintf(to, room, "let go");
	else if (live->state == LIVE_CUT_OFF)
		(void)snprintf(to, room, "supervisor died");
	else if (live->state == LIVE_RUNS)
		(void)snprintf(to, room, "%s", describe_running(live));
	else if (live->signal)
		(void)snprintf(to, room, "killed by signal %d", live->signal);
	else if (live->status > 0)
		(void)snprintf(to, room, "ended, status %d", live->status);
	else
		(void)snprintf(to, room, "ended");
	if (live->frozen)
		return STYLE_WARN;
	return live->state == LIVE_RUNS ? STYLE_GOOD : STYLE_BAD;
}

/* "250 Hz", and what came of it where that is less. */
static void format_rate(const struct live *live, char *to, size_t room)
{
	char asked[TEXT_UNIT_BYTES], reached[TEXT_UNIT_BYTES];

	text_format_hz(live->period_ns ? 1e9 / (double)live->period_ns : 0, asked);
	text_format_hz(live->audit.rate, reached);
	if (live->audit.rate > 0)
		(void)snprintf(
			to, room, "%s, got %.*s", asked, (int)strcspn(reached, " "), reached);
	else
		(void)snprintf(to, room, "%s", asked);
}

static void format_mode(const struct live *live, char *to, size_t room)
{
	char type[24] = "", span[TEXT_UNIT_BYTES];

	if (live->profile && live->value != VALUE_CPU_NS)
		(void)snprintf(type, sizeof(type), "%s, ",
			profile_value_type(live->profile, live->value).type);
	if (live->weights.half_life_ns < 100e9)
		(void)snprintf(span, sizeof(span), "%.3g s", live->weights.half_life_ns / 1e9);
	else
		text_format_ns((uint64_t)live->weights.half_life_ns, span);
	if (live->decay)
		(void)snprintf(to, room, "%slast %s", type, span);
	else
		(void)snprintf(to, room, "%stotals", type);
}

static void draw_target(struct live *live, struct screen *screen)
{
	char state[48], rate[48], mode[64], right[160];
	unsigned style = format_state(live, state, sizeof(state)), at = 1, end, room;

	format_rate(live, rate, sizeof(rate));
	format_mode(live, mode, sizeof(mode));
	(void)snprintf(right, sizeof(right), "%s  %s ", rate, mode);
	if (screen->columns < 76)
		(void)snprintf(right, sizeof(right), "%s ", mode);
	end = screen->columns - screen_put_right(screen, 0, screen->columns, 60, STYLE_TEXT, right);
	if (live->paused)
		end -= screen_put_right(screen, 0, end - 1, 8, STYLE_WARN, " PAUSED ") + 2;
	/* The state is whole, and the name gets what is left. */
	room = (unsigned)text_columns(state) + 4;
	at += screen_put(screen, 0, at, end > at + room + 8 ? end - at - room : 8, STYLE_BOLD,
		live->target[0] ? live->target : "sproftop");
	at += 2;
	if (at < end)
		(void)screen_put(screen, 0, at, end - at, style, state);
	screen_restyle(screen, 0, 0, screen->columns, STYLE_ON_BAR);
}

struct piece {
	const char *label;
	char text[48];
	unsigned style;
};

static void draw_piece(struct screen *screen, unsigned *at, const struct piece *piece)
{
	size_t need = text_columns(piece->label) + 1 + text_columns(piece->text);

	if (*at + need > screen->columns)
		return;
	*at += screen_put(screen, 1, *at, screen->columns, STYLE_DIM, piece->label) + 1;
	*at += screen_put(screen, 1, *at, screen->columns, piece->style, piece->text) + 2;
}

static void draw_audit(struct live *live, struct screen *screen)
{
	const struct live_audit *audit = &live->audit;
	double bound = live->options.overhead_percent;
	char history[4 * LIVE_HISTORY + 8];
	struct piece piece[4] = {{.label = "CPU", .style = STYLE_BOLD},
		{.label = "coverage",
			.style = audit->kernel_ns && audit->coverage < 0.95 ? STYLE_WARN
									    : STYLE_GOOD},
		{.label = "stopped", .style = STYLE_TEXT},
		{.label = "lost", .style = audit->lost ? STYLE_BAD : STYLE_TEXT}};
	unsigned at = 1, room;

	if (!audit->known) {
		(void)snprintf(
			piece[0].text, sizeof(piece[0].text), "%5.1f %%", audit->first_cpus * 100);
		if (audit->first_cpus > 0)
			draw_piece(screen, &at, &piece[0]);
		(void)screen_put(screen, 1, at, screen->columns, STYLE_DIM,
			"the audit comes after the first second");
		return;
	}
	(void)snprintf(piece[0].text, sizeof(piece[0].text), "%5.1f %%", audit->cpus * 100);
	(void)snprintf(piece[1].text, sizeof(piece[1].text), audit->kernel_ns ? "%.1f %%" : "-",
		audit->coverage * 100);
	(void)snprintf(piece[3].text, sizeof(piece[3].text), "%" PRIu64, audit->lost);
	if (bound > 0) {
		(void)snprintf(piece[2].text, sizeof(piece[2].text), "%.2f of %.3g %%",
			audit->stopped * 100, bound);
		if (audit->stopped * 100 > bound)
			piece[2].style = STYLE_WARN;
	} else {
		(void)snprintf(
			piece[2].text, sizeof(piece[2].text), "%.2f %%", audit->stopped * 100);
	}
	draw_piece(screen, &at, &piece[0]);
	/* The history takes what the figures leave. */
	room = screen->columns > at + 60 ? screen->columns - at - 52 : 8;
	format_history(live, room > LIVE_HISTORY ? LIVE_HISTORY : room, history, sizeof(history));
	if (screen->columns >= 60)
		at += screen_put(screen, 1, at - 1, room, STYLE_ACCENT, history) + 1;
	for (size_t i = 1; i < 4; i++)
		draw_piece(screen, &at, &piece[i]);
}

/* "Functions  thread worker 101  object libc.so.6  filter x", and how many rows there are. */
static void draw_title(struct live *live, struct screen *screen)
{
	const struct live_page *page = live_page(live);
	char crumb[5][96] = {""}, count[64] = "";
	const char *sign = live->options.ascii ? " > " : " \xe2\x80\xba ";
	unsigned at = 1, end = screen->columns;
	size_t n = 0;

	if (page->tid)
		(void)snprintf(crumb[n++], 96, "thread %" PRIu32, page->tid);
	if (page->object)
		(void)snprintf(crumb[n++], 96, "object %s", text_basename(page->object));
	if (page->place != LIVE_NONE && page->place < live->places.functions)
		(void)snprintf(crumb[n++], 96, "%s", live->places.function[page->place].function);
	if (page->root)
		(void)snprintf(crumb[n++], 96, "subtree");
	if (live->has_filter)
		(void)snprintf(crumb[n++], 96, "filter %.80s", live->filter);
	if (live->table.n < live->table.of)
		(void)snprintf(count, sizeof(count), "%zu of %zu ", live->table.n, live->table.of);
	else if (!live_views[page->view].is_text)
		(void)snprintf(count, sizeof(count), "%zu ", live->table.n);
	end -= screen_put_right(screen, 2, end, 24, STYLE_DIM, count);
	at += screen_put(screen, 2, at, end - at, STYLE_ACCENT, live_views[page->view].title);
	for (size_t i = 0; i < n && at < end; i++) {
		at += screen_put(screen, 2, at, end - at, STYLE_DIM, sign);
		if (at < end)
			at += screen_put(screen, 2, at, end - at, STYLE_BOLD, crumb[i]);
	}
}

void live_draw_head(struct live *live, struct screen *screen)
{
	draw_target(live, screen);
	if (screen->rows > 4)
		draw_audit(live, screen);
	if (screen->rows > 5)
		draw_title(live, screen);
}
