// A store that is damaged: what is torn is named, with exit code 5, and never read as empty, new or older.
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { ActiveStatus, DamagedPointer, ListedSession, StartResult } from '../../src/index.ts';
import { fingerprint, fsck, NOON, type Repo, type Result, seen, session, write } from '../support/cli.ts';
import { TRANSCRIPT } from '../support/samples.ts';

/** A saved session, and an open one with two steps and a note that waits. Tests take copies. */
let sound: Repo;
let id: string;
beforeAll(() => {
  sound = session('The first task');
  sound.write('a.txt', 'one\n');
  sound.run(['observe', 'write', 'a.txt']);
  sound.run(['observe', 'note', 'x'.repeat(5000)]);
  sound.run(['stage', 'compact']);
  sound.run(['stage', 'start', 'The second task']);
  sound.run(['observe', 'note', 'kept', '--flush']);
  sound.run(['observe', 'note', 'waits']);
  id = sound.json<ActiveStatus>(['stage', 'status']).session_id;
});

/** Expects exit code 5 and a message that names what is damaged; gives that message. */
function damaged(repo: Repo, line: string[], what: string): string {
  const error = repo.refused(line);
  expect([line, error.exit, error.code]).toEqual([line, 5, 'damaged']);
  expect(error.message).toContain(what);
  expect(error.hint).not.toBeNull();
  return error.message;
}

/** Reads the list of `stage list` with exit code 5: ids of sessions, and pointers that are damaged. */
function listed(repo: Repo): [sessions: string[], damaged: string[]] {
  const entries = repo.json<(ListedSession | DamagedPointer)[]>(['stage', 'list'], { exit: 5 });
  const damaged = entries.filter((entry) => 'damaged' in entry);
  const sessions = entries.filter((entry) => 'session_id' in entry);
  for (const entry of damaged)
    expect(entry).toEqual({ ...entry, damaged: expect.stringContaining('is damaged'), hint: expect.any(String) });
  return [sessions.map((session) => session.session_id), damaged.map((entry) => entry.ref)];
}

/** Flips one bit in the middle of a file. */
function flip(path: string, at = 0.5): void {
  const bytes = readFileSync(path);
  const index = Math.floor(bytes.length * at);
  bytes[index] = (bytes[index] as number) ^ 0x10;
  write(path, bytes);
}

/** Everything but the objects: what is not yet published is harmless. */
function pointers(repo: Repo): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fingerprint(repo.store)).filter(([path]) => !/^(cache\/)?objects\//.test(path)),
  );
}

const objectsOf = (repo: Repo): string[] =>
  readdirSync(join(repo.store, 'objects'), { recursive: true, encoding: 'utf8' }).filter((path) =>
    /^[0-9a-f]{2}\/[0-9a-f]{38}$/.test(path),
  );

