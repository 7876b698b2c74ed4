// Preload (`node -r`): counts the calls that change a store, logs them, and puts a fault in the place of one of them.
'use strict';
require('./seed.cjs');
const fs = require('node:fs');
const { resolve } = require('node:path');

const { TORTURE_STORE, TORTURE_MODE = 'kill', TORTURE_MARK, TORTURE_LOG, TORTURE_LINKS } = process.env;
const store = resolve(TORTURE_STORE ?? '/nonexistent');
const at = Number(process.env.TORTURE_AT ?? 0);
const real = { ...fs };
/** Open files and folders of the store, by their handle. */
const open = new Map();
/** True if LOCK is ours. */
let holding = false;
let calls = 0;
let writes = 0;

const ERRORS = { ENOSPC: [-28, 'no space left on device'], EIO: [-5, 'i/o error'] };

const inside = (path) => {
  if (typeof path !== 'string') return false;
  const absolute = resolve(path);
  return absolute === store || absolute.startsWith(`${store}/`);
};

function mark(content) {
  if (TORTURE_MARK) real.writeFileSync(TORTURE_MARK, JSON.stringify(content));
}

const log = TORTURE_LOG ? real.openSync(TORTURE_LOG, 'a') : undefined;
function tell(entry) {
  if (log !== undefined) real.writeSync(log, `${JSON.stringify(entry)}\n`);
}

function die() {
  process.kill(process.pid, 'SIGKILL');
  for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000);
}

function failure(call, path) {
  const [errno, words] = ERRORS[TORTURE_MODE];
  const syscall = call.replace(/Sync$/, '');
  const message = `${TORTURE_MODE}: ${words}, ${syscall} '${path}'`;
  return Object.assign(new Error(message), { errno, code: TORTURE_MODE, syscall, path });
}

/** Counts a call; at the chosen one the fault happens instead of it. `half` does the first half of a write. */
function fault(call, path, half) {
  calls += 1;
  if (half) writes += 1;
  const count = TORTURE_MODE === 'torn' ? (half ? writes : 0) : calls;
  if (at === 0 || count !== at) return;
  mark({ hit: { index: at, call, path: path.slice(store.length + 1), holding } });
  if (TORTURE_MODE === 'kill') die();
  // A full disk takes the beginning of a write before it refuses the rest.
  if (half && TORTURE_MODE !== 'EIO') half();
  if (TORTURE_MODE === 'torn') die();
  throw failure(call, path);
}

const changes = (flags) =>
  typeof flags === 'number'
    ? (flags & (fs.constants.O_WRONLY | fs.constants.O_RDWR | fs.constants.O_CREAT | fs.constants.O_TRUNC)) !== 0
    : /[wa+]/.test(flags ?? 'r');

/** Returns the way in which a file is opened, as far as the model of a disk has to know: `r`, or that it changes, appends, begins anew. */
function letters(flags) {
  if (!changes(flags)) return 'r';
  if (typeof flags === 'string') return flags;
  const { O_APPEND, O_TRUNC } = fs.constants;
  return `+${flags & O_APPEND ? 'a' : ''}${flags & O_TRUNC ? 'w' : ''}`;
}

fs.openSync = (path, flags, mode) => {
  if (!inside(path)) return real.openSync(path, flags, mode);
  if (changes(flags)) fault('openSync', path);
  const handle = real.openSync(path, flags, mode);
  if (path === `${store}/LOCK` && changes(flags)) holding = true;
  open.set(handle, { path });
  tell({ call: 'open', path: resolve(path), handle, flags: letters(flags) });
  return handle;
};

fs.closeSync = (handle) => {
  if (open.delete(handle)) tell({ call: 'close', handle });
  return real.closeSync(handle);
};

