/*
 * Sorts and filters the table of functions, and opens the source that a link leads to. A link does
 * not change the address: the part behind # belongs to the flame graph (flame.js).
 */
(function () {
	'use strict';

	const table = document.querySelector('#flat');
	const body = table.tBodies[0];
	const rows = Array.from(body.rows);
	const filter = document.querySelector('#filter');

	/* The value by which a cell is sorted: its number, if it has one, or its text. */
	function value(row, column) {
		const cell = row.cells[column];

		return cell.dataset.v === undefined ? cell.textContent : Number(cell.dataset.v);
	}

	function sort_by(column) {
		rows.sort(function (a, b) {
			const x = value(a, column), y = value(b, column);

			if (typeof x === 'number')
				return y - x;
			return x < y ? -1 : x > y ? 1 : 0;
		});
		body.append.apply(body, rows);
	}

	Array.from(table.tHead.rows[0].cells).forEach(function (cell, column) {
		if (!cell.textContent)
			return;
		cell.className = 'sorts';
		cell.tabIndex = 0;
		cell.title = 'Sort by ' + cell.textContent;
		cell.addEventListener('click', function () { sort_by(column); });
		cell.addEventListener('keydown', function (event) {
			if (event.key === 'Enter')
				sort_by(column);
		});
	});

	filter.hidden = false;
	filter.addEventListener('input', function () {
		const wanted = filter.value.toLowerCase();

		for (const row of rows)
			row.hidden = !row.textContent.toLowerCase().includes(wanted);
	});

	document.addEventListener('click', function (event) {
		const link = event.target.closest('a[href^="#"]');
		const to = link && document.getElementById(link.getAttribute('href').slice(1));

		if (!to)
			return;
		event.preventDefault();
		if (to.tagName === 'DETAILS')
			to.open = true;
		to.scrollIntoView();
	});
})();