describe('STAGE', () => {
  test.each([
    '',
    'ref: refs/sessions/',
    'ref: refs/heads/main\n',
    'ref: refs/sessions/../../heads/main\n',
    '8e231092b523f8b0396b1e996d8e867b8fd29aeb\n',
    '\0\0\0\0',
  ])('that says %j is damaged, and nothing is recorded anywhere else', (text) => {
    const repo = sound.copy();
    write(join(repo.store, 'STAGE'), text);
    const before = fingerprint(repo.store);
    for (const line of [
      ['stage', 'status'],
      ['observe', 'note', 'x'],
      ['stage', 'start', 'New'],
    ]) {
      damaged(repo, line, 'STAGE is damaged');
    }
    expect(fingerprint(repo.store)).toEqual(before);
    expect(repo.run(['log'])).toMatchObject({ code: 0 });
  });

  test('that is cut off in the middle is damaged', () => {
    const repo = sound.copy();
    const stage = readFileSync(join(repo.store, 'STAGE'), 'utf8');
    write(join(repo.store, 'STAGE'), stage.slice(0, -1));
    damaged(repo, ['stage', 'status'], 'STAGE is damaged');
  });

  test('is named with what to do, and is repaired by that', () => {
    const repo = sound.copy();
    write(join(repo.store, 'STAGE'), 'torn');
    expect(seen(repo.run(['stage', 'status']))).toMatchInlineSnapshot(`
      "exit 5
      err| error: STAGE is damaged: it must say "ref: refs/sessions/<id>", and says "torn"
      err| hint: Repair it with: ctx fsck --repair"
    `);
    expect(seen(repo.run(['fsck', '--repair']))).toMatchInlineSnapshot(`
      "exit 0
      out| Restored STAGE to refs/sessions/<id1>.
      out| The store is whole."
    `);
    expect(repo.json<ActiveStatus>(['stage', 'status'])).toMatchObject({ session_id: id, pending_observations: 1 });
  });

  test('that names a session which is gone is damaged', () => {
    const repo = sound.copy();
    const gone = id.replace(/^.{8}/, '01234567');
    write(join(repo.store, 'STAGE'), `ref: refs/sessions/${gone}\n`);
    for (const line of [
      ['stage', 'status'],
      ['observe', 'note', 'x'],
      ['stage', 'flush'],
      ['stage', 'recover'],
    ]) {
      expect(damaged(repo, line, 'STAGE')).toContain(gone);
    }
    expect(repo.run(['stage', 'switch', id])).toMatchObject({ code: 0 });
    expect(repo.run(['stage', 'status'])).toMatchObject({ code: 0 });
  });

  test('that is gone, while a session was active: nobody takes that for none', () => {
    const repo = sound.copy();
    rmSync(join(repo.store, 'STAGE'));
    const transcript = write(join(repo.store, '..', 'transcript.jsonl'), TRANSCRIPT);
    const before = pointers(repo);
    for (const line of [
      ['stage', 'status'],
      ['observe', 'note', 'x'],
      ['stage', 'start', 'New'],
      ['message', 'Log it too'],
      ['show', 'STAGE'],
      ['diff', 'HEAD'],
      ['ingest', transcript],
    ])
      expect(damaged(repo, line, 'STAGE is damaged: it is gone')).toContain(id);
    expect(listed(repo)).toEqual([[id], ['STAGE']]);
    const cached = { 'cache/sources': expect.any(String), 'cache/conversations.index': expect.any(String) };
    expect(pointers(repo)).toEqual({ ...before, ...cached });
    expect(repo.run(['fsck', '--repair'])).toMatchObject({ code: 0 });
    expect(repo.run(['ingest', transcript])).toMatchObject({ code: 0 });
    expect(repo.json<ActiveStatus>(['stage', 'status'])).toMatchObject({ session_id: id });
  });
});

