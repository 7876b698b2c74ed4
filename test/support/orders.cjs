// Exchanges messages between tests and their helpers through pipes: commands to run, and their results.
'use strict';
const { readSync, writeSync } = require('node:fs');

/** Reads so many bytes; null at the end of the pipe, when there is nobody left to run anything for. */
function take(pipe, length) {
  const bytes = Buffer.allocUnsafe(length);
  for (let at = 0; at < length; ) {
    const more = readSync(pipe, bytes, at, length - at, null);
    if (more === 0) return null;
    at += more;
  }
  return bytes;
}

/** Yields each order with the input that belongs to it, or null. */
exports.ordersOf = function* ordersOf(pipe) {
  for (let head = take(pipe, 4); head !== null; head = take(pipe, 4)) {
    const order = JSON.parse(take(pipe, head.readUInt32LE()).toString('utf8'));
    yield [order, order.input === null ? null : take(pipe, order.input)];
  }
};

/** Answers an order: how it ended, and what it wrote. */
exports.give = function give(pipe, ended, out, err) {
  const head = Buffer.from(JSON.stringify({ ...ended, out: out.length, err: err.length }));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(head.length);
  const bytes = Buffer.concat([length, head, out, err]);
  for (let at = 0; at < bytes.length; ) at += writeSync(pipe, bytes, at);
};
