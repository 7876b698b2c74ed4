// The parts of the program and V8's code cache of them: made once for each Node and its flags, mended where it is of no use.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { folder, PROGRAM } from '../support/cli.ts';
import { ROOT } from '../support/store.ts';

let program: string;
let cache: string;

/** The program as it is shipped, without any cache. */
beforeEach(() => {
  const place = folder();
  const shipped = join(PROGRAM, '..');
  for (const part of ['ctx.cjs', 'main.cjs', 'chunks', 'hook.cjs', 'hook'])
    cpSync(join(shipped, part), join(place, part), { recursive: true });
  program = join(place, 'ctx.cjs');
  cache = join(place, 'cache');
});

/** Runs a line in a folder; gives what it prints. */
function runIn(cwd: string, words: readonly string[], input = '', env: Record<string, string> = {}): string {
  const ran = spawnSync(process.execPath, [program, ...words], { cwd, input, env: { PATH: process.env.PATH, ...env } });
  const stderr = ran.stderr.toString().replace(/^hint: .*\n/gm, '');
  expect({ words, status: ran.status, stderr }).toEqual({ words, status: 0, stderr: '' });
  return ran.stdout.toString();
}

const run = (options = ''): string => runIn(folder(), ['init'], '', options === '' ? {} : { NODE_OPTIONS: options });

/** Lists the files of the cache, each with its identity and its time. */
const files = (): Map<string, string> =>
  new Map(
    readdirSync(cache).map((name) => {
      const { ino, mtimeMs } = statSync(join(cache, name));
      return [name, `${ino} ${mtimeMs}`];
    }),
  );

test('is made by the first command, part by part, and used by the next', () => {
  run();
  const made = files();
  expect([...made.keys()].filter((name) => name.startsWith('main.cjs-'))).toHaveLength(1);
  expect([...made.keys()].filter((name) => name.startsWith('chunks-init.cjs-'))).toHaveLength(1);
  run();
  expect(files()).toEqual(made);
});

test('whoever runs Node with flags has one of their own, and takes nobody else’s away', () => {
  run();
  const made = files();
  run('--max-old-space-size=300');
  const more = files();
  expect(more.size).toBe(2 * made.size);
  run();
  run('--max-old-space-size=300');
  expect(files()).toEqual(more);
});

test('those of an earlier build go when the first of another one is made', () => {
  run();
  const made = files();
  for (const name of made.keys())
    renameSync(join(cache, name), join(cache, name.replace(/-[0-9a-f]+\.bin$/, '-0123456789abcdef.bin')));
  run();
  expect([...files().keys()]).toEqual([...made.keys()]);
});

test('options that change nothing for V8 share the one that is there, and no more than eight are kept', () => {
  run();
  const made = files();
  run('--title=ctx');
  expect(files()).toEqual(made);
  for (let size = 200; size < 209; size += 1) run(`--max-old-space-size=${size}`);
  expect([...files().keys()].filter((name) => name.startsWith('main.cjs-'))).toHaveLength(8);
});

test('a command that has V8 hold less while it runs removes no cache', () => {
  const project = folder();
  const transcripts = folder();
  const transcript = join(transcripts, 'retry-backoff.jsonl');
  cpSync(join(ROOT, 'fixtures', 'claude-code', 'retry-backoff.jsonl'), transcript);
  const ingest = (path: string): string => runIn(project, ['ingest', '--here', path], '', { HOME: project });
  runIn(project, ['init']);
  runIn(project, ['stage', 'start', 'A task']);
  runIn(project, ['observe', 'note', 'kept']);
  ingest(transcripts);
  const made = files();
  expect([...made.keys()].filter((name) => name.startsWith('chunks-observe.cjs-'))).toHaveLength(1);
  ingest(transcripts);
  ingest(transcript);
  expect(new Map([...files()].filter(([name]) => made.has(name)))).toEqual(made);
});

test('one that is garbage or torn is made again, and the answer is the same', () => {
  const answer = run().replace(/\S*\.ctx\S*/, '');
  const [first = ''] = [...files().keys()].filter((name) => name.startsWith('main.cjs-'));
  const whole = readFileSync(join(cache, first));
  for (const content of ['', 'garbage', whole.subarray(0, whole.length >> 1)]) {
    writeFileSync(join(cache, first), content);
    for (const _time of ['thrown away', 'made again']) expect(run().replace(/\S*\.ctx\S*/, '')).toBe(answer);
    expect(statSync(join(cache, first)).size).toBeGreaterThan(whole.length / 2);
  }
});

test('if none can be kept, nothing else changes', () => {
  writeFileSync(cache, 'no folder');
  run();
  run();
  expect(readFileSync(cache, 'utf8')).toBe('no folder');
});

test('is that of the very part: each ends with the sum of all before', () => {
  const names = readdirSync(join(program, '..'), { recursive: true, encoding: 'utf8' });
  const made = names.filter((name) => name.endsWith('.cjs') && name !== 'ctx.cjs');
  expect(made.length).toBeGreaterThan(20);
  for (const name of made) {
    const code = readFileSync(join(program, '..', name), 'latin1');
    const sum = createHash('sha256').update(code.slice(0, -18)).digest('hex').slice(0, 16);
    expect(`${name} ${code.slice(-18)}`).toBe(`${name} //${sum}`);
  }
});

