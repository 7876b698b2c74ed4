// From pending into the chain: more than one step can hold, and what a killed flush left.
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sha1 } from '../../src/git/objects/loose.ts';
import { verifyStore } from '../../src/health/verify/index.ts';
import { readSteps } from '../../src/history/chain/chain.ts';
import { sessionRef } from '../../src/history/names/layout.ts';
import * as ctx from '../../src/index.ts';
import { fsck, makeProject, temporaryFolder } from '../support/store.ts';

const numbers = (count: number): number[] => Array.from({ length: count }, (_, at) => at);

/** A session for which more waits than one object may hold: each record has short texts alone, which go into no payload. */
function backlog(count: number) {
  const project = makeProject();
  const { session_id } = ctx.startSession(project.repository, 'the task');
  const list = Array.from({ length: 150 }, (_, at) => `${at} ${'x'.repeat(90)}`);
  const observe = (from: number, to: number): void => {
    const lines = numbers(to)
      .slice(from)
      .map((at_line) => JSON.stringify({ kind: 'weather', at_line, list }));
    ctx.observeBatch(project.repository, [Buffer.from(lines.join('\n'))], project.folder);
  };
  observe(0, count);
  const folder = join(project.store, 'pending', session_id);
  const chain = (): number[] => {
    const head = project.repository.refs.read(`refs/sessions/${session_id}`) as string;
    return [...readSteps(project.repository.objects, head, true)].flatMap((step) =>
      step.records.filter((record) => record.kind === 'weather').map((record) => Number(record['at_line'])),
    );
  };
  return { ...project, folder, observe, chain };
}

test('what is too much for one step becomes several, and none grows beyond what can be read', () => {
  const { repository, store, chain, git } = backlog(2_600);
  const result = ctx.flushStep(repository, { note: 'behind them all' });
  expect(result.step).toBe(6);
  expect(chain()).toEqual(numbers(2_600));
  expect(readdirSync(join(store, 'pending'))).toEqual([]);
  for (const step of numbers(5)) {
    expect(Number(git('cat-file', '-s', `STAGE~${step}:step.jsonl`))).toBeLessThan(9 * 1024 * 1024);
  }
  expect(fsck(store)).toBe('');
});

test('of a flush that was killed before it removed its files nothing comes in twice', () => {
  const { repository, folder, observe, chain } = backlog(1_100);
  const copy = join(temporaryFolder(), 'pending');
  cpSync(folder, copy, { recursive: true });
  ctx.flushStep(repository);
  // Its files are there again, and newer ones beside them, in such a number that they are weighed.
  cpSync(copy, folder, { recursive: true });
  observe(1_100, 2_600);
  expect(ctx.sessionStatus(repository)).toMatchObject({ pending_observations: 1_500 });
  ctx.flushStep(repository);
  expect(chain()).toEqual(numbers(2_600));
});

describe('a waiting record that comes back from a backup', () => {
  /** A session of some steps with the files of what waited before the first of them. */
  function backedUp(steps: number) {
    const project = makeProject();
    const { session_id } = ctx.startSession(project.repository, 'the task');
    ctx.observeNote(project.repository, 'one');
    ctx.observeNote(project.repository, 'two');
    const pending = join(project.store, 'pending');
    cpSync(pending, join(project.folder, 'backup'), { recursive: true });
    for (let step = 0; step < steps; step += 1) {
      ctx.flushStep(project.open());
      ctx.observeNote(project.open(), `step ${step}`);
    }
    cpSync(join(project.folder, 'backup'), pending, { recursive: true });
    return { ...project, session_id };
  }

  test.each([1, 2, 5])('%i steps later: what the chain has is not flushed again', (steps) => {
    const { open, session_id, store } = backedUp(steps);
    expect(ctx.sessionStatus(open())).toMatchObject({ pending_observations: 1 });
    expect(ctx.flushStep(open())).toMatchObject({ flushed: 1 });
    expect(readdirSync(join(store, 'pending'))).toEqual([]);
    const { objects, refs } = open();
    const contents = [...readSteps(objects, refs.read(sessionRef(session_id)) as string, false)]
      .flatMap(({ records }) => records)
      .map((record) => (record as { content?: unknown }).content);
    expect(contents.filter((content) => content === 'one')).toHaveLength(1);
    expect(contents.filter((content) => content === 'two')).toHaveLength(1);
    expect(fsck(store)).toBe('');
    expect([...verifyStore(open(), true)]).toEqual([]);
  });

  test('one that an observer was late with is flushed: it is older than the last step, and in none', () => {
    const { open, store, session_id, repository } = backedUp(2);
    const [late] = ctx.observeNote(repository, 'late').records as [string];
    const folder = join(store, 'pending', session_id);
    const text = readFileSync(join(folder, `${late}.json`), 'utf8');
    const older = `00000000${late.slice(8)}`;
    const rest = text.slice(text.indexOf(',') + 1, -1).replace(late, older);
    rmSync(join(folder, `${late}.json`));
    writeFileSync(join(folder, `${older}.json`), `{"sha1":"${sha1(Buffer.from(rest))}",${rest}\n`, { mode: 0o600 });
    expect(ctx.flushStep(open())).toMatchObject({ flushed: 2 });
    expect(readdirSync(join(store, 'pending'))).toEqual([]);
  });
});