describe('a ref', () => {
  const TORN = ['', '8e231092b523f8b0396b1e996d8e867b8fd29ae\n', 'ref: refs/heads/main\n'];

  test.each(TORN)('of the open session that says %j is damaged', (text) => {
    const repo = sound.copy();
    write(join(repo.store, 'refs/sessions', id), text);
    const before = fingerprint(repo.store);
    for (const line of [
      ['stage', 'status'],
      ['stage', 'flush'],
      ['stage', 'compact'],
      ['show', 'STAGE'],
    ]) {
      damaged(repo, line, `refs/sessions/${id} is damaged`);
    }
    expect(listed(repo)).toEqual([[], [`refs/sessions/${id}`]]);
    expect(fingerprint(repo.store)).toEqual(before);
  });

  test.each(TORN)('of the main line that says %j is damaged', (text) => {
    const repo = sound.copy();
    write(join(repo.store, 'refs/heads/main'), text);
    const before = pointers(repo);
    for (const line of [['log'], ['show', 'HEAD'], ['diff', 'HEAD'], ['stage', 'compact']]) {
      damaged(repo, line, 'refs/heads/main is damaged');
    }
    expect(pointers(repo)).toEqual(before);
  });

  test('that is torn beside an older value in packed-refs is not read as that value', () => {
    const repo = sound.copy();
    repo.git('pack-refs', '--all');
    repo.run(['stage', 'flush']);
    const path = join(repo.store, 'refs/sessions', id);
    expect(readFileSync(path, 'utf8')).not.toBe(repo.git('rev-parse', `refs/sessions/${id}~1`));
    write(path, '');
    damaged(repo, ['stage', 'status'], `refs/sessions/${id} is damaged`);
    damaged(repo, ['observe', 'note', 'x'], `refs/sessions/${id} is damaged`);
  });

  test('of a saved session that an older packed-refs brings back is no open one', () => {
    const repo = sound.copy();
    repo.git('pack-refs', '--all');
    const packed = readFileSync(join(repo.store, 'packed-refs'));
    repo.run(['stage', 'compact']);
    write(join(repo.store, 'packed-refs'), packed);
    const ref = `refs/sessions/${id}`;
    expect(repo.run(['stage', 'list'])).toMatchObject({
      code: 5,
      stdout: expect.stringContaining(`${ref} is damaged`),
    });
    damaged(repo, ['stage', 'status'], `${ref} is damaged`);
    expect(repo.run(['fsck', '--repair'])).toMatchObject({ code: 0 });
    expect(repo.json(['stage', 'list'])).toEqual([]);
  });

  test('packed-refs that is torn is damaged, not shorter', () => {
    const repo = sound.copy();
    repo.git('pack-refs', '--all');
    const text = readFileSync(join(repo.store, 'packed-refs'), 'utf8');
    for (const torn of [text.slice(0, -5), text.slice(0, text.lastIndexOf('refs/')), `${text}nonsense\n`]) {
      write(join(repo.store, 'packed-refs'), torn);
      damaged(repo, ['stage', 'status'], 'packed-refs is damaged');
      damaged(repo, ['log'], 'packed-refs is damaged');
    }
  });

  test('of the main line that is missing is neither empty nor begun again; it can be restored', () => {
    const repo = sound.copy();
    const main = repo.git('rev-parse', 'main');
    rmSync(join(repo.store, 'refs/heads/main'));
    const before = pointers(repo);
    const lines = [
      ['log'],
      ['show', 'HEAD'],
      ['diff', 'HEAD'],
      ['stage', 'compact'],
      ['stage', 'start', '--beside', 'x'],
      ['init'],
    ];
    for (const line of lines) damaged(repo, line, 'refs/heads/main is damaged: it is missing');
    expect(pointers(repo)).toEqual(before);
    expect(repo.run(['fsck', '--repair'])).toMatchObject({ code: 0 });
    expect(repo.git('rev-parse', 'main')).toBe(main);
  });
});

describe('of several open sessions one that is damaged', () => {
  let several: Repo;
  let other: string;
  beforeAll(() => {
    several = sound.copy();
    other = several.json<StartResult>(['stage', 'start', '--beside', 'The third task']).session_id;
  });

  test.each<[what: string, spoil: (repo: Repo) => void, seen: () => string]>([
    ['by its ref', (repo) => write(join(repo.store, 'refs/sessions', id), 'torn'), () => `refs/sessions/${id}`],
    [
      'by its head',
      (repo) => {
        const oid = repo.git('rev-parse', `refs/sessions/${id}`).trim();
        flip(join(repo.store, 'objects', oid.slice(0, 2), oid.slice(2)));
      },
      () => `refs/sessions/${id}`,
    ],
    [
      'by what waits for it',
      (repo) => {
        const folder = join(repo.store, 'pending', id);
        flip(join(folder, readdirSync(folder).find((name) => name.endsWith('.json')) as string));
      },
      () => `refs/sessions/${id}`,
    ],
  ])('%s is named beside the others, which can be worked on', (_what, spoil, ref) => {
    const repo = several.copy();
    spoil(repo);
    expect(listed(repo)).toEqual([[other], [ref()]]);
    const { code, stdout } = repo.run(['stage', 'list'], { now: NOON });
    expect(code).toBe(5);
    expect(stdout).toMatch(
      new RegExp(`^\\* ${other.slice(-6)} .* The third task\ndamaged ${ref()}: .* is damaged: .*\n    \\S.*\n$`),
    );
    expect(repo.json<ActiveStatus>(['stage', 'status', '--session', other.slice(0, 30)])).toMatchObject({
      session_id: other,
    });
    expect(repo.run(['stage', 'switch', other])).toMatchObject({ code: 0 });
  });

  test('STAGE that is torn leaves the sessions listed, none of them marked', () => {
    const repo = several.copy();
    write(join(repo.store, 'STAGE'), 'torn');
    expect(listed(repo)).toEqual([expect.arrayContaining([id, other]), ['STAGE']]);
    expect(repo.run(['stage', 'list']).stdout).not.toContain('* ');
  });
});

