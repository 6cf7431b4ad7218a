// SPDX-License-Identifier: MIT
// Collapses perf script text on standard input by stackvis (an npm package): prints a line for each
// stack of each program, program`frame;program`frame count. The count is that of records.
// Usage: node collapse_stackvis.js FOLDER, where FOLDER contains the package.
'use strict';
const path = require('path');
const {reader: Reader} = require(path.resolve(process.argv[2], 'lib', 'input-perf.js'));

const counts = new Map();
const add = (stack, count) => counts.set(stack, (counts.get(stack) || 0) + count);
const reader = new Reader(process.stdin, {
	warn: message => {
		if (message.endsWith('found empty line with no stack')) {
			add('[no stack]', 1);
		} else {
			console.error(message);
			process.exitCode = 1;
		}
	},
});
reader.on('stack', (frames, count) => add(frames.join(';'), count));
reader.on('end', () => {
	for (const [stack, count] of counts)
		process.stdout.write(`${stack} ${count}\n`);
});
