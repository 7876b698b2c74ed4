// Queries of a search: values that filters take, queries without a word, and what is said of words that nobody has said.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { NOON, PROGRAM, type Repo, session } from '../support/cli.ts';

interface Hit {
  title: string;
  snippets?: { kind: string; role: string; text: string }[];
}

let repo: Repo;

const observe = (...records: object[]): void => {
  const input = records.map((record) => `${JSON.stringify(record)}\n`).join('');
  expect(repo.run(['observe', 'batch'], { input, now: NOON })).toMatchObject({ code: 0 });
};
const said = (id: string, role: string, words: string): object => {
  return { kind: 'message', message: { id, role, parts: [{ type: 'text', text: words }] } };
};
const titles = (...words: string[]): string[] => {
  const { result } = JSON.parse(repo.run(['search', '--json', ...words]).stdout) as { result: Hit[] };
  return result.map(({ title }) => title);
};

beforeAll(() => {
  repo = session('Something else');
  repo.run(['stage', 'abort'], { now: NOON });
  repo.run(['start', '--agent', 'claude-code', 'The server resets its connection'], { now: NOON });
  observe(said('u1', 'user', 'Why is there a server error at midnight?'), said('a1', 'assistant', 'The cron job.'));
  repo.run(['stage', 'ask', 'Which lifetime: 5 or 10 minutes?'], { now: NOON });
  repo.run(['stage', 'respond', '10 minutes, since the gateway rotates hourly'], { now: NOON });
  repo.run(['stage', 'done', 'Narwhals are in'], { now: NOON });
  repo.run(['stage', 'confirm'], { now: NOON });
  repo.run(['start', 'Cache the tariffs'], { now: NOON });
  repo.run(['stage', 'abort', '--reason', 'The vendor of quetzals folded'], { now: NOON });
  repo.run(['start', '接続プールを大きくする'], { now: NOON });
  repo.run(['stop', 'Ostriches are agreed'], { now: NOON });
});

describe('a filter', () => {
  test.each<[string[], string]>([
    [['state:bogus', 'x'], 'state takes one of: open, ended, active, paused, completed, Running, '],
    [['--state', 'bogus'], 'state takes one of: '],
    [['ending:bogus', 'x'], 'ending takes one of: normal, abandoned, stale, interrupted'],
    [['--role', 'banana', 'x'], 'role takes one of: user, assistant'],
    [['role:banana', 'x'], 'role takes one of: user, assistant'],
    [['agent:clod', 'x'], 'agent takes one of: acp, claude-code, codex, '],
  ])('refuses a value that is none: %j', (words, hint) => {
    const { exit, code } = repo.refused(['search', ...words]);
    expect([exit, code]).toEqual([2, 'usage']);
    expect(repo.run(['search', ...words]).stderr).toContain(`hint: ${hint}`);
  });

  test('takes in a list what it takes in a search', () => {
    for (const name of ['completed', 'abandoned', 'PAUSED', 'open'])
      expect(
        repo
          .json<Hit[]>(['list', '--state', name])
          .map(({ title }) => title)
          .sort(),
        name,
      ).toEqual(titles('--state', name).sort());
    expect(repo.refused(['list', '--state', 'bogus'])).toMatchObject({ exit: 2, code: 'usage' });
    expect(repo.refused(['list', '--agent', 'clod'])).toMatchObject({ exit: 2, code: 'usage' });
    expect(repo.json(['list', '--agent', 'claude'])).toHaveLength(1);
    expect(titles('agent:claude')).toHaveLength(1);
  });
});

