// Runs programs for a large process, one after the other: reads what to run from one pipe, and writes how it ended to another.
'use strict';
const { spawnSync } = require('node:child_process');
const { openSync } = require('node:fs');
const { give, ordersOf } = require('./orders.cjs');

const orders = openSync(process.argv[2], 'r');
const answers = openSync(process.argv[3], 'w');

for (const [{ file, words, options }, input] of ordersOf(orders)) {
  // A terminal of the person who runs the tests must not be read from.
  const stdio = [input === null ? 'ignore' : 'pipe', 'pipe', 'pipe'];
  const given = input === null ? {} : { input };
  const ran = spawnSync(file, words, { ...options, ...given, stdio, maxBuffer: 1024 * 1024 * 1024 });
  const { status, signal, error } = ran;
  const ended = { status, signal, error: error && { message: error.message, code: error.code } };
  give(answers, ended, ran.stdout ?? Buffer.alloc(0), ran.stderr ?? Buffer.alloc(0));
}
