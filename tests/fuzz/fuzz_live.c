/* SPDX-License-Identifier: MIT */
/*
 * The input is a sequence of events for the live view. Each byte is a key, or one of the acts
 * below: the profile grows, the screen changes its size, the target ends. The terminal's output
 * goes to /dev/null.
 */
#include <stdlib.h>

#include "tests/fuzz/fuzz.h"
#include "tests/unit/live_fixture.h"
#include "view/live/terminal.h"

enum { EVENTS, PARTS };
const unsigned fuzz_parts = PARTS;

enum { ACT_SPECIAL = 0x80, ACT_RESIZE = 0xb0, ACT_GROW = 0xc0, ACT_LOOK = 0xd0, ACT_MOUSE = 0xe0 };

struct user {
	struct live_fixture fixture;
	struct live *live;
	struct terminal *terminal;
	struct screen screen;
	uint64_t second;
	unsigned rows, columns;
	FILE *null;
};

static void grow(struct user *u, unsigned how)
{
	uint32_t leaf = u->fixture.work[how * 7 % 40], mid = u->fixture.work[how * 3 % 40];
	uint32_t stack[] = {leaf, mid, u->fixture.work[how % 5], u->fixture.dispatch_at, mid,
		u->fixture.main_at};
	struct profile *p = u->fixture.profile;
	char name[32];

	fixture_add(p, u->fixture.task, stack + how % 3, 6 - how % 3, (int64_t)(how % 16) + 1);
	if (how % 4)
		return;
	(void)snprintf(name, sizeof(name), "late_%u", how);
	stack[0] = fixture_location(p, u->fixture.exe, 0x9000 + how, NULL, 0);
	fixture_add(p, u->fixture.task, stack, 6, 3);
	if (how % 8)
		(void)live_fixture_place(p, u->fixture.exe, 0x9000 + how, name, "late.c", how);
	(void)profile_set_audit(p, "wall_ns", (u->second + 6) * LIVE_SECOND_NS);
	(void)profile_set_audit(p, "kernel_cpu_ns", (u->second + 5) * LIVE_SECOND_NS);
}

static void act(struct user *u, uint8_t byte, uint8_t next)
{
	struct live_key key = {.code = byte};
	struct control *control = live_control(u->live);

	if (byte >= ACT_MOUSE) {
		key = (struct live_key){LIVE_KEY_WHEEL_UP + byte % 4, next % 64, next};
	} else if (byte >= ACT_LOOK) {
		u->second += byte % 16 + 1;
		(void)live_fixture_look(u->live, u->fixture.profile, u->second);
		return;
	} else if (byte >= ACT_GROW) {
		grow(u, next);
		return;
	} else if (byte >= ACT_RESIZE) {
		u->rows = next % 64 + 1;
		u->columns = next * (byte % 4 + 1) % 250 + 1;
		terminal_resize(u->terminal, u->rows, u->columns);
		return;
	} else if (byte >= ACT_SPECIAL) {
		key.code = LIVE_KEY_UP + byte % (LIVE_KEY_F10 - LIVE_KEY_UP + 1);
	}
	(void)live_press(u->live, key);
	free(control->save_as);
	*control = (struct control){0};
}

static void paint(struct user *u, bool anew)
{
	if (screen_resize(&u->screen, u->rows, u->columns) == 0 &&
		live_draw(u->live, &u->screen) == 0)
		terminal_paint(u->terminal, &u->screen, anew);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct user u = {.second = 10, .rows = 24, .columns = 80};

	u.null = fopen("/dev/null", "r+e");
	if (!u.null ||
		terminal_open("xterm-256color", u.null, u.null, true, false, &u.terminal) < 0)
		abort();
	live_fixture_init(&u.fixture);
	u.live = live_fixture_new(size % 2, size % 3 == 0);
	(void)live_fixture_look(u.live, u.fixture.profile, u.second);
	for (size_t i = 0; i < size; i++) {
		act(&u, data[i], i + 1 < size ? data[i + 1] : 0);
		if (i % 8 == 0 || data[i] >= ACT_RESIZE)
			paint(&u, data[i] == ACT_RESIZE);
	}
	paint(&u, true);
	fuzz_accept(EVENTS);
	terminal_close(u.terminal);
	live_free(u.live);
	screen_release(&u.screen);
	profile_free(u.fixture.profile);
	(void)fclose(u.null);
	return 0;
}