describe('a program that is replaced while it runs', () => {
  let project: string;
  beforeEach(() => {
    project = folder();
    runIn(project, ['init']);
    runIn(project, ['stage', 'start', 'Add a cache']);
  });

  /** Every part as another build has it. */
  const another = (name: string): void => {
    const file = join(program, '..', name);
    const code = readFileSync(file, 'latin1');
    writeFileSync(file, `${code.slice(0, -34)}${'0'.repeat(16)}${code.slice(-18)}`, 'latin1');
  };
  const gone = (name: string): void => rmSync(join(program, '..', name));
  const start = (words: readonly string[], input = ''): { status: number | null; stdout: string; stderr: string } =>
    spawnSync(process.execPath, [program, ...words], { cwd: project, input, encoding: 'utf8' });

  test.each([
    ['is gone', gone, 'cannot be read (ENOENT)'],
    ['is of another build', another, 'is of another build'],
  ])('a part that %s ends no hook: that is noted, or told where even that cannot be', (_words, spoil, why) => {
    const hook = (): unknown =>
      start(
        ['hook', 'claude-code'],
        JSON.stringify({ session_id: 's', cwd: project, hook_event_name: 'UserPromptSubmit', prompt: 'Add a door' }),
      );
    const said = (name: string): string => `${join(program, '..', name)} ${why}`;
    spoil('hook/messages.cjs');
    expect(hook()).toMatchObject({ status: 0, stdout: '', stderr: '' });
    const errors = readFileSync(join(project, '.ctx/hook-errors.jsonl'), 'utf8');
    expect(errors).toContain(`"code":"io","message":"${said('hook/messages.cjs')}`);
    spoil('hook/steps.cjs');
    const stderr = expect.stringMatching(/^warning: .*\n$/);
    expect(hook()).toMatchObject({ status: 0, stdout: '', stderr });
  });

  test.each([
    ['is gone', gone, 'cannot be read (ENOENT)'],
    ['is of another build', another, 'is of another build'],
  ])('a part that %s is reported by a command, and nothing of it is run', (_words, spoil, why) => {
    spoil('chunks/steps.cjs');
    const { status, stderr } = start(['stage', 'flush', '--allow-empty']);
    expect([status, stderr]).toEqual([
      1,
      `error: ${join(program, '..', 'chunks/steps.cjs')} ${why}: ctx was replaced while it ran, or is not installed whole.\n` +
        'hint: Run the command again. If that does not help, reinstall ctx.\n',
    ]);
  });

  test('if nothing of it is left no hook fails, and nobody sees a stack', () => {
    for (const name of ['hook.cjs', 'main.cjs']) gone(name);
    const hint = 'hint: Run the command again. If that does not help, reinstall ctx.';
    for (const [words, code] of [
      [['hook', 'claude-code'], 0],
      [['stage', 'status'], 70],
    ] as const) {
      const { status, stdout, stderr } = start(words, '{}');
      expect([status, stdout]).toEqual([code, '']);
      expect(stderr).toMatch(/^error: .*main\.cjs cannot be read \(ENOENT\): .*\n.*\n$/);
      expect(stderr).toContain(hint);
    }
  });
});

describe('a line loads the parts that it needs', () => {
  let project: string;
  beforeEach(() => {
    project = folder();
    runIn(project, ['init']);
    runIn(project, ['stage', 'start', 'Add a cache']);
  });

  /** The parts that a line loads: where there is no cache, each gets one. */
  function partsOf(words: readonly string[], input = ''): string[] {
    rmSync(cache, { recursive: true });
    runIn(project, words, input);
    return readdirSync(cache).map((name) => name.replace(/\.cjs-.*/, ''));
  }
  const hook = (hook_event_name: string, more: object): string[] =>
    partsOf(['hook', 'claude-code'], JSON.stringify({ session_id: 's', cwd: project, hook_event_name, ...more }));
  const usual = { tool_name: 'Bash', tool_use_id: 'a', tool_input: { command: 'ls' }, tool_response: { stdout: 'a' } };

  test.each([
    [['stage', 'status'], ['main']],
    [
      ['observe', 'note', 'Jitter'],
      ['chunks-observe', 'main'],
    ],
    [
      ['message', '--as', 'modification', 'Five'],
      ['chunks-messages', 'chunks-observe', 'chunks-steps', 'main'],
    ],
  ])('%j', (words, expected) => expect(partsOf(words).sort()).toEqual(expected));

  test('stage flush', () => {
    runIn(project, ['observe', 'note', 'Jitter']);
    expect(partsOf(['stage', 'flush']).sort()).toEqual(['chunks-steps', 'main']);
  });

  test('ctx hook', () => {
    hook('UserPromptSubmit', { prompt: 'Add a cache' });
    expect(hook('PostToolUse', usual).sort()).toEqual(['hook']);
    expect(hook('Stop', { last_assistant_message: 'Added.' }).sort()).toEqual(['hook', 'hook-steps']);
    expect(hook('UserPromptSubmit', { prompt: 'Also log it' }).sort()).toEqual(['hook', 'hook-messages', 'hook-steps']);
  });

  test('ctx hook is answered by the other program where its own is gone', () => {
    rmSync(join(program, '..', 'hook.cjs'));
    hook('UserPromptSubmit', { prompt: 'Add a door' });
    expect(runIn(project, ['stage', 'list'])).toContain('Add a door');
  });
});
