// Runs many command lines of the built program one after the other in one process: `node many.cjs <JSON list of lists>`.
'use strict';
const { readFileSync, writeSync } = require('node:fs');
const { dirname, join } = require('node:path');
const { runInThisContext } = require('node:vm');

process.umask(0o077);

/** The program is loaded in parts, each of them one function: as `bin/ctx.ts` does. */
const parts = new Map();
/** Stands for a part until something of it is asked for. */
const later = (file, replace) =>
  parts.get(file)?.exports ?? new Proxy({}, { get: (_, name) => replace(load(file))[name] });
function load(file) {
  const known = parts.get(file);
  if (known) return known.exports;
  const part = { exports: {} };
  parts.set(file, part);
  const requireOf = (name, replace) => {
    if (!name.startsWith('.')) return require(name);
    const path = join(dirname(file), name);
    return replace ? later(path, replace) : load(path);
  };
  runInThisContext(readFileSync(file, 'latin1'), file)(part.exports, requireOf, part, file, dirname(file));
  return part.exports;
}
const { main } = load(join(__dirname, '..', '..', 'dist', 'main.cjs'));

/** On one line for whoever reads it, whatever the words are. */
const ascii = (value) =>
  JSON.stringify(value).replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

async function all() {
  for (const words of JSON.parse(process.argv[2])) {
    const began = performance.now();
    const code = await main(words);
    writeSync(1, `\n\u0000${ascii({ words, code, ms: Math.round(performance.now() - began) })}\n`);
  }
}
all().then(() => process.exit(0));
