// A private key whose lines come one by one, through every door: nothing of it stands in the store.
import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { folder, fsck, git, NOON, run } from '../support/cli.ts';

const FIXTURES = fileURLToPath(new URL('../../fixtures', import.meta.url));
const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});
const LINES = privateKey.trimEnd().split('\n');
const DATA = LINES.slice(1, -1);

function project(): string {
  const dir = join(folder('open-key-'), 'project');
  mkdirSync(dir);
  git(dir, 'init', '-q');
  run(['init'], { cwd: dir });
  return dir;
}

function tell(dir: string, args: readonly string[], input?: string): void {
  const ran = run([...args], { cwd: dir, now: NOON, ...(input === undefined ? {} : { input }) });
  // The first observation of a session says which command comes next.
  expect([ran.code, ran.stderr.replace('hint: Make a step of what was observed with: ctx flush\n', '')]).toEqual([
    0,
    '',
  ]);
}

/** All bytes of a store, objects inflated, before and after a flush. */
function bytesOf(dir: string): string {
  const objects = (): string =>
    execFileSync('git', ['--git-dir=.ctx', 'cat-file', '--batch-all-objects', '--batch', '--buffer'], {
      cwd: dir,
      encoding: 'latin1',
      maxBuffer: 2 ** 28,
    });
  const files = (): string =>
    readdirSync(join(dir, '.ctx'), { recursive: true, withFileTypes: true })
      .filter((file) => file.isFile())
      .map((file) => readFileSync(join(file.parentPath, file.name), 'latin1'))
      .join('\n');
  const waiting = files();
  run(['stage', 'flush'], { cwd: dir, now: NOON });
  return [waiting, files(), objects()].join('\n');
}

function expectNothing(dir: string): void {
  const bytes = bytesOf(dir);
  expect(DATA.filter((line) => bytes.includes(line))).toEqual([]);
  expect(bytes).toContain('[redacted:private-key:');
  fsck(dir);
}

const TRANSCRIPTS = readdirSync(FIXTURES, { recursive: true, encoding: 'utf8' }).filter((name) =>
  /^(?!hooks|classify)[\w-]+\/(?!agent-)[\w.-]+\.jsonl$/.test(name),
);

test('there are transcripts of several agents', () => {
  expect(TRANSCRIPTS.length).toBeGreaterThan(4);
});

test.each(TRANSCRIPTS)('%s with a key among its lines', (name) => {
  const dir = project();
  const file = join(dir, '..', name.split('/').at(-1) as string);
  const text = readFileSync(join(FIXTURES, name), 'utf8').trimEnd();
  writeFileSync(file, [text, ...LINES, ''].join('\n'));
  const ran = run(['ingest', '--here', file], { cwd: dir, now: NOON });
  expect(ran.stderr).not.toContain('is no transcript');
  expectNothing(dir);
});

test('a key that a transcript gains between two takings in', () => {
  const dir = project();
  const file = join(dir, '..', 's1.jsonl');
  const record = {
    ...{ type: 'user', uuid: 'u1', parentUuid: null, isSidechain: false, sessionId: 's1', cwd: dir },
    ...{ timestamp: '2026-02-03T04:05:06.000Z', message: { role: 'user', content: 'Add a cache' } },
  };
  for (const upTo of [5, 14, LINES.length]) {
    writeFileSync(file, [JSON.stringify(record), ...LINES.slice(0, upTo), ''].join('\n'));
    run(['ingest', '--here', file], { cwd: dir, now: NOON });
  }
  expectNothing(dir);
});

test('observe batch, a line each', () => {
  const dir = project();
  tell(dir, ['stage', 'start', 'Add a cache']);
  const notes = LINES.map((content) => JSON.stringify({ kind: 'note', content, role: 'plain' }));
  tell(dir, ['observe', 'batch'], `${notes.join('\n')}\n`);
  expectNothing(dir);
});

test('outputs of several commands, each observed by itself, some after a flush', () => {
  const dir = project();
  tell(dir, ['stage', 'start', 'Add a cache']);
  for (let from = 0; from < LINES.length; from += 7) {
    const output = `${LINES.slice(from, from + 7).join('\n')}\n`;
    if (from % 2 === 0)
      tell(dir, ['observe', 'command', '--exit-code', '0', '--output', '-', '--', 'sed', '-n', `${from}p`], output);
    else tell(dir, ['observe', 'note', '-'], output);
    if (from === 14) tell(dir, ['stage', 'flush']);
  }
  expectNothing(dir);
});

test('results of tools, each in a hook', () => {
  const dir = project();
  const event = (hook_event_name: string, fields: object): void =>
    tell(dir, ['hook', 'claude-code'], JSON.stringify({ session_id: 's1', cwd: dir, hook_event_name, ...fields }));
  event('UserPromptSubmit', { prompt: 'Look at the file' });
  for (let from = 0; from < LINES.length; from += 6) {
    const call = { tool_name: 'Bash', tool_use_id: `t${from}`, tool_input: { command: `sed -n ${from}p server` } };
    const tool_response = { stdout: LINES.slice(from, from + 6).join('\n'), stderr: '' };
    event('PostToolUse', { ...call, tool_response });
  }
  expectNothing(dir);
});

test.each([
  ['that wait', false],
  ['of which each is in a step of its own', true],
])('redacts a key that continues after more records %s', (_, flushes) => {
  const dir = project();
  tell(dir, ['stage', 'start', 'Add a cache']);
  const see = (from: number, to: number): void =>
    tell(
      dir,
      ['observe', 'command', '--exit-code', '0', '--output', '-', '--', 'sed', '-n', `${from}p`],
      `${LINES.slice(from, to).join('\n')}\n`,
    );
  see(0, 6);
  for (let at = 0; at < 3; at += 1) {
    const notes = Array.from({ length: 9 }, (_, note) =>
      JSON.stringify({ kind: 'note', content: `Step ${at} ${note}` }),
    );
    tell(dir, ['observe', 'batch'], `${notes.join('\n')}\n`);
    if (flushes) tell(dir, ['stage', 'flush']);
  }
  see(6, 14);
  see(14, LINES.length);
  expectNothing(dir);
});

test('paths in the outputs of a search for keys stay', () => {
  const dir = project();
  tell(dir, ['stage', 'start', 'Find all files that contain -----BEGIN RSA PRIVATE KEY-----']);
  const paths = [
    '/home/alice/projects/website/src/components/navigation/menu',
    'lib/tls/fixtures/certificates/old/ServerKeyStore2022',
  ];
  tell(dir, ['observe', 'command', '--exit-code', '0', '--output', '-', '--', 'ls'], `${paths.join('\n')}\n`);
  tell(dir, ['observe', 'note', paths[0] as string]);
  const bytes = bytesOf(dir);
  expect(paths.filter((path) => bytes.includes(path))).toEqual(paths);
  expect(bytes).not.toContain('[redacted:');
});

test('a damaged waiting record does not block a record that may continue a key', () => {
  const dir = project();
  tell(dir, ['stage', 'start', 'Add a cache']);
  tell(dir, ['observe', 'note', 'first']);
  const [session = ''] = readdirSync(join(dir, '.ctx', 'pending'));
  const folderOf = join(dir, '.ctx', 'pending', session);
  const [name = ''] = readdirSync(folderOf).filter((file) => file.endsWith('.json'));
  writeFileSync(join(folderOf, name), 'torn');
  tell(dir, ['observe', 'note', DATA[3] as string]);
});