/** Commands that read everything between them. */
const READING = [
  ['stage', 'status'],
  ['log', '--stat'],
  ['show', 'HEAD', '--steps'],
  ['show', 'STAGE', '--steps'],
  ['diff', 'HEAD~1', 'STAGE'],
  ['stage', 'recover'],
];

describe('an object', () => {
  let answers: Result[];
  beforeAll(() => {
    answers = READING.map((line) => sound.run(line));
    for (const answer of answers) expect(answer).toMatchObject({ code: 0, stderr: '' });
  });

  /** Each command either answers as if nothing were, because it does not need the object, or names it. */
  function namedOrNotNeeded(repo: Repo, oid: string, lines = READING): number {
    let named = 0;
    for (const line of lines) {
      const index = READING.indexOf(line);
      const { code, stdout, stderr } = repo.run(line);
      if (code === 0) expect({ line, stdout, stderr }).toEqual({ line, stdout: answers[index]?.stdout, stderr: '' });
      else {
        expect({ line, code }).toEqual({ line, code: 5 });
        expect(stderr).toMatch(new RegExp(`^error: .*object ${oid} .*\n(hint: .*\n)?$`));
        named += 1;
      }
    }
    return named;
  }

  test.for([
    ['the head of the open session', 'STAGE'],
    ['its session.json', 'STAGE:session.json'],
    ['its step.jsonl', 'STAGE:step.jsonl'],
    ['the head of the main line', 'main'],
    ['its session.json', 'main:session.json'],
    ['the content of a file', 'main:files/a.txt'],
  ] as const)('with a flipped bit is named where it is needed: %s', ([, revision]) => {
    const oid = sound.git('rev-parse', revision).trim();
    const repo = sound.copy();
    flip(join(repo.store, 'objects', oid.slice(0, 2), oid.slice(2)));
    expect(namedOrNotNeeded(repo, oid)).toBeGreaterThan(0);
  });

  test.for([
    ['empty', (path: string) => write(path, '')],
    ['cut off', (path: string) => write(path, readFileSync(path).subarray(0, -3))],
    ['longer than it should be', (path: string) => write(path, Buffer.concat([readFileSync(path), Buffer.from('x')]))],
    ['missing', (path: string) => rmSync(path)],
  ] as const)('that is %s is named', ([, spoil]) => {
    const oid = sound.git('rev-parse', 'STAGE').trim();
    const repo = sound.copy();
    spoil(join(repo.store, 'objects', oid.slice(0, 2), oid.slice(2)));
    const before = fingerprint(repo.store);
    expect(namedOrNotNeeded(repo, oid, [READING[0], READING[3]] as string[][])).toBe(2);
    for (const line of [
      ['stage', 'flush'],
      ['stage', 'compact'],
    ])
      damaged(repo, line, `object ${oid}`);
    expect(fingerprint(repo.store)).toEqual(before);
  });

  test('that is another one under its name is named', () => {
    const [head, other] = ['STAGE', 'STAGE~1'].map((revision) => sound.git('rev-parse', revision).trim()) as [
      string,
      string,
    ];
    const repo = sound.copy();
    const path = (oid: string): string => join(repo.store, 'objects', oid.slice(0, 2), oid.slice(2));
    write(path(head), readFileSync(path(other)));
    expect(damaged(repo, ['stage', 'status'], `object ${head}`)).toContain('its content is not what its name says');
  });

  test('that is damaged, whichever it is, is never taken for something else', () => {
    const repo = sound.copy();
    const needed = objectsOf(repo).filter((path) => {
      const file = join(repo.store, 'objects', path);
      const bytes = readFileSync(file);
      flip(file, 0.7);
      // The one command that reads the most.
      const { code, stdout, stderr } = repo.run(['show', 'STAGE', '--steps']);
      write(file, bytes);
      if (code === 0) expect(stdout).toBe(answers[3]?.stdout);
      else expect([path, code, stderr.includes(path.replace('/', ''))]).toEqual([path, 5, true]);
      return code !== 0;
    });
    expect(needed.length).toBeGreaterThan(4);
  });

  test('in a pack that is damaged is named or not needed, too', () => {
    const repo = sound.copy();
    repo.git('gc', '--quiet');
    expect(objectsOf(repo)).toEqual([]);
    const folder = join(repo.store, 'objects/pack');
    const pack = readdirSync(folder).find((name) => name.endsWith('.pack')) as string;
    const bytes = readFileSync(join(folder, pack));
    let named = 0;
    for (let at = 20; at < bytes.length - 20; at += Math.ceil(bytes.length / 14)) {
      const torn = Buffer.from(bytes);
      torn[at] = (torn[at] as number) ^ 0x10;
      rmSync(join(folder, pack));
      write(join(folder, pack), torn);
      const { code, stdout, stderr } = repo.run(['show', 'STAGE', '--steps']);
      if (code === 0) expect(stdout).toBe(answers[3]?.stdout);
      else {
        expect([at, code]).toEqual([at, 5]);
        expect(stderr).toMatch(/^error: .*\b[0-9a-f]{40}\b/);
        named += 1;
      }
    }
    expect(named).toBeGreaterThan(2);
    rmSync(join(folder, pack));
    write(join(folder, pack), bytes.subarray(0, bytes.length / 2));
    expect(repo.run(['stage', 'status']).code).toBe(5);
  });

  test('that is torn is set aside and written again by the next writer', () => {
    const repo = sound.copy();
    repo.write('a.txt', 'one\n');
    const oid = sound.git('rev-parse', 'main:files/a.txt').trim();
    write(join(repo.store, 'objects', oid.slice(0, 2), oid.slice(2)), 'torn');
    expect(repo.run(['observe', 'write', 'a.txt', '--flush'])).toMatchObject({ code: 0 });
    expect(repo.git('cat-file', 'blob', oid)).toBe('one\n');
    expect(readdirSync(join(repo.store, 'lost'))).toEqual([expect.stringContaining(oid)]);
    fsck(repo.dir);
  });
});

