/*
 * The test puts this script into a copy of a flame graph, after the graph's own script. It uses the
 * graph as people do, and writes each result to an attribute of the root, "data-probe-STEP". Errors
 * and alerts are added to window.bad.
 */
(function () {
	'use strict';

	const svg = document.documentElement;
	const frames = Array.from(document.querySelectorAll('.f'));
	const input = document.querySelector('#search');
	const buttons = Array.from(document.querySelectorAll('#tools button'));

	function note(step, value) {
		svg.setAttribute('data-probe-' + step, value);
	}

	function name(g) {
		const title = g.querySelector('title');

		return title ? title.textContent.split('\n')[0] : g.localName;
	}

	function shown() {
		return frames.filter(function (g) { return g.style.display !== 'none'; });
	}

	function found() {
		return document.querySelector('#found').textContent;
	}

	function press(key) {
		(document.activeElement || svg).dispatchEvent(
			new KeyboardEvent('keydown', { key: key, bubbles: true, cancelable: true }));
	}

	function type(text) {
		input.value = text;
		input.dispatchEvent(new Event('input', { bubbles: true }));
	}

	function click(element) {
		element.dispatchEvent(new MouseEvent('click', { bubbles: true }));
	}

	function rect_of(wanted) {
		return frames.find(function (g) { return name(g) === wanted; }).querySelector('rect');
	}

	function number(rect, what) {
		return Math.round(Number(rect.getAttribute(what)));
	}

	/* Counts labels that are wider than their frames. */
	function too_long() {
		return shown().filter(function (g) {
			const text = g.querySelector('text');

			return text.textContent && text.getComputedTextLength() >
				Number(g.querySelector('rect').getAttribute('width')) + 0.5;
		}).length;
	}

	note('frames', shown().length);
	if (!frames.length) {
		note('bad', window.bad.join('|') || 'nothing');
		return;
	}
	note('too-long', too_long());
	note('labels', shown().filter(function (g) {
		return g.querySelector('text').textContent;
	}).length);
	note('root-margin', Math.round(svg.getBoundingClientRect().width - 0.5 -
		Number(rect_of('all').getAttribute('width'))));
	note('scripts', document.querySelectorAll('script').length);
	note('elements', Array.from(new Set(Array.from(document.querySelectorAll('svg *'),
		function (e) { return e.localName; }))).sort().join(' '));

	type('eval|LEX');
	note('search', found());
	note('hits', document.querySelectorAll('.f.hit').length);
	note('hash', location.hash);
	press('/');
	note('slash', document.activeElement === input);
	press('Enter');
	note('next', name(document.activeElement));
	press('n');
	note('next-again', name(document.activeElement));
	type('[');
	note('half-typed', found());
	type('zzz');
	note('not-found', found());
	click(buttons[0]);
	note('cleared', found() + '|' + document.querySelectorAll('.f.hit, .f.off').length);

	if (document.querySelector('.l')) {
		click(document.querySelectorAll('.l')[document.querySelectorAll('.l').length - 1]);
		note('object', found());
		click(buttons[0]);
	}

	if (frames.some(function (g) { return name(g) === 'fib'; })) {
		click(rect_of('fib'));
		note('zoom', shown().map(name).join(' '));
		note('zoom-margin', Math.round(Number(rect_of('all').getAttribute('width')) -
			Number(rect_of('fib').getAttribute('width'))));
		note('status', document.querySelector('#status').textContent);
		press('Escape');
		note('unzoom', shown().length);
		press('ArrowUp');
		note('up', name(document.activeElement));
		press('ArrowRight');
		note('right', name(document.activeElement));
		press('ArrowUp');
		press('Enter');
		note('enter', shown().map(name).join(' '));
		click(buttons[1]);
		note('reset', shown().length);
		note('above', number(rect_of('main'), 'y') < number(rect_of('all'), 'y'));
		click(buttons[2]);
		note('flipped', number(rect_of('main'), 'y') > number(rect_of('all'), 'y'));
		location.hash = '#q=%5Eread&z=1';
		window.dispatchEvent(new Event('hashchange'));
		note('from-hash', found() + '|' + shown().length);
	}
	note('bad', window.bad.join('|') || 'nothing');
})();
