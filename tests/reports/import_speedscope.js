// SPDX-License-Identifier: MIT
// Imports files by speedscope's own importer. Prints a line for each profile of each file: file,
// index, name, unit, total; and after it a line for each frame: file, index, "frame", name, self,
// total. Columns are separated by tabs.
// Usage: node import_speedscope.js speedscope-HASH.js FILE...
// The bundle is the whole application: it is run without a page, and its importer is found by the
// name under which it is exported.
'use strict';
const fs = require('fs');
const path = require('path');

const [bundle, ...files] = process.argv.slice(2);
const source = fs.readFileSync(bundle, 'utf8');
const found = /async function ([\w$]+)\([^)]*\)\{return\(await [\w$]+\)\.importProfileGroupFromText/
	.exec(source);
if (!found) {
	console.error(`${bundle} has no importProfileGroupFromText`);
	process.exit(1);
}

// Stands for the page: any property and call is permitted, and has no effect.
const nothing = new Proxy(function () {}, {
	get: (target, name) => name === Symbol.toPrimitive ? () => '' :
		name === 'then' ? undefined : nothing,
	set: () => true,
	apply: () => nothing,
	construct: () => nothing,
});
Object.assign(globalThis, {
	window: globalThis, document: nothing, localStorage: nothing, matchMedia: () => nothing,
	location: {hash: '', protocol: 'file:', search: '', pathname: ''},
	addEventListener: () => {}, requestAnimationFrame: () => {}, devicePixelRatio: 1,
	HTMLElement: class {}, Element: class {},
});
try {
	(0, eval)(`${source.slice(0, found.index)}globalThis.importText=(n,t)=>${found[1]}(n,t);` +
		source.slice(found.index));
} catch (error) {
	if (!globalThis.importText)
		throw error; // Without the importer. Else only the page could not be drawn.
}

console.log = () => {};
(async () => {
	for (const file of files) {
		const name = path.basename(file);
		const group = await globalThis.importText(name, fs.readFileSync(file, 'utf8'));
		const rows = [];
		if (!group)
			throw new Error(`${name}: speedscope does not know its format`);
		group.profiles.forEach((profile, index) => {
			rows.push([name, index, profile.getName(), profile.getWeightUnit(),
				profile.getTotalNonIdleWeight()]);
			profile.forEachFrame(frame => rows.push([name, index, 'frame', frame.name,
				frame.getSelfWeight(), frame.getTotalWeight()]));
		});
		process.stdout.write(rows.map(row => row.join('\t') + '\n').join(''));
	}
})().catch(error => {
	console.error(String(error.stack));
	process.exit(1);
});