test('an object that Git cannot pack is named', () => {
  const repo = sound.copy();
  const oid = repo.git('rev-parse', 'HEAD').trim();
  const path = `objects/${oid.slice(0, 2)}/${oid.slice(2)}`;
  rmSync(join(repo.store, path));
  mkdirSync(join(repo.store, path));
  damaged(repo, ['gc'], oid);
});

describe('what waits', () => {
  test('and is torn is named, and nothing of it is flushed', () => {
    const repo = sound.copy();
    const folder = join(repo.store, 'pending', id);
    const [name] = readdirSync(folder).filter((file) => file.endsWith('.json'));
    const path = join(folder, name as string);
    const text = readFileSync(path, 'utf8');
    for (const torn of ['', text.slice(0, -10), text.replace('waits', 'mails'), `${text}${text}`, '{}\n', 'null']) {
      write(path, torn);
      const before = fingerprint(repo.store);
      for (const line of [
        ['stage', 'status'],
        ['stage', 'flush'],
        ['stage', 'done'],
        ['stage', 'compact'],
      ]) {
        damaged(repo, line, `pending/${id}/${name} is damaged`);
      }
      expect(fingerprint(repo.store)).toEqual(before);
    }
    // A new record is kept all the same.
    expect(repo.run(['observe', 'note', 'Another'])).toMatchObject({ code: 0 });
    write(path, text);
    expect(repo.run(['stage', 'flush']).stdout).toMatch(/^Step 3 [0-9a-f]+: 2 records\n$/);
  });

  test('and whose payload is gone is named', () => {
    const repo = sound.copy();
    repo.run(['observe', 'note', 'y'.repeat(40_000)]);
    rmSync(join(repo.store, 'pending', id, 'objects'), { recursive: true });
    damaged(repo, ['stage', 'flush'], `pending/${id}/objects/`);
    expect(repo.json<ActiveStatus>(['stage', 'status'])).toMatchObject({ step: 2, pending_observations: 2 });
  });
});

test('an operation that was cut off and is torn is named by the command that would finish it', () => {
  const repo = sound.copy();
  write(join(repo.store, 'oplog/begun.json'), '{"sha1":"0","version":1}\n');
  for (const line of [
    ['stage', 'flush'],
    ['stage', 'recover'],
    ['stage', 'compact'],
  ])
    damaged(repo, line, 'oplog/begun.json');
  expect(repo.run(['stage', 'status'], { now: NOON })).toMatchObject({ code: 0 });
});

