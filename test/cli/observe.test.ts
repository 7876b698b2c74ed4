// `ctx observe command`, `note`, `plan`, `relate` and `batch`: what happens becomes records, word for word.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { CONFIDENCES, RELATION_LABELS } from '../../src/core/records/relation.ts';
import type { ActiveStatus, BatchResult, Shown, ShownStep, StoredRecord } from '../../src/index.ts';
import { fingerprint, fsck, NOON, type Repo, repository, seen, session, write } from '../support/cli.ts';

/** One session; every test adds its own steps to it. */
let repo: Repo;
beforeAll(() => {
  repo = session();
});

/** The records of the last step. */
function lastRecords(of = repo): StoredRecord[] {
  const head = of.git('rev-parse', 'STAGE').trim();
  return of.json<Shown & { steps: ShownStep[] }>(['show', head]).steps[0]?.observations ?? [];
}

/** Observes, flushes, and gives the records of that step. */
function observed(line: string[], input?: string | Buffer): StoredRecord[] {
  expect(repo.run(['--quiet', ...line], { input }), line.join(' ')).toEqual({ code: 0, stdout: '', stderr: '' });
  expect(repo.run(['stage', 'flush'])).toMatchObject({ code: 0 });
  return lastRecords();
}

/** The payload of a field of a record, as Git has it. */
const payload = (record: StoredRecord | undefined, field: string): Buffer =>
  execFileSync('git', ['--git-dir=.ctx', 'cat-file', 'blob', `STAGE:payload/${record?.id}-${field}`], {
    cwd: repo.dir,
    maxBuffer: 64 * 1024 * 1024,
  });

const megabyte = Array.from({ length: 16_384 }, (_, index) => `line ${index}`.padEnd(63, '.')).join('\n');

describe('observe command', () => {
  test('records the command, its exit code and how long it took', () => {
    expect(observed(['observe', 'command', '--exit-code', '1', '--duration-ms', '1234', '--', 'npm', 'test'])).toEqual([
      {
        version: 1,
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        kind: 'command',
        at: NOON,
        command: 'npm test',
        exit_code: 1,
        duration_ms: 1234,
      },
    ]);
  });

  test.for([
    [['make'], 'make'],
    [['git', 'commit', '-m', "it's done"], "git commit -m 'it'\\''s done'"],
    [['sh', '-c', 'a | b && c'], "sh -c 'a | b && c'"],
    [['echo', '', '*', '$HOME', '--', '-x', 'ü'], "echo '' '*' '$HOME' -- -x 'ü'"],
    [['a b'], 'a b'],
  ] as const)('writes %j down as a shell would take it', ([words, command]) => {
    expect(observed(['observe', 'command', '--exit-code', '0', '--', ...words])).toMatchObject([
      { command, exit_code: 0 },
    ]);
  });

  test('keeps its output from a file, named from where one is', () => {
    write(join(repo.dir, 'logs/out.txt'), 'all tests pass\n');
    const line = ['observe', 'command', '--exit-code', '0', '--output', 'logs/out.txt', '--', 'npm', 'test'];
    expect(observed(line)).toMatchObject([{ output: 'all tests pass\n' }]);
    expect(repo.refused(['observe', 'command', '--exit-code', '0', '--output', 'gone.txt', '--', 'npm'])).toMatchObject(
      {
        exit: 1,
        code: 'not_found',
        message: 'There is no file gone.txt.',
      },
    );
  });

  test('keeps its output from standard input, exactly: short, empty, a megabyte', () => {
    const line = ['observe', 'command', '--exit-code', '0', '--output', '-', '--', 'npm', 'test'];
    for (const output of ['ok\r\n\u001b[32mgreen\u001b[0m', '', megabyte]) {
      expect(observed(line, output)).toMatchObject([{ command: 'npm test', output }]);
    }
    const [record] = lastRecords();
    expect(payload(record, 'output').toString()).toBe(megabyte);
    fsck(repo.dir);
  });

  test('keeps output that is no UTF-8 byte by byte, and says so in its record', () => {
    const output = Buffer.from([0x66, 0xfc, 0x72, 0x0a, 0xff, 0x00, 0xc3]);
    const [record] = observed(['observe', 'command', '--exit-code', '2', '--output', '-', '--', 'iconv'], output);
    expect(payload(record, 'output')).toEqual(output);
    const stored = repo.git('cat-file', 'blob', 'STAGE:step.jsonl');
    expect(JSON.parse(stored)).toMatchObject({
      output: { bytes: 7, sha256: createHash('sha256').update(output).digest('hex'), encoding: 'bytes' },
    });
  });

  test('keeps output of many megabytes in pieces that Git can hold', () => {
    const output = Buffer.alloc(9 * 1024 * 1024 + 5, 'piece of output\n');
    const [record] = observed(['observe', 'command', '--exit-code', '0', '--output', '-', '--', 'yes'], output);
    const tree = `STAGE:payload/${record?.id}-output`;
    const chunks = repo.git('ls-tree', '--name-only', tree).trim().split('\n');
    expect(chunks).toEqual(['00000000.chunk', '00000001.chunk', '00000002.chunk']);
    expect(chunks.map((chunk) => repo.git('cat-file', 'blob', `${tree}/${chunk}`)).join('')).toBe(output.toString());
    fsck(repo.dir);
  });

  test('takes any exit code, a negative one too', () => {
    expect(observed(['observe', 'command', '--exit-code=-9', '--', 'kill'])).toMatchObject([{ exit_code: -9 }]);
    expect(observed(['observe', 'command', '--exit-code', '255', '--', 'x'])).toMatchObject([{ exit_code: 255 }]);
  });
});

