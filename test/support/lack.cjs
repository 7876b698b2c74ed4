// Preload (`node -r`): has a machine lack something from one call on. LACK says what, LACK_AT at which of the calls that need it.
'use strict';
const fs = require('node:fs');
const zlib = require('node:zlib');
const { resolve } = require('node:path');

const { LACK = '', LACK_STORE = '', LACK_COUNT } = process.env;
const at = Number(process.env.LACK_AT ?? 0);
/** True if only that one call fails, or all that come after it too. */
const isOnce = process.env.LACK_ONCE === '1';
const real = { ...fs };
const handles = new Set();
let calls = 0;

const coded = (code, message, more = {}) => Object.assign(new Error(`${code}: ${message}`), { code, ...more });
const ERRORS = {
  EMFILE: (path) => coded('EMFILE', `too many open files, open '${path}'`, { errno: -24, syscall: 'open', path }),
  ENOMEM: (path) => coded('ENOMEM', `not enough memory, read '${path}'`, { errno: -12, syscall: 'read', path }),
  zlib: () => coded('Z_MEM_ERROR', 'insufficient memory', { errno: -4 }),
  init: () => coded('ERR_ZLIB_INITIALIZATION_FAILED', 'Initialization failed'),
  buffer: () => new RangeError('Array buffer allocation failed'),
  wasm: () => new RangeError('WebAssembly.Instance(): Out of memory: Cannot allocate Wasm memory for new instance'),
};

function need(path) {
  calls += 1;
  if (at > 0 && (isOnce ? calls === at : calls >= at)) throw ERRORS[LACK](path);
}

const inside = (path) => typeof path === 'string' && resolve(path).startsWith(`${LACK_STORE}/`);

function patch(object, names, isMeant) {
  for (const name of names) {
    const call = object[name];
    object[name] = (...words) => {
      if (isMeant(words[0])) need(words[0]);
      return call(...words);
    };
  }
}

fs.openSync = (path, ...rest) => {
  if (LACK === 'EMFILE' && inside(path)) need(path);
  const handle = real.openSync(path, ...rest);
  if (inside(path)) handles.add(handle);
  return handle;
};
if (LACK === 'EMFILE') patch(fs, ['readFileSync', 'readdirSync'], inside);
if (LACK === 'ENOMEM') {
  patch(fs, ['readFileSync', 'readdirSync'], inside);
  patch(fs, ['readSync'], (handle) => handles.has(handle));
}
if (LACK === 'zlib' || LACK === 'init') patch(zlib, ['inflateSync'], () => true);
if (LACK === 'buffer') {
  // Node's own allocations at its start do not count.
  const meant = () => new Error().stack.includes('/dist/');
  patch(Buffer, ['allocUnsafe', 'allocUnsafeSlow', 'alloc'], meant);
}
if (LACK === 'wasm') {
  const { Instance } = WebAssembly;
  WebAssembly.Instance = class {
    constructor(...words) {
      need();
      // biome-ignore lint/correctness/noConstructorReturn: it stands for the real one
      return new Instance(...words);
    }
  };
}

if (LACK_COUNT) process.on('exit', () => real.writeFileSync(LACK_COUNT, String(calls)));
