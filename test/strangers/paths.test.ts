// Names of files from hell, through every door: nothing is written outside the store, Git is content, and each comes back as it was.
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { FileDiff, LogEntry, Shown, ShownStep } from '../../src/index.ts';
import { tellCases } from '../support/cases.ts';
import { folder, fsck, json, NOON, run, write } from '../support/cli.ts';
import { ACCEPTED, REFUSED } from '../support/names.ts';
import { picture, watchMany } from './support.ts';

/** Names that differ by case or by normalisation, files where folders are, and what the file system itself refuses. */
const MORE = [
  ...['Case/File', 'case/file', 'CASE/FILE', 'caf\u00e9', 'cafe\u0301', '\u212b', '\u00c5', 'A\u030a', '\ufb01', 'fi'],
  ...[
    'clash',
    'clash/below',
    'clash/below/deeper',
    'nest/a',
    'nest',
    'nest/a/b',
    'x'.repeat(4096),
    `d/${'y'.repeat(255)}`,
  ],
  ...['z'.repeat(256), `${'w/'.repeat(2000)}end`, '-', '--', '-C', '--git-dir=/tmp', '--output=x', ':(top)a', ':!a'],
  ...['.ctx/HEAD', '.ctx/refs/heads/main', '../project/.ctx/STAGE', '.CTX/HEAD', 'canary.txt', '../canary.txt'],
  ...[
    '~/.ssh/authorized_keys',
    '$HOME/.bashrc',
    '%2e%2e/x',
    '..;/x',
    '\u2024\u2024/x',
    '\uff0e\uff0e/x',
    '..\u2215x',
    '\u2044etc',
  ],
];
const NAMES = [...new Set([...REFUSED.flatMap(([, paths]) => paths), ...ACCEPTED, ...MORE])];

const outer = folder('outer-');
const project = join(outer, 'project');
const outside = (): Record<string, string> => picture(outer, (path) => path === 'project/.ctx');
const input = (records: readonly object[]): string => records.map((record) => `${JSON.stringify(record)}\n`).join('');

/** Returns the path in a record: from the project's root if it is inside, else absolute. */
function named(path: string): string {
  const tidy = posix.resolve(project, path);
  return tidy.startsWith(`${project}/`) ? tidy.slice(project.length + 1) : tidy;
}

/** Names that are files of the disk here. */
const onDisk: string[] = [];

/** A file of that name in the project, where the system lets it be made and it leads nowhere else. */
function makeFile(name: string): void {
  // Not so deep that it could not be removed again.
  if (name.startsWith('/') || name.split('/').length > 600) return;
  const path = join(project, name);
  if (
    name.includes('\0') ||
    !path.startsWith(`${project}/`) ||
    path.startsWith(join(project, '.ctx/')) ||
    existsSync(path)
  )
    return;
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `content of ${name}\n`);
    if (name.isWellFormed()) onDisk.push(name);
  } catch {
    // Too long, or a file stands where a folder would have to be.
  }
}

/** A transcript of Claude Code whose tools read, write and edit files of these names. */
function transcript(names: readonly string[]): string {
  const lines = names.flatMap((file_path, index) => {
    const use = {
      type: 'tool_use',
      id: `t${index}`,
      name: ['Write', 'Read', 'Edit'][index % 3],
      input: { file_path, content: 'x', old_string: 'a', new_string: 'b' },
    };
    const result = { type: 'tool_result', tool_use_id: `t${index}`, content: 'ok' };
    const file = { filePath: file_path, content: 'x\n', numLines: 1, startLine: 1, totalLines: 1 };
    const parent = index === 0 ? 'start' : `b${index - 1}`;
    return [
      {
        type: 'assistant',
        uuid: `a${index}`,
        parentUuid: parent,
        message: { id: `m${index}`, role: 'assistant', model: 'x', content: [use] },
      },
      {
        type: 'user',
        uuid: `b${index}`,
        parentUuid: `a${index}`,
        message: { role: 'user', content: [result] },
        toolUseResult: { type: 'text', file, filePath: file_path, content: 'x\n', structuredPatch: [] },
      },
    ];
  });
  const first = { type: 'user', uuid: 'start', parentUuid: null, message: { role: 'user', content: 'Go' } };
  const common = { isSidechain: false, sessionId: 'names', cwd: project, timestamp: '2026-01-14T09:12:13Z' };
  return input([first, ...lines].map((line) => ({ ...common, ...line })));
}

const records = (): Record<string, unknown>[] =>
  json<Shown & { steps: ShownStep[] }>(['show', 'STAGE', '--steps'], { cwd: project }).steps.flatMap(
    (step) => step.observations as unknown as Record<string, unknown>[],
  );

