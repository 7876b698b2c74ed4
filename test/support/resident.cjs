// Runs command lines of ctx for the tests in a process that is there already: to start Node takes ten times as long as most commands.
// Each line evaluates the whole program again, so that none finds what another one has left in memory.
'use strict';
const fs = require('node:fs');
const { tmpdir } = require('node:os');
const { dirname, join } = require('node:path');
const vm = require('node:vm');
const { give, ordersOf } = require('./orders.cjs');

const [ordersPipe, answersPipe, program] = process.argv.slice(2);
const orders = fs.openSync(ordersPipe, 'r');
const answers = fs.openSync(answersPipe, 'w');
const folder = fs.mkdtempSync(join(fs.realpathSync(tmpdir()), 'ctx-resident-'));
const umask = process.umask();

/** Opens a file under the number of a standard stream. */
function reopen(handle, path, flags) {
  fs.closeSync(handle);
  if (fs.openSync(path, flags) !== handle) throw new Error(`${path} was not opened as ${handle}`);
}

// Written text is read through the same handles, so that the files need no names.
for (const [handle, name] of [
  [1, 'out'],
  [2, 'err'],
])
  reopen(handle, join(folder, name), 'a+');
const typed = join(folder, 'in');
process.on('exit', () => fs.rmSync(folder, { recursive: true, force: true }));

/** Takes what has been written to a standard stream. */
function taken(handle) {
  const bytes = Buffer.alloc(fs.fstatSync(handle).size);
  for (let at = 0; at < bytes.length; ) at += fs.readSync(handle, bytes, at, bytes.length - at, at);
  fs.ftruncateSync(handle, 0);
  return bytes;
}

/** The scripts by file: compiled once, and evaluated at each run. */
const scripts = new Map();

/** Stands in for the constructor of the same name. */
function Script(source, options) {
  const known = scripts.get(options.filename);
  if (known?.source === source) return known.script;
  const script = new vm.Script(source, options);
  scripts.set(options.filename, { source, script });
  return script;
}

const requireFor = (name) => (name === 'node:vm' ? { ...vm, Script } : require(name));
const text = fs.readFileSync(program, 'latin1').replace(/^#!.*/, '');
const parameters = '(function (exports, require, module, __filename, __dirname, process) {';
const evaluate = new vm.Script(`${parameters}${text}\n})`, { filename: program }).runInThisContext();

/** Handler of the program of the current run for an error that nothing has caught. */
let uncaught = (error) => {
  throw error;
};
process.on('uncaughtException', (error) => uncaught(error));

/** Runs the program to the exit code that it asks for. */
function exitCodeOf(words) {
  const began = process.hrtime.bigint();
  process.uptime = () => Number(process.hrtime.bigint() - began) / 1e9;
  process.argv = [process.execPath, program, ...words];
  return new Promise((resolve) => {
    const own = Object.create(process, {
      exit: { value: resolve },
      on: { value: (_event, handle) => (uncaught = handle) },
    });
    const module = { exports: {} };
    evaluate(module.exports, requireFor, module, program, dirname(program), own);
  });
}

/** Does in this process what is particular to one of its own: environment, folder and standard input. */
function surround({ env, cwd }, input) {
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
  process.chdir(cwd ?? folder);
  if (input !== null) fs.writeFileSync(typed, input);
  reopen(0, input === null ? '/dev/null' : typed, 'r');
}

async function answer({ words, options }, input) {
  try {
    surround(options, input);
  } catch ({ message, code }) {
    return [{ error: { message, code } }, Buffer.alloc(0), Buffer.alloc(0)];
  }
  const status = await exitCodeOf(words);
  process.umask(umask);
  return [{ status, signal: null }, taken(1), taken(2)];
}

(async () => {
  for (const [order, input] of ordersOf(orders)) give(answers, ...(await answer(order, input)));
  process.exit(0);
})();
