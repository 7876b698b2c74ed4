// No command that writes leaves a secret on the disk: fifty are told to each, in every text that it takes.
import { beforeAll, describe, expect, test } from 'vitest';
import { type Command, takesValue } from '../../src/cli/frame/command.ts';
import { loadCommands } from '../../src/cli/table.ts';
import { CtxError } from '../../src/core/errors.ts';
import { compactSession, type ListedSession, openRepository } from '../../src/index.ts';
import { fsck, NOON, type Repo } from '../support/cli.ts';
import { SAMPLES } from '../support/samples.ts';
import { isKilledCleanly, KILLED, seededSession, TASK } from '../support/seeded.ts';
import { leaks, markers, missed, SEEDED, SEEDS, seededBatch, TOKEN } from '../support/seeds.ts';

/** Git writes what it is told, in a process of its own. */
const commands = (await loadCommands()).filter((command) => command.mutates && !SAMPLES[command.name]?.foreign);

/** A session in a project whose files are full of secrets. */
let base: Repo;
let first: string;

beforeAll(() => {
  base = seededSession();
  first = base.json<ListedSession[]>(['stage', 'list']).find(({ task_description }) => task_description === TASK)
    ?.session_id as string;
});

test('there are fifty secrets, and every rule finds its own', () => {
  expect(new Set(SEEDS.map(({ secret }) => secret)).size).toBe(50);
  expect(missed()).toEqual([]);
});

test('a secret that is written is found, in the look that the other tests take', () => {
  const open = base.copy();
  open.write('.ctx/settings.json', '{"redact":"off"}');
  open.run(['observe', 'note', SEEDED]);
  const waiting = leaks(open.store).length;
  expect(waiting).toBeGreaterThan(50);
  open.run(['stage', 'flush']);
  expect(leaks(open.store).length).toBeGreaterThan(50);
  open.run(['gc']);
  expect(leaks(open.store).length).toBeGreaterThan(50);
});

/** Returns arguments in place of a word: text at once or on standard input, names of files, nodes of the graph. */
function valuesFor(word: string, hint: string): string[] {
  if (/^(task|note|file|item|decision):/.test(word)) return [word.replace(/:.*/s, `:${SEEDED}`)];
  return /file|path|transcript/.test(hint) ? [SEEDED, 'client.ts', '.env', `${TOKEN}.txt`] : [SEEDED, '-'];
}

/** Command lines of a command with secrets in them: in place of each of its words, and as value of each option. */
function* linesOf(command: Command): Generator<string[]> {
  const sample = SAMPLES[command.name]?.line ?? command.name.split(' ');
  const name = command.name.split(' ').length;
  const plain = sample.map((word) => (word === '<first>' ? first : word));
  yield plain;
  const hint = command.arguments?.map((argument) => argument.name).join() ?? '';
  for (const [at, word] of plain.entries()) {
    // A text is told by one word; the words of a command stand behind `--`.
    const isValue = at < name || word.startsWith('-') || /^--[a-z]/.test(plain[at - 1] ?? '');
    const values = isValue ? [] : valuesFor(word, hint);
    for (const value of values) yield [...plain.slice(0, at), value, ...plain.slice(at + 1)];
  }
  if (plain.length === name && hint !== '') for (const value of valuesFor('', hint)) yield [...plain, value];
  for (const option of command.options ?? []) {
    const flag = /--[a-z-]+/.exec(option.flags)?.[0] as string;
    const isText = takesValue(option) && option.kind !== 'integer' && !option.choices;
    if (!takesValue(option)) yield [...plain.slice(0, name), flag, ...plain.slice(name)];
    if (isText) yield [...plain.slice(0, name), flag, SEEDED, ...plain.slice(name)];
  }
  if (command.name === 'stage compact')
    yield ['stage', 'compact', '--type', 'interrupted', '--new-task', SEEDED, '-m', SEEDED];
}

/** Saves what is active, if anything may be saved; by the library, since the command has lines of its own here. */
function compact(repo: Repo): void {
  try {
    compactSession(openRepository({ directory: repo.dir, clock: () => NOON }));
  } catch (error) {
    if (!(error instanceof CtxError)) throw error;
  }
}

const inputOf = (name: string): string => (name === 'observe batch' ? seededBatch() : SEEDED);

describe.each(commands.map((command) => [command.name, command] as const))('ctx %s', (name, command) => {
  test('leaves no secret, whatever its input, waiting, flushed or saved', { timeout: 300_000 }, () => {
    let done = 0;
    for (const line of linesOf(command)) {
      const repo = base.copy();
      for (const before of SAMPLES[name]?.way ?? []) expect([0, 3]).toContain(repo.run(before).code);
      const { code, stderr } = repo.run(line, { input: inputOf(name), own: SAMPLES[name]?.protocol });
      const told = line.map((word) => word.slice(0, 40)).join(' ');
      expect([70, null], `${told}: ${stderr.slice(0, 300)}`).not.toContain(code);
      if (code === 0) done += 1;
      expect(leaks(repo.store), told).toEqual([]);
      if (code !== 0) continue;
      compact(repo);
      expect(leaks(repo.store), `${told}, saved`).toEqual([]);
    }
    expect(done).toBeGreaterThan(0);
  });
});

test('what was taken out is counted, and in its place stand markers', () => {
  const repo = base.copy();
  const before = markers(repo.store);
  const told = repo.json<{ redacted: Record<string, number> }>(['stage', 'status']).redacted;
  // Contents of files too: client.ts and the one with a token in its name.
  for (const rule of ['environment', 'github-token']) expect(told[rule]).toBeGreaterThanOrEqual(3);
  for (const { rule } of SEEDS.filter(({ rule }) => rule !== 'private-key')) expect(told, rule).toHaveProperty(rule);
  repo.run(['observe', 'batch', '--flush'], { input: seededBatch() });
  expect(markers(repo.store)).toBeGreaterThan(before);
  fsck(repo.dir);
});

// A sample; test/torture/secrets-killed.test.ts kills them at many more.
describe('killed at any call', () => {
  test.each(KILLED)(
    'ctx %s leaves no secret, in temporary files neither',
    { timeout: 300_000 },
    (_name, line, input) => {
      const killed = [1, 2, 11].filter((at) => isKilledCleanly(base, at, line, input));
      expect(killed.length).toBeGreaterThan(1);
    },
  );
});

test('the store is whole after all that', () => {
  const repo = base.copy();
  repo.run(['ingest', 'transcript.jsonl', '--compact']);
  repo.run(['stage', 'compact']);
  fsck(repo.dir);
  expect(repo.run(['gc'])).toMatchObject({ code: 0 });
  expect(leaks(repo.store)).toEqual([]);
  expect(repo.run(['secrets', 'scan'])).toMatchObject({ code: 0 });
});