describe('a pointer', () => {
  /** The id of the session that was saved. */
  const archived = (): string => readdirSync(join(sound.store, 'refs/archive'))[0] as string;

  test('that is gone is named by whatever needs it, and restored from its reflog', () => {
    const repo = sound.copy();
    repo.git('pack-refs', '--all');
    rmSync(join(repo.store, 'packed-refs'));
    for (const line of [['log'], ['show', archived()], ['stage', 'status'], ['undo'], ['stage', 'flush']])
      expect([line, damaged(repo, line, 'refs/')]).toEqual([line, expect.stringMatching(/missing|its file is gone/)]);
    expect(repo.run(['fsck', '--repair'])).toMatchObject({ code: 0 });
    for (const line of [['log'], ['show', archived(), '--steps'], ['stage', 'list']])
      expect(repo.run(line, { now: NOON }).stdout).toBe(sound.run(line, { now: NOON }).stdout);
    fsck(repo.dir);
  });

  test.each([
    [
      'that of an open session names a step of another one',
      () => `refs/sessions/${id}`,
      () => `refs/archive/${archived()}`,
    ],
    ['that of a saved session names its canonical commit', () => `refs/archive/${archived()}`, () => 'refs/heads/main'],
    ['that of the main line names a step', () => 'refs/heads/main', () => `refs/sessions/${id}`],
  ])('is not believed: %s', (_what, ref, other) => {
    const repo = sound.copy();
    write(join(repo.store, ref()), readFileSync(join(repo.store, other())));
    const lines = {
      heads: [['log'], ['show', 'HEAD'], ['diff', 'HEAD~1', 'HEAD'], ['stage', 'compact']],
      sessions: [
        ['stage', 'status'],
        ['show', 'STAGE'],
        ['show', id],
        ['stage', 'flush'],
        ['stage', 'compact'],
      ],
      archive: [['show', archived()]],
    }[ref().split('/')[1] as 'heads' | 'sessions' | 'archive'];
    for (const line of lines) damaged(repo, line, ref());
    expect(repo.run(['fsck'])).toMatchObject({ code: 5 });
    expect(repo.run(['fsck', '--repair'])).toMatchObject({ code: 0 });
    for (const line of lines.slice(0, 2))
      expect(repo.run(line, { now: NOON }).stdout).toBe(sound.run(line, { now: NOON }).stdout);
    fsck(repo.dir);
  });
});

test.each(['info', 'objects/info', 'logs', 'logs/refs/heads', 'pending', 'oplog', 'refs/sessions'])(
  'a file in the place of the folder %s is no bug',
  (folder) => {
    const repo = sound.copy();
    rmSync(join(repo.store, folder), { recursive: true, force: true });
    write(join(repo.store, folder), 'no folder\n');
    for (const line of [['log'], ['stage', 'status'], ['fsck']])
      expect([line, repo.run(line, { now: NOON })]).toEqual([
        line,
        expect.objectContaining({ code: expect.toBeOneOf([0, 5]) }),
      ]);
  },
);

describe('a file in the place of a folder', () => {
  test('of the questions that wait is damage to a command that would show one', () => {
    const repo = sound.copy();
    expect(repo.run(['message', '--as', 'new-task', 'Write the docs']).code).toBe(3);
    rmSync(join(repo.store, 'choices'), { recursive: true });
    write(join(repo.store, 'choices'), 'junk');
    for (const line of [
      ['stage', 'status'],
      ['choose', 'A'],
      ['stage', 'flush'],
    ])
      damaged(repo, line, 'choices');
  });

  test('of the records of a session is damage to a command that records one', () => {
    const repo = sound.copy();
    rmSync(join(repo.store, 'pending', id), { recursive: true });
    write(join(repo.store, 'pending', id), 'junk');
    damaged(repo, ['observe', 'note', 'x'], `pending/${id}`);
  });
});

test('a session that STAGE names and whose pointer is gone with every log is listed as damaged', () => {
  const repo = sound.copy();
  repo.git('pack-refs', '--all');
  for (const name of ['packed-refs', 'logs']) rmSync(join(repo.store, name), { recursive: true });
  expect(listed(repo)).toEqual([[], [`refs/sessions/${id}`]]);
});
