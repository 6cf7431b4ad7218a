/*
 * Fits the flame graph to the window, zooms and searches. What the user chose is kept in the address
 * behind #, so that a link shows the same: q (search), o (number of an object), z (number of the
 * frame that is zoomed to), flip (1: upside down).
 */
(function () {
	'use strict';

	const MARGIN = 10, ROW = 18, LINE = 18, LABEL = 4, LEAST = 0.3;
	const HELP = 'Click a frame to zoom, / to search, arrow keys to walk, Enter to zoom, ' +
		'Esc to zoom out.';
	/* The script is inside the graph, which is a file of its own (alone) or a part of a page. */
	const svg = document.currentScript.closest('svg');
	const alone = svg === document.documentElement;
	const group = svg.querySelector('#frames');
	const frames = [];
	const legend = Array.from(svg.querySelectorAll('.l'));
	const rows = Number(svg.dataset.rows);
	const state = { q: '', o: -1, z: 0, flip: svg.dataset.icicle === '1' };
	let hits = [], current = 0, width = 0, character = 7.25;

	/* Reads the frames, which are in depth-first order: a caller precedes its callees. */
	function read_frames() {
		const path = [];

		for (const g of group.querySelectorAll('.f')) {
			const d = Number(g.dataset.d);
			const title = g.querySelector('title').textContent;
			const frame = {
				g: g, d: d, index: frames.length,
				rect: g.querySelector('rect'), text: g.querySelector('text'),
				x: Number(g.dataset.x), w: Number(g.dataset.w),
				samples: Number(g.dataset.s), object: Number(g.dataset.o),
				title: title, name: title.split('\n')[0],
				parent: d ? path[d - 1] : null, children: []
			};

			path[d] = frame;
			if (frame.parent)
				frame.parent.children.push(frame);
			g.setAttribute('role', 'treeitem');
			g.setAttribute('aria-level', d + 1);
			g.setAttribute('tabindex', -1);
			frames.push(frame);
		}
	}

	/* The number of columns that a character takes in the label's font. */
	function columns(c) {
		const code = c.codePointAt(0);

		if (code >= 0x300 && code < 0x370)
			return 0;
		return code >= 0x1100 && (code < 0x2000 || code >= 0x2e80) ? 2 : 1;
	}

	function cut(name, room) {
		const all = Array.from(name);
		let used = 0, at = 0;

		while (at < all.length && used + columns(all[at]) <= room)
			used += columns(all[at++]);
		if (at === all.length)
			return name;
		if (room < 3)
			return '';
		while (at && used > room - 1)
			used -= columns(all[--at]);
		return all.slice(0, at).join('') + '\u2026';
	}

	function place_frame(frame, zoom, top) {
		const above = frame.d < zoom.d && frame.x <= zoom.x &&
			frame.x + frame.w >= zoom.x + zoom.w;
		const scale = (width - 2 * MARGIN) / zoom.w;
		const inside = frame.d >= zoom.d && frame.x >= zoom.x &&
			frame.x + frame.w <= zoom.x + zoom.w;
		const x = above ? MARGIN : MARGIN + (frame.x - zoom.x) * scale;
		const w = above ? width - 2 * MARGIN : frame.w * scale;
		const y = top + (state.flip ? frame.d : rows - 1 - frame.d) * ROW;

		frame.shown = (above || inside) && w >= LEAST;
		frame.g.style.display = frame.shown ? '' : 'none';
		if (!frame.shown)
			return;
		frame.g.classList.toggle('above', above);
		frame.rect.setAttribute('x', x);
		frame.rect.setAttribute('y', y);
		/* Half a pixel separates neighbours, unless the frame is too narrow for that. */
		frame.rect.setAttribute('width', w > 3 ? w - 0.5 : w);
		frame.text.setAttribute('x', x + LABEL / 2 + 1);
		frame.text.setAttribute('y', y + 13);
		frame.text.textContent = cut(frame.name, Math.floor((w - LABEL) / character));
	}

	/* Places the legend of objects at height y, as many in a line as fit; returns its end. */
	function place_legend(y) {
		let x = MARGIN;

		for (const item of legend) {
			const text = item.querySelector('text'), rect = item.querySelector('rect');
			const w = 17 + text.getComputedTextLength() + 22;

			if (x > MARGIN && x + w > width) {
				x = MARGIN;
				y += LINE;
			}
			rect.setAttribute('x', x);
			rect.setAttribute('y', y - 10);
			text.setAttribute('x', x + 17);
			text.setAttribute('y', y);
			x += w;
		}
		return y + LINE;
	}

	function place_all() {
		const zoom = frames[state.z];
		let y = LINE;

		width = Math.max(svg.getBoundingClientRect().width, 320);
		for (const line of svg.querySelectorAll(':scope > .title, :scope > .note')) {
			line.setAttribute('y', y);
			y += LINE;
		}
		tools.setAttribute('y', y - 8);
		tools.setAttribute('width', width - 2 * MARGIN);
		/*
		 * The parts of the bar wrap in a narrow window. They are laid out in a high box
		 * first, because offsetHeight is right only when nothing is cut off.
		 */
		tools.setAttribute('height', 200);
		y += bar.offsetHeight + 10;
		tools.setAttribute('height', bar.offsetHeight + 4);
		y = place_legend(y);
		status.setAttribute('y', y);
		y += 8;
		for (const frame of frames)
			place_frame(frame, zoom, y);
		y += rows * ROW + LINE;
		for (const line of svg.querySelectorAll('#foot text')) {
			line.setAttribute('y', y);
			y += LINE;
		}
		svg.setAttribute('height', y);
	}

	function say(text) {
		status.textContent = cut(text, Math.floor((width - 2 * MARGIN) / character));
	}

	function describe(frame) {
		say(frame.title.split('\n').join('  \u00b7  '));
	}

	function percent(part) {
		return (frames[0].w ? part * 100 / frames[0].w : 0).toFixed(1) + ' %';
	}

	function pattern() {
		if (!state.q)
			return null;
		try {
			return new RegExp(state.q, 'i');
		} catch (error) {
			/* A text that is no regular expression (not yet, or with brackets) is literal. */
			return new RegExp(state.q.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'i');
		}
	}

	/* Marks the frames found. If a stack has several, its weight counts once in the sum. */
	function mark_hits() {
		const wanted = pattern(), active = wanted || state.o >= 0;
		let weight = 0, samples = 0, within = Infinity;

		hits = [];
		for (const frame of frames) {
			const hit = active && frame.index > 0 &&
				(!wanted || wanted.test(frame.name)) &&
				(state.o < 0 || frame.object === state.o);

			frame.g.classList.toggle('hit', Boolean(hit && wanted));
			frame.g.classList.toggle('off', Boolean(active && !hit));
			if (frame.d <= within)
				within = Infinity;
			if (!hit)
				continue;
			hits.push(frame);
			if (within === Infinity) {
				within = frame.d;
				weight += frame.w;
				samples += frame.samples;
			}
		}
		for (const item of legend)
			item.classList.toggle('on', Number(item.dataset.o) === state.o);
		found.textContent = !active ? '' : !hits.length ? 'not found' :
			'found ' + percent(weight) + ', ' + samples + ' samples, in ' + hits.length +
			(hits.length === 1 ? ' frame' : ' frames');
	}

	function keep_state() {
		const kept = new URLSearchParams();

		if (state.q)
			kept.set('q', state.q);
		if (state.o >= 0)
			kept.set('o', state.o);
		if (state.z)
			kept.set('z', state.z);
		if (state.flip !== (svg.dataset.icicle === '1'))
			kept.set('flip', 1);
		try {
			history.replaceState(null, '', '#' + kept.toString());
		} catch (error) {
			/* Some viewers have no history: they keep no state. */
		}
	}

	function take_state() {
		const kept = new URLSearchParams(location.hash.slice(1));
		const z = Number(kept.get('z'));

		state.q = kept.get('q') || '';
		state.o = kept.has('o') ? Number(kept.get('o')) : -1;
		state.z = z > 0 && z < frames.length && z % 1 === 0 ? z : 0;
		state.flip = (svg.dataset.icicle === '1') !== kept.has('flip');
	}

	function show() {
		input.value = state.q;
		reset.disabled = !state.z;
		clear.disabled = !state.q && state.o < 0;
		mark_hits();
		place_all();
		if (state.z)
			describe(frames[state.z]);
		else
			say(HELP);
	}

	function change(changes) {
		Object.assign(state, changes);
		keep_state();
		show();
	}

	function focus(frame) {
		frames[current].g.setAttribute('tabindex', -1);
		current = frame.index;
		frame.g.setAttribute('tabindex', 0);
		frame.g.focus();
	}

	function zoom_to(frame) {
		change({ z: frame.index });
		focus(frame);
	}

	/* The next visible frame in the same row, in the direction of step (1 or -1). */
	function beside(frame, step) {
		let at = frame.index + step;

		while (at >= 0 && at < frames.length &&
			(frames[at].d !== frame.d || !frames[at].shown))
			at += step;
		return frames[at];
	}

	function next_hit(step) {
		const at = hits.findIndex(function (hit) { return hit.index >= current; });
		const exact = at >= 0 && hits[at].index === current;
		let to = at < 0 ? 0 : step < 0 || exact ? at + step : at;

		if (!hits.length)
			return;
		if (at < 0 && step < 0)
			to = hits.length - 1;
		to = hits[(to + hits.length) % hits.length];
		if (!to.shown)
			change({ z: 0 });
		focus(to);
	}

	function walk(frame, key) {
		const inward = state.flip ? 'ArrowDown' : 'ArrowUp';

		switch (key) {
		case 'ArrowUp':
		case 'ArrowDown':
			return key === inward ? frame.children[0] : frame.parent;
		case 'ArrowLeft': return beside(frame, -1);
		case 'ArrowRight': return beside(frame, 1);
		case 'Home': return frames[state.z];
		default: return undefined;
		}
	}

	function on_key(event) {
		const frame = frames[current];
		const target = event.target.closest ? event.target : svg;
		const to = walk(frame, event.key);

		if (event.ctrlKey || event.altKey || event.metaKey)
			return;
		if (event.key === 'Escape') {
			if (target === input && state.q)
				change({ q: '' });
			else
				zoom_to(frames[0]);
		} else if (target === input) {
			if (event.key === 'Enter')
				next_hit(event.shiftKey ? -1 : 1);
			return;
		} else if (target.closest('button')) {
			return;
		} else if (target.closest('.l') && (event.key === 'Enter' || event.key === ' ')) {
			toggle_object(target.closest('.l'));
		} else if (event.key === '/') {
			input.focus();
			input.select();
		} else if (event.key === 'n' || event.key === 'N') {
			next_hit(event.key === 'n' ? 1 : -1);
		} else if (event.key === 'f') {
			change({ flip: !state.flip });
		} else if (event.key === 'Enter' || event.key === ' ') {
			zoom_to(frame);
		} else if (to && to.shown) {
			focus(to);
		} else if (!/^(Arrow|Home)/.test(event.key)) {
			return;
		}
		event.preventDefault();
	}

	function toggle_object(item) {
		const object = Number(item.dataset.o);

		change({ o: state.o === object ? -1 : object });
	}

	function html(name, parent, attributes) {
		const element = document.createElementNS('http://www.w3.org/1999/xhtml', name);

		for (const key of Object.keys(attributes))
			element.setAttribute(key, attributes[key]);
		parent.appendChild(element);
		return element;
	}

	function button(text, title, action) {
		const element = html('button', bar, { type: 'button', title: title });

		element.textContent = text;
		element.style.font = 'inherit';
		element.addEventListener('click', action);
		return element;
	}

	const tools = document.createElementNS('http://www.w3.org/2000/svg', 'foreignObject');
	const status = document.createElementNS('http://www.w3.org/2000/svg', 'text');

	tools.setAttribute('x', MARGIN);
	status.setAttribute('id', 'status');
	status.setAttribute('x', MARGIN);
	status.setAttribute('aria-live', 'polite');
	svg.insertBefore(tools, group);
	svg.insertBefore(status, group);

	const bar = html('div', tools, { id: 'tools', style:
		'display: flex; flex-wrap: wrap; gap: 6px; align-items: center; ' +
		'font: 13px sans-serif; color-scheme: light dark; padding: 2px' });
	const input = html('input', bar, { type: 'search', id: 'search', size: 28,
		placeholder: 'search: regular expression', 'aria-label': 'Search functions',
		style: 'font: inherit', spellcheck: 'false', autocomplete: 'off' });
	const clear = button('Clear', 'End the search', function () {
		change({ q: '', o: -1 });
	});
	const reset = button('Reset zoom', 'Show all (Esc)', function () { change({ z: 0 }); });

	button('Flip', 'Callers on top, or at the bottom (f)', function () {
		change({ flip: !state.flip });
	});

	const found = html('output', bar, { id: 'found', 'aria-live': 'polite',
		style: 'color: #a3157d; background: #fff; padding: 0 4px; font-weight: bold' });

	read_frames();
	if (!frames.length)
		return;
	svg.removeAttribute('viewBox');
	svg.setAttribute('width', '100%');
	group.setAttribute('role', 'tree');
	group.setAttribute('aria-label', 'Flame graph');
	frames[0].g.setAttribute('tabindex', 0);
	for (const item of legend) {
		item.setAttribute('role', 'button');
		item.setAttribute('tabindex', 0);
		item.addEventListener('click', function () { toggle_object(item); });
	}

	const probe = frames[0].text;

	probe.textContent = 'm'.repeat(100);
	character = probe.getComputedTextLength() / 100 || character;

	function frame_of(event) {
		const g = event.target.closest('.f');

		return g ? frames.find(function (frame) { return frame.g === g; }) : null;
	}

	group.addEventListener('click', function (event) {
		const frame = frame_of(event);

		if (frame)
			zoom_to(frame);
	});
	group.addEventListener('mouseover', function (event) {
		const frame = frame_of(event);

		if (frame)
			describe(frame);
	});
	group.addEventListener('focusin', function (event) {
		const frame = frame_of(event);

		if (frame)
			describe(frame);
	});
	input.addEventListener('input', function () { change({ q: input.value }); });
	(alone ? window : svg).addEventListener('keydown', on_key);
	window.addEventListener('resize', place_all);
	window.addEventListener('hashchange', function () {
		take_state();
		show();
	});
	take_state();
	show();
})();