describe.each(['note', 'plan'] as const)('observe %s', (kind) => {
  test('records the words as one text', () => {
    expect(observed(['observe', kind, 'Decision:', 'full', 'jitter'])).toMatchObject([
      { kind, content: 'Decision: full jitter', at: NOON },
    ]);
  });

  test('records standard input exactly, with - in the place of the text', () => {
    for (const text of ['one\n', ' \r\n\ttwo\n\n', megabyte]) {
      expect(observed(['observe', kind, '-'], text)).toMatchObject([{ kind, content: text }]);
    }
    expect(payload(lastRecords()[0], 'content').toString()).toBe(megabyte);
  });

  test('of nothing is none', () => {
    for (const line of [
      ['observe', kind, ''],
      ['observe', kind, '-'],
      ['observe', kind, ' '],
    ]) {
      expect(repo.refused(line, { input: '' })).toMatchObject({ exit: 1, code: 'invalid_input' });
    }
  });

  test('takes what follows -- as it is', () => {
    expect(observed(['observe', kind, '--', '--flush', '-x'])).toMatchObject([{ content: '--flush -x' }]);
  });

  test('records a long text that was given as an argument whole, too', () => {
    const long = 'ü'.repeat(40_000);
    expect(observed(['observe', kind, long])).toMatchObject([{ content: long }]);
    const stored = JSON.parse(repo.git('cat-file', 'blob', 'STAGE:step.jsonl')) as { content: object };
    expect(stored.content).toMatchObject({
      preview: 'ü'.repeat(200),
      bytes: 80_000,
      sha256: createHash('sha256').update(long).digest('hex'),
    });
  });
});

