// Killed in the middle of it: what was acknowledged is there, once and in order, however often and wherever the kill came.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readSteps } from '../../src/history/chain/chain.ts';
import { archiveRef } from '../../src/history/names/layout.ts';
import * as ctx from '../../src/index.ts';
import { ended, fsck, makeProject, startChild } from '../support/store.ts';

/** Observes and flushes without end, and tells each record's id as soon as it is acknowledged. */
const LOOP = `
  const fs = require('node:fs');
  const [folder, name] = words;
  const repository = ctx.openRepository({ directory: folder });
  for (let round = 0; round < 2000; round += 1) {
    const text = name + ' ' + round + ' ' + (round % 3 === 0 ? 'long '.repeat(1500) : '');
    fs.writeSync(1, ctx.observeNote(repository, text).records[0] + '\\n');
    if (round % 2 === 1) ctx.flushStep(repository);
    for (const verb of round % 5 === 4 ? ['ask', 'respond'] : []) {
      try {
        ctx.setState(repository, verb, { text: 'words' });
      } catch (error) {
        // The other process was first.
        if (error.code !== 'no_such_move') throw error;
      }
    }
  }
`;

/** Lets a process work until it has acknowledged some records, and kills it there; gives what it has acknowledged. */
async function killAfter(folder: string, name: string, count: number): Promise<string[]> {
  const child = await startChild(LOOP, [folder, name]);
  const end = ended(child);
  let lines = 0;
  child.stdout?.on('data', (piece: Buffer) => {
    lines += piece.toString('latin1').split('\n').length - 1;
    if (lines >= count) child.kill('SIGKILL');
  });
  const { out, err, signal } = await end;
  expect([signal, err]).toEqual(['SIGKILL', '']);
  // A line that the kill cut off was not read, and so was not acknowledged.
  return out.split('\n').slice(0, -1);
}

/** The records of the session, all flushed, and what they say. */
function records(repository: ctx.Repository, session: string): { id: string; text: string }[] {
  ctx.compactSession(repository);
  const head = repository.refs.read(archiveRef(session)) as string;
  return [...readSteps(repository.objects, head, true)].flatMap((step) =>
    step.records.map((record) => ({ id: record.id, text: String(record['content'] ?? '') })),
  );
}

test('one process after the other', async () => {
  const { folder, store, repository, open } = makeProject();
  const { session_id } = ctx.startSession(repository, 'the task');
  const acknowledged: string[] = [];
  for (const [round, count] of [1, 2, 3, 5, 8, 13, 21, 34].entries()) {
    acknowledged.push(...(await killAfter(folder, `round ${round}`, count)));
    // A half-done change is finished by the next command, and nothing of it is in the way.
    const state = ctx.sessionStatus(open()) as ctx.ActiveStatus;
    expect(state.session_id).toBe(session_id);
    if (state.session_state.kind === 'AwaitingUser') ctx.setState(open(), 'respond', { text: 'by the next one' });
  }
  expect(acknowledged.length).toBeGreaterThan(80);
  const all = records(open(), session_id);
  const ids = all.map((record) => record.id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids).toEqual([...ids].sort());
  const known = new Set(acknowledged);
  expect(ids.filter((id) => known.has(id))).toEqual(acknowledged);
  // At most the one that was being written may be there without having been acknowledged.
  const notes = all.filter((record) => record.text.startsWith('round '));
  expect(notes.length - acknowledged.length).toBeLessThanOrEqual(8);
  expect(existsSync(join(store, 'LOCK'))).toBe(false);
  // A file that a kill left half-written may stay: it is nobody's record.
  const left = readdirSync(join(store, 'pending'), { recursive: true, encoding: 'utf8' });
  expect(left.filter((name) => name.endsWith('.json'))).toEqual([]);
  expect(fsck(store)).toBe('');
});

test('two at once, both killed', async () => {
  const { folder, store, repository, open } = makeProject();
  const { session_id } = ctx.startSession(repository, 'the task');
  const loop = (name: string, counts: number[]): Promise<string[][]> =>
    counts.reduce(
      async (before, count) => [...(await before), await killAfter(folder, name, count)],
      Promise.resolve<string[][]>([]),
    );
  const both = await Promise.all([loop('left', [4, 9, 15]), loop('right', [7, 3, 11])]);
  if ((ctx.sessionStatus(open()) as ctx.ActiveStatus).session_state.kind === 'AwaitingUser') {
    ctx.setState(open(), 'respond', { text: 'x' });
  }
  const ids = records(open(), session_id).map((record) => record.id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const acknowledged of both) {
    const known = new Set(acknowledged.flat());
    expect(ids.filter((id) => known.has(id))).toEqual(acknowledged.flat());
  }
  expect(fsck(store)).toBe('');
});
