// Starts processes for one that is large: a fork copies the page tables of whoever forks, which takes 10 ms for each 100 MB.
'use strict';
const { spawn } = require('node:child_process');

/** Does one order: a command line with what `spawn` takes, and what is typed; nothing of a process is kept behind its end. */
function launch({ file, words, options, input }, answer) {
  const stdin = input === undefined ? 'ignore' : 'pipe';
  const child = spawn(file, words, { ...options, stdio: [stdin, 'pipe', 'pipe'] });
  const said = { out: [], err: [] };
  child.stdout.on('data', (piece) => said.out.push(piece));
  child.stderr.on('data', (piece) => said.err.push(piece));
  // It may end before it has read all of it.
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(input);
  child.on('error', ({ message }) => {
    // A process that could not be begun closes all the same.
    child.removeAllListeners('close');
    answer({ error: message });
  });
  child.on('close', (code, signal) => {
    const [out, err] = [said.out, said.err].map((pieces) => Buffer.concat(pieces).toString('utf8'));
    answer({ ended: { code, signal, out, err } });
  });
}

process.on('message', ({ id, order }) => {
  launch(order, (reply) => process.connected && process.send({ id, ...reply }));
});