describe('observe relate', () => {
  test.each(RELATION_LABELS)('records an edge that says %s', (label) => {
    expect(repo.json(['observe', 'relate', 'file:src/a.ts', label, 'item:src/b.ts#retry'])).toMatchObject({
      flushed: null,
    });
  });

  test('has recorded all of them, in order, as sure as medium', () => {
    repo.run(['stage', 'flush']);
    expect(lastRecords()).toMatchObject(
      RELATION_LABELS.map((label) => ({
        kind: 'relation',
        from: 'file:src/a.ts',
        label,
        to: 'item:src/b.ts#retry',
        confidence: 'medium',
      })),
    );
  });

  test.each(CONFIDENCES)('says how sure it is: %s; and what shows it', (confidence) => {
    const edge = ['decision:use jitter', 'DerivedFrom', 'note:01'];
    const line = ['observe', 'relate', ...edge, '--confidence', confidence, '--evidence', 'the paper says so'];
    expect(observed(line)).toMatchObject([{ confidence, evidence: 'the paper says so', from: 'decision:use jitter' }]);
  });

  test('takes its evidence from standard input', () => {
    const line = ['observe', 'relate', 'task:x', 'Contains', 'file:a', '--evidence', '-'];
    expect(observed(line, megabyte)).toMatchObject([{ evidence: megabyte }]);
  });

  test('is in edges.jsonl of the commit that its session becomes', () => {
    const other = session();
    other.run(['observe', 'relate', 'file:a', 'Imports', 'file:b', '--flush']);
    other.run(['stage', 'compact']);
    expect(JSON.parse(other.git('cat-file', 'blob', 'main:edges.jsonl'))).toMatchObject({
      from: 'file:a',
      to: 'file:b',
    });
  });
});

