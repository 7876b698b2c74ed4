// Ctrl-C during long work: the work ends in the midst of a loop, what was done is said, and the process ends as by the signal.
import { expect, test } from 'vitest';
import { takeLock } from '../../src/platform/lock.ts';
import { ended, makeProject, said, startChild } from '../support/store.ts';

/** Work of each kind; each writes `ready` once it is under way: Node may lose a signal in the moment at which a script ends. */
const WORKS = {
  'a loop that never pauses': `() => { try { say('ready'); for (;;); } finally { say('finally'); } }`,
  'a wait for a lock': `() => { say('ready'); for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1e6); }`,
  'work that waits for another program': `async () => { await null; say('ready'); await new Promise((done) => setTimeout(done, 1e6)); }`,
};

test.each(Object.entries(WORKS))('%s is broken off, and what was done is said', async (_name, work) => {
  const child = await startChild(`
    const say = (words) => require('fs').writeSync(1, words + '\\n');
    ctx.runInterruptible(${work}, () => say('Interrupted: 3 of 5.')).then(() => say('done'), (error) => say(String(error)));`);
  const all = ended(child);
  await said(child, 'ready');
  child.kill('SIGINT');
  const { signal, out } = await all;
  expect(signal).toBe('SIGINT');
  expect(out).toBe('ready\nInterrupted: 3 of 5.\n');
});

test('work that is not interrupted gives its result and its error, and leaves no listener', async () => {
  const child = await startChild(`
    const say = (words) => require('fs').writeSync(1, words + '\\n');
    const run = (work) => ctx.runInterruptible(work, () => say('Interrupted'));
    (async () => {
      say(await run(() => 'sync'));
      say(await run(async () => 'async'));
      await run(() => { throw new Error('bad'); }).catch((error) => say(error.message));
      say(String(process.listenerCount('SIGINT')));
    })();`);
  expect((await ended(child)).out).toBe('sync\nasync\nbad\n0\n');
});

test('a lock of work that was broken off is broken by the next command', async () => {
  const { store, repository } = makeProject();
  const path = `${store}/LOCK`;
  const child = await startChild(
    `ctx.runInterruptible(() => {
      ctx.takeLock({ path: words[0], wait: 0, ids: ctx.uuidSource(), durability: { fsync: false } });
      require('fs').writeSync(1, 'ready');
      for (;;);
    }, () => undefined);`,
    [path],
  );
  const all = ended(child);
  await said(child, 'ready');
  child.kill('SIGINT');
  await all;
  takeLock({ path, wait: 0, ids: repository.ids, durability: { fsync: false } })();
});
