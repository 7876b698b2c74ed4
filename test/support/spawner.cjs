// Runs programs for a large process, one after the other: reads what to run from one pipe, and writes how it ended to another.
'use strict';
const { spawnSync } = require('node:child_process');
const { openSync, readSync, writeSync } = require('node:fs');

const orders = openSync(process.argv[2], 'r');
const answers = openSync(process.argv[3], 'w');

/** So many bytes; at the end of the pipe there is nobody left to run anything for. */
function take(length) {
  const bytes = Buffer.allocUnsafe(length);
  for (let at = 0; at < length; ) {
    const more = readSync(orders, bytes, at, length - at, null);
    if (more === 0) process.exit(0);
    at += more;
  }
  return bytes;
}

function give(bytes) {
  for (let at = 0; at < bytes.length; ) at += writeSync(answers, bytes, at);
}

for (;;) {
  const { file, words, options, input } = JSON.parse(take(take(4).readUInt32LE()).toString('utf8'));
  // A terminal of the person who runs the tests must not be read from.
  const stdio = [input === null ? 'ignore' : 'pipe', 'pipe', 'pipe'];
  const given = input === null ? {} : { input: take(input) };
  const ended = spawnSync(file, words, { ...options, ...given, stdio, maxBuffer: 1024 * 1024 * 1024 });
  const [out, err] = [ended.stdout ?? Buffer.alloc(0), ended.stderr ?? Buffer.alloc(0)];
  const { status, signal, error } = ended;
  const told = {
    status,
    signal,
    out: out.length,
    err: err.length,
    error: error && { message: error.message, code: error.code },
  };
  const head = Buffer.from(JSON.stringify(told));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(head.length);
  give(Buffer.concat([length, head, out, err]));
}