describe(`${NAMES.length} names`, () => {
  let before: Record<string, string>;
  beforeAll(() => {
    write(join(outer, 'canary.txt'), 'Nobody writes here.\n');
    mkdirSync(project);
    expect(run(['init'], { cwd: project }).code).toBe(0);
    write(join(project, '.ctx', 'settings.json'), '{"fsync":false}');
    for (const name of NAMES) makeFile(name);
    symlinkSync(outer, join(project, 'way-out'));
    write(join(outer, 'names.jsonl'), transcript([...NAMES, 'way-out/canary.txt']));
    before = outside();
  });

  test('are more than 200, and most of them can be files', () => {
    tellCases(NAMES.length * 6);
    expect(NAMES.length).toBeGreaterThan(200);
    expect(onDisk.length).toBeGreaterThan(120);
  });

  test('through observe write and read, those that are files', async () => {
    const lines = onDisk.flatMap((name) => [
      ['observe', 'write', '--', name],
      ['observe', 'read', '--', name],
    ]);
    const ran = await watchMany([['stage', 'start', 'Files'], ...lines, ['stage', 'flush']], {
      cwd: project,
      limit: 60_000,
    });
    expect(ran.ran.filter(({ code }) => code !== 0)).toEqual([]);
    const told = records().filter(({ kind }) => kind === 'write' || kind === 'read');
    expect(told.map(({ path }) => path)).toEqual(onDisk.flatMap((name) => [named(name), named(name)]));
    const unkept = told.filter(({ blob }) => typeof blob !== 'string');
    // Contents of files that are known to hold secrets are kept by their hash alone.
    expect(unkept.map(({ path }) => path)).toEqual(['.env', '.env']);
    fsck(project);
    expect(outside()).toEqual(before);
  });

  test('through observe write and read, those that are none', () => {
    for (const name of [
      '../nothing',
      '.ctx/HEAD',
      'way-out',
      'a\0b'.replace('\0', '/../../x'),
      'z'.repeat(256),
      'n'.repeat(5000),
    ]) {
      for (const kind of ['write', 'read'])
        expect([0, 1]).toContain(run(['observe', kind, '--', name], { cwd: project, now: NOON }).code);
    }
    expect(outside()).toEqual(before);
  });

  test('through observe batch, all of them, and each comes back unchanged', () => {
    const from = records().length;
    const lines = NAMES.filter((name) => name !== '').flatMap((path, index) => [
      { kind: 'write', path, bytes: 1, sha256: 'a'.repeat(64) },
      ...(index % 3 === 0 ? [{ kind: 'delete', path }] : []),
      { kind: 'note', content: path },
    ]);
    const result = run(['observe', 'batch', '--json'], { cwd: project, input: input(lines), now: NOON });
    expect(result.code, result.stderr + result.stdout.slice(0, 500)).toBe(0);
    expect(run(['stage', 'flush'], { cwd: project, now: NOON }).code).toBe(0);
    const told = records()
      .slice(from)
      .filter(({ kind }) => kind === 'note' || kind === 'write' || kind === 'delete');
    const own = told.slice(-lines.length);
    expect(own.map(({ path, content }) => path ?? content)).toEqual(
      lines.map((line) => ('path' in line ? named(line.path as string) : line.content)),
    );
    fsck(project);
    expect(outside()).toEqual(before);
  });

  test('through compact, log --path, diff and show', async () => {
    const lines = [
      ['stage', 'compact'],
      ...[
        ['log', '--stat'],
        ['log', '--oneline', '--stat'],
        ['show', 'HEAD'],
        ['show', 'HEAD', '--steps'],
        ['diff', 'HEAD~1', 'HEAD'],
      ],
      ...NAMES.filter((name) => !name.includes('\0')).flatMap((name) => [
        ['log', '--path', name],
        ['diff', 'HEAD~1', 'HEAD', '--', name],
      ]),
    ];
    const ran = await watchMany(lines, { cwd: project, limit: 60_000 });
    expect(ran.hung, ran.stderr).toBe(false);
    // A name that begins with a dash is an option, where it does not stand behind dashes.
    expect(
      ran.ran.filter(({ code, words }) => code !== 0 && !(words[0] === 'log' && words[2]?.startsWith('-'))),
    ).toEqual([]);
    expect(ran.ran.length).toBe(lines.length);
    const { files } = json<{ files: FileDiff[] }>(['diff', 'HEAD~1', 'HEAD'], { cwd: project });
    const shown = new Set(files.map(({ path }) => path));
    const survivors = ACCEPTED.filter((name) => onDisk.includes(name) && NAMES.indexOf(name) >= 0);
    expect(survivors.filter((name) => shown.has(name)).length).toBeGreaterThan(30);
    for (const name of [...shown].filter((one) => onDisk.includes(one)).slice(0, 5))
      expect(json<LogEntry[]>(['log', `--path=${name}`], { cwd: project }).length, JSON.stringify(name)).toBe(1);
    fsck(project);
    expect(outside()).toEqual(before);
  });

  test('through ingest', () => {
    const result = run(['ingest', join(outer, 'names.jsonl'), '--json'], { cwd: project, now: NOON });
    expect(result.code, result.stderr + result.stdout.slice(0, 500)).toBe(0);
    const { session_id } = (JSON.parse(result.stdout) as { result: { session_id: string } }).result;
    const steps = json<Shown & { steps: ShownStep[] }>(['show', session_id, '--steps'], { cwd: project }).steps;
    const text = JSON.stringify(steps);
    for (const name of NAMES)
      expect(text.includes(JSON.stringify(name).slice(1, -1)), JSON.stringify(name).slice(0, 80)).toBe(true);
    expect(run(['stage', 'compact', '--session', session_id], { cwd: project, now: NOON }).code).toBe(0);
    expect(run(['gc'], { cwd: project }).code).toBe(0);
    fsck(project);
    expect(outside()).toEqual(before);
  });
});