describe('observe batch', () => {
  const lines = (...values: unknown[]): string =>
    values.map((value) => `${typeof value === 'string' ? value : JSON.stringify(value)}\n`).join('');
  const batch = (input: string | Buffer, exit = 0): BatchResult => repo.json(['observe', 'batch'], { input, exit });
  const flushed = (): StoredRecord[] => {
    repo.run(['stage', 'flush']);
    return lastRecords();
  };

  test('refuses a number that it could not keep as it is, and names its field; nothing of it is kept', () => {
    const refused = ['{"kind":"zork","n":12345678901234567890}', '{"kind":"zork","deep":{"f":[1,1e400]}}'];
    const fine = '{"kind":"zork","n":9007199254740991,"f":0.1,"e":1e3}';
    const input = [...refused, fine].join('\n');
    const { records, problems } = session().json<BatchResult>(['observe', 'batch'], { input, exit: 1 });
    expect(records).toHaveLength(1);
    expect(problems).toEqual(
      ['n', 'deep.f.1'].map((field, index) => ({
        line: index + 1,
        message: `"${field}" is a number that would not be kept as it is: give it as text`,
      })),
    );
  });

  test('records a line each, in their order', () => {
    write(join(repo.dir, 'src/a.ts'), 'a');
    const message = { id: 'm1', role: 'assistant', parts: [{ type: 'text', text: 'Done.' }] };
    const bodies = [
      { kind: 'note', content: 'one', role: 'response' },
      { kind: 'plan', content: 'two' },
      { kind: 'command', command: 'ls', exit_code: null, output: 'x', duration_ms: 1.5 },
      { kind: 'command', command: 'ls' },
      { kind: 'relation', from: 'file:a', label: 'Calls', to: 'file:b', confidence: 'low', evidence: 'e' },
      { kind: 'delete', path: 'src/gone.ts' },
      { kind: 'read', path: '/elsewhere', bytes: 5, sha256: 'a'.repeat(64) },
      { kind: 'message', message },
      { kind: 'part', message_id: 'm1', part_id: 'p1', seq: 0, part: { type: 'text', text: 'Done.' } },
      { kind: 'overlay', op: 'hide', ids: ['m1'], reason: 'rewind' },
      { kind: 'usage', usage: { input: 5, output: 7, cache_read: 1 } },
      { kind: 'permission', tool: 'Bash', allowed: false },
    ];
    const result = batch(lines(...bodies));
    expect(result.problems).toEqual([]);
    const records = flushed();
    expect(records).toEqual(
      bodies.map((body, index) => ({ version: 1, id: result.records[index], at: NOON, ...body })),
    );
    expect(records.map((record) => record.id)).toEqual(result.records.toSorted());
  });

  test('looks at a file that a line only names, from where one is, as read and write do', () => {
    write(join(repo.dir, 'src/a.ts'), 'a');
    const input = lines({ kind: 'read', path: 'a.ts', why: 'it is imported' }, { kind: 'write', path: 'gone.ts' });
    repo.run(['-C', 'src', 'observe', 'batch'], { input });
    expect(flushed()).toMatchObject([
      {
        kind: 'read',
        path: 'src/a.ts',
        blob: expect.stringMatching(/^[0-9a-f]{40}$/),
        bytes: 1,
        why: 'it is imported',
      },
      { kind: 'delete', path: 'src/gone.ts' },
    ]);
  });

  test('keeps a path of 1,999 bytes, of which Git can hold no tree', () => {
    const path = `${'d'.repeat(199)}/`.repeat(10).slice(0, 1999);
    batch(lines({ kind: 'read', path, bytes: 1, sha256: 'b'.repeat(64) }, { kind: 'delete', path }));
    expect(flushed()).toMatchObject([{ path }, { path }]);
    fsck(repo.dir);
  });

  test('gives version, id and time itself, whatever a line says of them', () => {
    const [id] = batch(lines({ kind: 'note', content: 'x', version: 99, id: 'mine', at: 5 })).records;
    expect(flushed()).toEqual([{ version: 1, id, kind: 'note', at: NOON, content: 'x', role: 'plain' }]);
  });

  test('carries kinds and keys that it does not know, unchanged, into the saved session', () => {
    const other = session();
    const bodies: object[] = [
      { kind: 'weather', sky: { clouds: [1, null, 'grey'], deep: { deeper: { x: 1.5e300 } } } },
      { kind: 'note', content: 'x', role: 'plain', mood: ['good', { very: true }], '': 0 },
      { kind: 'constructor', toString: 'x' },
      { kind: 'toString' },
      { kind: '__proto__', hasOwnProperty: 1 },
    ];
    const result = other.json<BatchResult>(['observe', 'batch', '--flush'], { input: lines(...bodies) });
    const kept = bodies.map((body, index) => ({ version: 1, id: result.records[index], at: NOON, ...body }));
    expect(lastRecords(other)).toEqual(kept);
    expect(other.run(['show', 'STAGE', '--steps'])).toMatchObject({ code: 0, stderr: '' });
    expect(other.run(['stage', 'recover'])).toMatchObject({ code: 0, stderr: '' });
    const { session_id } = other.json<ActiveStatus>(['stage', 'status']);
    expect(other.run(['stage', 'compact'])).toMatchObject({ code: 0 });
    const shown = other.json<Shown & { steps: ShownStep[] }>(['show', session_id]);
    expect(shown.steps.at(-1)?.observations).toEqual(kept);
    fsck(other.dir);
  });

  test('keeps the good lines and names every bad one, with its number and what is wrong', () => {
    const input = lines(
      { kind: 'note', content: 'first' },
      'no json',
      '[1]',
      '"text"',
      'null',
      {},
      { kind: '' },
      { kind: 5 },
      { kind: 'note' },
      { kind: 'note', content: 5 },
      { kind: 'note', content: 'x', role: 'boss' },
      '',
      '   ',
      { kind: 'command' },
      { kind: 'command', command: 'x', exit_code: 1.5 },
      { kind: 'relation', from: 'a', label: 'Imports', to: 'file:b' },
      { kind: 'relation', from: 'file:a', label: 'Likes', to: 'file:b' },
      { kind: 'read', path: 'no-such-file' },
      { kind: 'read', path: '' },
      { kind: 'read', path: 'src' },
      { kind: 'write', path: 'x', blob: '0'.repeat(40) },
      { kind: 'write', path: 'x', blob: 'HEAD' },
      { kind: 'message', message: { id: '', role: 'user', parts: [] } },
      { kind: 'overlay', op: 'forget' },
      { kind: 'task', content: 'mine' },
      { kind: 'transition', from: { kind: 'Running' }, to: { kind: 'Complete' }, by: 'me' },
      { kind: 'note', content: 'last' },
    );
    const { code, stdout, stderr } = repo.run(['observe', 'batch'], { input });
    expect({ code, stdout }).toEqual({ code: 1, stdout: 'Kept 2 records\n' });
    const named = [...stderr.matchAll(/^warning: line (\d+) was not kept: (.+)$/gm)];
    expect(named.map(([, number]) => Number(number))).toEqual([
      2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26,
    ]);
    expect(
      stderr
        .replace(/^hint: .*\n/m, '')
        .trimEnd()
        .split('\n'),
    ).toHaveLength(named.length);
    const said = new Map(named.map(([, number, message]) => [Number(number), message]));
    expect(said.get(2)).toMatch(/^it is no JSON( from character \d+ on)?$/);
    expect(said.get(3)).toBe('it is not an object with a "kind"');
    expect(said.get(16)).toBe('from takes task:…, note:…, file:…, item:… or decision:…');
    expect(said.get(18)).toBe('There is no file no-such-file.');
    expect(said.get(21)).toContain(`"blob" names no content that the store holds: ${'0'.repeat(40)}`);
    expect(said.get(23)).toMatch(/^"message.id": /);
    expect(said.get(25)).toBe('"task" records are written by ctx alone');
    expect(said.get(26)).toBe('"transition" records are written by ctx alone');
    expect(flushed()).toMatchObject([{ content: 'first' }, { content: 'last' }]);
    expect(repo.json<ActiveStatus>(['stage', 'status']).session_state).toEqual({ kind: 'Running' });
  });

  test('keeps a record of a misspelt kind, and warns of it once', () => {
    const own = session();
    const misspelt = lines({ kind: 'Note', content: '1' }, { kind: 'commnd' }, { kind: 'commnd' }, { kind: 'deploy' });
    expect(own.run(['observe', 'batch'], { input: misspelt })).toEqual({
      code: 0,
      stdout: 'Kept 4 records\n',
      stderr: [
        'warning: line 1 was kept, but is of the kind "Note": did you mean "note"?\n',
        'warning: line 2 was kept, but is of the kind "commnd": did you mean "command"?\n',
        'hint: Make a step of what was observed with: ctx flush\n',
      ].join(''),
    });
    expect(own.json(['observe', 'batch'], { input: misspelt })).toMatchObject({
      problems: [],
      unknown_kinds: [
        { line: 1, kind: 'Note' },
        { line: 2, kind: 'commnd' },
        { line: 4, kind: 'deploy' },
      ],
    });
  });

  test('prints the same as JSON, with exit code 1', () => {
    const result = batch(lines('{', { kind: 'note', content: 'x' }), 1);
    expect(result.records).toHaveLength(1);
    expect(result.problems).toMatchObject([
      { line: 1, message: expect.stringMatching(/^it is no JSON( from character \d+ on)?$/) },
    ]);
    flushed();
  });

  test('takes lines that end as they like: CR LF, none at the end, a byte order mark, U+2028 within', () => {
    const text =
      '\ufeff{"kind":"note","content":"a"}\r\n{"kind":"note","content":"b\u2028c"}\n{"kind":"note","content":"d"}';
    expect(batch(text).problems).toEqual([]);
    expect(flushed()).toMatchObject([{ content: 'a' }, { content: 'b\u2028c' }, { content: 'd' }]);
  });

  test('refuses a line whose bytes are no UTF-8, and keeps the replacement character if it is meant', () => {
    const latin = Buffer.from('{"kind":"note","content":"caf\xe9"}\n', 'latin1');
    const { records, problems } = batch(Buffer.concat([latin, Buffer.from('{"kind":"note","content":"\ufffd"}')]), 1);
    expect(problems).toEqual([{ line: 1, message: 'it holds bytes that are no UTF-8' }]);
    expect(records).toHaveLength(1);
    expect(flushed()).toMatchObject([{ content: '\ufffd' }]);
  });

  test('keeps lone surrogates and NUL, which JSON can say and UTF-8 or Git cannot', () => {
    const content = 'a\u0000b\ud800c\udfffd\u001b[2J\u202e';
    const long = content.repeat(2000);
    batch(lines({ kind: 'note', content }, { kind: 'note', content: long }, { kind: content, x: content }));
    expect(flushed()).toMatchObject([{ content }, { content: long }, { kind: content, x: content }]);
    expect(repo.git('cat-file', 'blob', 'STAGE:step.jsonl')).not.toMatch(/\0|\ufffd/);
    fsck(repo.dir);
  });

  test('of nothing is nothing', () => {
    expect(batch('')).toMatchObject({ records: [], problems: [] });
    expect(repo.json<ActiveStatus>(['stage', 'status']).pending_observations).toBe(0);
    expect(repo.json(['observe', 'batch', '--flush'], { input: '\n\n' })).toMatchObject({ flushed: null });
  });
});