fs.writeSync = (handle, content, offset = 0, length = undefined, position = undefined) => {
  const known = open.get(handle);
  if (!known) return real.writeSync(handle, content, offset, length, position);
  const bytes = Buffer.from(content).subarray(offset ?? 0, length === undefined ? undefined : (offset ?? 0) + length);
  fault('writeSync', known.path, () => real.writeSync(handle, bytes, 0, Math.floor(bytes.length / 2)));
  tell({ call: 'write', handle, position: position ?? null, data: bytes.toString('base64') });
  return real.writeSync(handle, content, offset, length, position);
};

fs.fsyncSync = (handle) => {
  const known = open.get(handle);
  if (!known) return real.fsyncSync(handle);
  fault('fsyncSync', known.path);
  tell({ call: 'fsync', handle });
  return real.fsyncSync(handle);
};
fs.fdatasyncSync = fs.fsyncSync;

/** A call on one or two paths that changes a folder. */
function patchPathCall(name, paths) {
  const original = real[name];
  fs[name] = (...given) => {
    const path = given.slice(0, paths).find(inside);
    if (path === undefined) return original(...given);
    // Acts as a file system without hard links; nothing has been done, so it is no call to be counted.
    if (name === 'linkSync' && TORTURE_LINKS === 'none')
      throw Object.assign(new Error(`EPERM: operation not permitted, link '${path}'`), { code: 'EPERM', errno: -1 });
    fault(name, path);
    const result = original(...given);
    if (name === 'linkSync' && given[1] === `${store}/LOCK`) holding = true;
    if (name === 'unlinkSync' && given[0] === `${store}/LOCK`) holding = false;
    tell({ call: name.replace(/Sync$/, ''), path: resolve(given[0]), to: paths === 2 ? resolve(given[1]) : undefined });
    return result;
  };
}
for (const name of [
  'unlinkSync',
  'mkdirSync',
  'rmdirSync',
  'rmSync',
  'truncateSync',
  'chmodSync',
  'utimesSync',
  'mkdtempSync',
])
  patchPathCall(name, 1);
for (const name of ['renameSync', 'linkSync', 'symlinkSync', 'copyFileSync']) patchPathCall(name, 2);

/** Node's own whole-file writes, put together from the calls above: newer ones go past them. */
function writeWhole(flag) {
  return (path, content, options) => {
    const name = flag === 'w' ? 'writeFileSync' : 'appendFileSync';
    if (!inside(path)) return real[name](path, content, options);
    const handle = fs.openSync(path, options?.flag ?? flag, options?.mode ?? 0o666);
    try {
      const bytes = Buffer.from(content);
      for (let done = 0; done < bytes.length; ) done += fs.writeSync(handle, bytes, done);
    } finally {
      fs.closeSync(handle);
    }
  };
}
fs.writeFileSync = writeWhole('w');
fs.appendFileSync = writeWhole('a');

/** Every file and folder of the store: contents, and null for folders. */
function pictureStore() {
  const found = new Map();
  for (const entry of real.readdirSync(store, { recursive: true, withFileTypes: true })) {
    const path = `${entry.parentPath}/${entry.name}`;
    found.set(path, entry.isDirectory() ? null : real.readFileSync(path).toString('base64'));
  }
  return found;
}

/** Records the changes of another process in the store, in one entry: its own calls are not seen here. */
function tellOther(before, now) {
  const gone = [...before.keys()].filter((path) => !now.has(path)).reverse();
  const made = [...now].filter(([path, data]) => before.get(path) !== data);
  if (gone.length + made.length > 0) tell({ call: 'other', gone, made });
}

if (log !== undefined) {
  const processes = require('node:child_process');
  const { spawnSync } = processes;
  processes.spawnSync = (...given) => {
    const before = pictureStore();
    const result = spawnSync(...given);
    tellOther(before, pictureStore());
    return result;
  };
}

process.on('exit', () => {
  const count = TORTURE_MODE === 'torn' ? writes : calls;
  // After a fault the mark tells of it already.
  if (at === 0 || count < at) mark({ calls, writes });
});
