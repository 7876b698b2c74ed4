// Tokens of all real transcripts, compared with a count that knows nothing of our readers; and copies count once.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { usageOf } from '../../src/app/find/usage.ts';
import { type IngestManyResult, ingestMany } from '../../src/app/intake/many.ts';
import * as ctx from '../../src/index.ts';
import { hasReal, noReal, REAL } from '../agents/support/corpus.ts';
import { countFile } from '../agents/support/independent-count.ts';
import { makeProject, type Project } from '../support/store.ts';
import { message, observe, text } from './support.ts';

describe.skipIf(!hasReal)(`real transcripts${noReal}`, () => {
  let project: Project;
  let result: IngestManyResult;

  beforeAll(() => {
    project = makeProject();
    result = ingestMany(project.repository, [REAL], { here: true });
  }, 600_000);

  test('the tokens of each session are those that an independent count finds', () => {
    const rows = new Map(usageOf(project.open(), { by: 'session' }).rows.map((row) => [row.key, row]));
    // Of several files of one session the newest has all of it.
    const newest = new Map(result.sessions.map((session) => [session.session_id, session]));
    let compared = 0;
    for (const { session_id, file } of newest.values()) {
      const tokens = countFile(file)?.tokens;
      if (!tokens) continue;
      const row = rows.get(session_id);
      const found = Object.fromEntries(Object.keys(tokens).map((key) => [key, row?.[key as 'input'] ?? 0]));
      expect([file, found]).toEqual([file, tokens]);
      compared += 1;
    }
    expect(compared).toBeGreaterThan(20);
  });

  test('every way to sum them has the same total, and the rows add up to it', () => {
    const totals = (['model', 'agent', 'day', 'project'] as const).map((by) => {
      const { rows, total } = usageOf(project.open(), { by });
      expect(rows.reduce((sum, row) => sum + row.total, 0)).toBe(total.total);
      expect(rows.reduce((sum, row) => sum + row.turns, 0)).toBe(total.turns);
      return total;
    });
    expect(new Set(totals.map((total) => JSON.stringify(total))).size).toBe(1);
    expect(totals[0]?.total).toBeGreaterThan(1_000_000);
  });
});

const answer = (id: string, at: number, input: number, model = 'a-model'): object =>
  message(id, 'assistant', [text('Done.')], { created_at: at, model, usage: { input, output: 2, cache_read: 5 } });

test('a message that is in two sessions counts for each of them, and once in the total', () => {
  const { repository } = makeProject();
  for (const task of ['the first', 'its copy']) {
    ctx.startSession(repository, task);
    observe(
      repository,
      message('u', 'user', [text('Do it')], { created_at: 1_769_040_000 }),
      answer('a', 1_769_040_001, 10),
    );
    ctx.compactSession(repository);
  }
  const bySession = usageOf(repository, { by: 'session' });
  expect(bySession.rows.map(({ title, input, turns, calls }) => [title, input, turns, calls]).sort()).toEqual([
    ['its copy', 10, 1, 1],
    ['the first', 10, 1, 1],
  ]);
  expect(bySession.total).toEqual({
    key: 'total',
    turns: 1,
    calls: 1,
    input: 10,
    output: 2,
    reasoning: 0,
    cache_read: 5,
    cache_write: 0,
    total: 17,
    cost_usd: null,
  });
  expect(usageOf(repository, { by: 'model' }).rows).toMatchObject([{ key: 'a-model', calls: 1, total: 17 }]);
});

test('an API message with its request counts once, whatever its copy says of the time', () => {
  const { repository } = makeProject();
  const call = (request: object, at: number, input: number): object =>
    message('msg_1', 'assistant', [text('Done.')], { created_at: at, model: 'm', usage: { input }, ...request });
  for (const [index, [request, input]] of (
    [
      [{ request_id: 'req_1' }, 10],
      [{ request_id: 'req_1' }, 10],
      [{ request_id: 'req_2' }, 100],
      [{}, 1000],
      [{}, 1000],
    ] as const
  ).entries()) {
    ctx.startSession(repository, `task ${index}`);
    observe(repository, call(request, 1_769_040_000 + index * 86_400, input));
    ctx.compactSession(repository);
  }
  expect(usageOf(repository).total).toMatchObject({ calls: 4, input: 2110 });
});

test('a later account of a message without its request is of the same call', () => {
  const { repository } = makeProject();
  for (const task of ['the first', 'its copy']) {
    ctx.startSession(repository, task);
    const at = task === 'the first' ? 1_769_040_000 : 1_769_140_000;
    for (const [input, request] of [
      [5, { request_id: 'r' }],
      [7, {}],
    ] as const) {
      const metadata = { created_at: at, usage: { input }, ...request };
      observe(repository, message('m', 'assistant', [text('Done.')], metadata));
      ctx.flushStep(repository);
      usageOf(repository);
    }
    ctx.compactSession(repository);
  }
  expect(usageOf(repository).total).toMatchObject({ calls: 1, input: 7 });
});

test('the last account of a message counts, though steps and feedings lie between', () => {
  const { repository } = makeProject();
  ctx.startSession(repository, 'the task');
  for (const input of [10, 30, 20]) {
    observe(repository, answer('a', 1_769_040_001, input));
    ctx.flushStep(repository);
    usageOf(repository);
  }
  expect(usageOf(repository).total).toMatchObject({ calls: 1, input: 20 });
});

test('only calls within the times that are asked for count', () => {
  const { repository } = makeProject();
  ctx.startSession(repository, 'the task');
  observe(repository, answer('a', 1_769_040_000, 1), answer('b', 1_769_140_000, 10), answer('c', 1_769_240_000, 100));
  ctx.flushStep(repository);
  expect(usageOf(repository, { since: 1_769_140_000 }).total.input).toBe(110);
  expect(usageOf(repository, { since: 1_769_140_000, until: 1_769_140_000 }).rows).toMatchObject([
    { key: '2026-01-23', input: 10 },
  ]);
});

test('sums are kept until more is taken in', () => {
  const { repository } = makeProject();
  const file = join(repository.layout.catalog, 'usage.sums');
  const kept = (): string => readFileSync(file, 'utf8');
  ctx.startSession(repository, 'the task');
  observe(repository, answer('a', 1_769_040_000, 1, 'one'));
  ctx.flushStep(repository);
  const first = usageOf(repository, { by: 'model' });
  const before = kept();
  expect(usageOf(repository, { by: 'model' })).toEqual(first);
  expect(kept()).toBe(before);
  observe(repository, answer('b', 1_769_040_001, 10, 'two'));
  ctx.flushStep(repository);
  expect(usageOf(repository, { since: 1_769_040_001 }).total.input).toBe(10);
  // Those of a part of the time are not kept, and the others are of an older state.
  expect(existsSync(file)).toBe(false);
  expect(usageOf(repository).total).toMatchObject({ calls: 2, input: 11 });
  expect(kept()).not.toBe(before);
});