describe('every way to observe', () => {
  const EVERY = [
    [['observe', 'read', 'a.ts']],
    [['observe', 'write', 'a.ts']],
    [['observe', 'command', '--exit-code', '0', '--', 'ls']],
    [['observe', 'note', 'x']],
    [['observe', 'plan', 'x']],
    [['observe', 'relate', 'file:a', 'Imports', 'file:b']],
    [['observe', 'batch']],
  ] as const;
  const input = '{"kind":"note","content":"x"}\n';

  test.for(EVERY)('%j makes a step of all that waits with --flush', ([line]) => {
    write(join(repo.dir, 'a.ts'), 'a');
    repo.run(['observe', 'note', 'Waits']);
    const { step } = repo.json<ActiveStatus>(['stage', 'status']);
    const [a, b, ...rest] = line;
    const flushed = repo.json<{ records: string[]; flushed: object }>([a, b, '--flush', ...rest], { input });
    expect(flushed).toMatchObject({ flushed: { committed: true, flushed: 2, step: step + 1 } });
    expect(lastRecords().map((record) => record.id)).toContain(flushed.records[0]);
  });

  test.for(EVERY)('%j is refused where no session is active, and leaves nothing behind', ([line]) => {
    const bare = empty();
    const before = fingerprint(bare.store);
    expect(bare.refused(line, { input })).toEqual({
      exit: 1,
      code: 'no_active_session',
      message: 'No session is active.',
      hint: 'Begin one with: ctx start "<task>"',
      data: null,
    });
    expect(fingerprint(bare.store)).toEqual(before);
  });

  test('relate and batch take --flush behind their words, too', () => {
    expect(repo.run(['observe', 'relate', 'file:a', 'Imports', 'file:b', '--flush'])).toMatchObject({ code: 0 });
    expect(repo.run(['observe', 'batch', '--flush'], { input })).toMatchObject({ code: 0 });
    expect(repo.run(['observe', 'note', '--flush', 'x'])).toMatchObject({ code: 0 });
    expect(repo.run(['observe', 'plan', 'x', '--flush'])).toMatchObject({ code: 0 });
    expect(repo.run(['observe', 'command', '--exit-code', '0', '--flush', '--', 'ls'])).toMatchObject({ code: 0 });
    expect(seen(repo.run(['observe', 'read', 'a.ts', '--flush']))).toMatch(
      /^exit 0\nout\| Kept 1 record, step \d+ <oid1>$/,
    );
  });
});

let made: Repo | undefined;
function empty(): Repo {
  made ??= repository();
  made.write('a.ts', 'a');
  return made;
}

test('Git finds nothing wrong with all of that, and the session can be saved', () => {
  fsck(repo.dir);
  expect(repo.run(['stage', 'compact'])).toMatchObject({ code: 0 });
  fsck(repo.dir);
});

test('what to do next is named once a session, and never with --quiet', () => {
  const own = session();
  const hint = 'hint: Make a step of what was observed with: ctx flush\n';
  expect(own.copy().run(['--quiet', 'observe', 'note', 'x'])).toEqual({ code: 0, stdout: '', stderr: '' });
  expect(own.run(['observe', 'note', 'x'])).toEqual({ code: 0, stdout: 'Kept 1 record\n', stderr: hint });
  expect(own.run(['observe', 'plan', 'x']).stderr).toBe('');
  own.run(['flush']);
  expect(own.run(['observe', 'command', '--exit-code', '0', '--', 'true']).stderr).toBe('');
  own.run(['start', '--replace', 'Another']);
  expect(own.run(['observe', 'relate', 'file:a', 'Imports', 'file:b']).stderr).toBe(hint);
});
