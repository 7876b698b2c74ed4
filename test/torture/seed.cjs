// Preload (`node -r`): ids come out the same each time, so that a command that is run anew does the same calls and leaves the same bytes.
'use strict';
const fs = require('node:fs');
const Module = require('node:module');

/** First time of ids, in milliseconds since 1970; without it nothing is changed. */
const moment = Number(process.env.TORTURE_MOMENT ?? 0);

/** Numbers that look random (mulberry32), of the moment and the command line. */
let state = [...`${moment} ${process.argv.slice(2).join(' ')}`].reduce(
  (sum, letter) => Math.imul(sum ^ letter.codePointAt(0), 0x01000193),
  0x811c9dc5,
);
function next() {
  state = (state + 0x6d2b79f5) | 0;
  let mixed = Math.imul(state ^ (state >>> 15), state | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return (mixed ^ (mixed >>> 14)) >>> 0;
}
function fill(bytes) {
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = next() & 0xff;
  return bytes;
}

/** Bytes of the system's source of randomness, wherever it is read, and numbers of V8's. */
function seedRandom() {
  Math.random = () => (next() * 0x100000 + (next() >>> 12)) / 2 ** 52;
  const { openSync, readSync, closeSync } = fs;
  const sources = new Set();
  fs.openSync = (path, ...rest) => {
    const handle = openSync(path, ...rest);
    if (path === '/dev/urandom') sources.add(handle);
    return handle;
  };
  fs.closeSync = (handle) => {
    sources.delete(handle);
    return closeSync(handle);
  };
  fs.readSync = (handle, bytes, ...rest) => {
    if (!sources.has(handle)) return readSync(handle, bytes, ...rest);
    return fill(bytes).length;
  };
  const load = Module._load;
  Module._load = (name, ...rest) => {
    const loaded = load(name, ...rest);
    if (name === 'node:crypto') loaded.randomFillSync = fill;
    return loaded;
  };
}

/** Time that goes on with each look at it, and while the process sleeps: waits end as they do, and ids keep their order. */
function seedTime() {
  const { wait } = Atomics;
  const { now } = Date;
  let slept = 0n;
  let looks = 0n;
  Atomics.wait = (...given) => {
    const before = now();
    const woken = wait(...given);
    slept += BigInt(now() - before) * 1_000_000n;
    return woken;
  };
  const passed = () => {
    looks += 1n;
    return 1_000_000_000_000n + slept + looks * 1000n;
  };
  process.hrtime = (since) => {
    const at = passed() - (since ? BigInt(since[0]) * 1_000_000_000n + BigInt(since[1]) : 0n);
    return [Number(at / 1_000_000_000n), Number(at % 1_000_000_000n)];
  };
  process.hrtime.bigint = passed;
  // The first look at the wall clock is that of the ids, which count from it; the age of a file is asked of the real one.
  Date.now = () => {
    Date.now = now;
    return moment;
  };
}

if (moment > 0) {
  seedRandom();
  seedTime();
}