describe('a query', () => {
  test.each<[string[], string[]]>([
    [['接'], ['接続プールを大きくする']],
    [['大'], ['接続プールを大きくする']],
    [['+大'], ['接続プールを大きくする']],
    [['--', '+接', '-る'], []],
    [['猫'], []],
    [['???'], []],
    [['+???'], []],
    [['--', '""'], []],
    [['--', '-'], []],
    [['agent:claude', '???'], []],
  ])('finds what has its words, and nothing without any: %j', (words, found) => {
    expect(titles(...words)).toEqual(found);
  });

  test('without a word is said to be one, and of nothing is refused', () => {
    expect(repo.run(['search', '???']).stderr).toContain('hint: Nothing to search for');
    expect(repo.refused(['search', '  '])).toMatchObject({ exit: 2 });
  });

  test.each<[string[], string]>([
    [['midnihgt'], 'hint: Nobody said "midnihgt": showing results for midnight\n'],
    [['+midnihgt'], 'hint: Nobody said "midnihgt": did you mean +midnight\n'],
    [['"server erorr"'], 'hint: Nobody said "erorr": did you mean "server error"\n'],
    [['midnihgt', 'in:2222222222'], ''],
    [['midnihgt', 'agent:codex'], 'hint: Nobody said "midnihgt": did you mean midnight\n'],
  ])('with a misspelt word says so, to a program too: %j', (words, hint) => {
    expect(repo.run(['search', '--json', ...words]).stderr).toBe(hint);
    if (hint !== '') expect(repo.run(['search', ...words]).stderr).toBe(hint);
  });
});

test('why a session was given up, and what was summed up, are found', () => {
  const kinds = (word: string): unknown[] =>
    repo.json<Hit[]>(['search', word]).map(({ title, snippets }) => [title, snippets?.[0]?.kind]);
  expect(kinds('quetzal')).toEqual([['Cache the tariffs', 'reason']]);
  expect(kinds('narwhal')).toEqual([['The server resets its connection', 'summary']]);
  expect(kinds('ostrich')).toEqual([['接続プールを大きくする', 'summary']]);
});

test('a pack has the answer to a question, what the user said to it, and why something was given up', () => {
  const pack = (...words: string[]): string => repo.run(['pack', ...words]).stdout;
  expect(pack('server error at midnight')).toContain(
    '"user: Why is there a server error at midnight?\\nassistant: The cron job."',
  );
  expect(pack('which lifetime')).toContain('5 or 10 minutes?\\nuser: User response: 10 minutes, since');
  expect(pack('tariffs')).toContain('"Cache the tariffs: The vendor of quetzals folded"');
  const whole = repo.json<{ tokens: number }>(['pack', 'server error at midnight']).tokens;
  for (let budget = whole; budget > whole - 30; budget -= 3) {
    const { tokens } = repo.json<{ tokens: number }>(['pack', '--budget', `${budget}`, 'server error at midnight']);
    expect(tokens).toBeLessThanOrEqual(budget);
  }
});

test('a program reads that the catalog was damaged', () => {
  const twin = repo.copy();
  twin.run(['search', 'midnight']);
  const folder = join(twin.dir, '.ctx/cache/catalog');
  for (const name of ['manifest']) truncateSync(join(folder, name), 5);
  const { stderr, stdout } = twin.run(['search', '--json', 'midnight']);
  expect(stderr).toMatch(/^warning: The catalog .* rebuilt/);
  expect(stdout).toContain('"ok":true');
  rmSync(folder, { recursive: true });
  expect(twin.run(['search', '--json', 'midnight']).stderr).toBe('');
});

test('ctx mcp says which word was replaced, and takes the times of a query', async () => {
  const clientInfo = { name: 'a test', version: '1' };
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
  const ask = (id: number, query: string): object => {
    return { id, method: 'tools/call', params: { name: 'search', arguments: { query } } };
  };
  const lines = [{ id: 0, method: 'initialize', params }, ask(1, 'midnihgt'), ask(2, 'midnight until:2020-01-01')];
  const child = spawn(process.execPath, [PROGRAM, 'mcp'], { cwd: repo.dir, stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(lines.map((one) => `${JSON.stringify({ jsonrpc: '2.0', ...one })}\n`).join(''));
  let out = '';
  child.stdout.on('data', (bytes: Buffer) => {
    out += bytes;
  });
  await once(child, 'close');
  const answers = new Map(
    out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { id: number; result: { content?: { text: string }[] } })
      .map(({ id, result }) => [id, result.content?.map(({ text }) => text) ?? []]),
  );
  expect(answers.get(1)?.[1]).toBe('Nobody said "midnihgt": showing results for midnight');
  expect(answers.get(2)?.[0]).toContain('"hits": []');
});
