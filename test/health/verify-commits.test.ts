// The check of a store on commits that lie: whole objects, sound to Git, of which our check names the one thing that is wrong.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkStore } from '../../src/app/fsck.ts';
import { MAIN } from '../../src/git/layout.ts';
import { archiveRef, sessionRef } from '../../src/history/names/layout.ts';
import { encodePending, type Pending, readPending } from '../../src/history/pending/pending.ts';
import * as ctx from '../../src/index.ts';
import { type Forge, forge } from '../support/forge.ts';
import { makeHistory } from '../support/history.ts';
import { fsck, makeProject } from '../support/store.ts';

interface Scene extends Forge {
  repository: ctx.Repository;
  /** The open session, whose head is a step with a note and a file. */
  open: string;
  /** The one that was saved last, and its chain. */
  saved: string;
  archive: string;
  /** The first commit of the main line. */
  root: string;
  idle: (seconds: number) => void;
}

/** Two saved sessions with files, and an open one of three steps. */
function scene(): Scene {
  const { repository, store, write, clock } = makeHistory();
  const root = ctx.startSession(repository, 'one').base;
  write('a.txt', 'a1');
  ctx.compactSession(repository);
  const saved = ctx.startSession(repository, 'two').session_id;
  write('src/b.txt', 'b1');
  ctx.observeNote(repository, 'Saved');
  ctx.observeRelations(repository, [{ from: 'task:x', label: 'Mentions', to: 'note:y', confidence: 'high' }]);
  ctx.compactSession(repository, { type: { kind: 'InterruptedByNewTask', new_task_summary: 'three' } });
  const open = ctx.startSession(repository, 'three').session_id;
  ctx.setState(repository, 'ask', { text: 'Which?' });
  write('c.txt', 'c1');
  ctx.observeNote(repository, 'A note');
  ctx.flushStep(repository);
  const idle = (seconds: number): void => {
    clock.now += seconds;
  };
  return {
    repository,
    open: sessionRef(open),
    saved,
    archive: archiveRef(saved),
    root,
    idle,
    ...forge({ repository, store }),
  };
}

/** Every damage that the check names: where, and what. */
function named({ repository }: Scene): [where: string, message: string][] {
  const { findings, healthy } = checkStore(repository);
  expect(healthy).toBe(findings.length === 0);
  for (const finding of findings) {
    expect(finding.severity).toBe('damage');
    expect(finding.hint).toMatch(/ctx |^Fetch it /);
  }
  return findings.map(({ where, message }) => [where, message]);
}

const records = (text: string): Record<string, unknown>[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

/** Puts other records into the head of the open session. */
function record(of: Scene, change: (found: Record<string, unknown>[]) => Record<string, unknown>[]): string {
  return of.replace(of.open, (oid) => {
    const changed = change(records(of.text(oid, 'step.jsonl')));
    const blob = of.blob(changed.map((line) => `${JSON.stringify(line)}\n`).join(''));
    return of.like(oid, { tree: of.treeWith(oid, 'step.jsonl', { oid: blob }) });
  });
}

const replaceIn = (of: Scene, ref: string, from: RegExp | string, to: string): string =>
  of.replace(ref, (oid) => of.like(oid, { message: of.commit(oid).message.replace(from, to) }));

test('a store of which nothing was forged is sound', () => {
  const of = scene();
  expect(named(of)).toEqual([]);
});

/** A forgery, the finding of the check about the forged commit, and its ref. */
type Lie = [what: string, tell: (of: Scene) => string, ...messages: (string | RegExp)[]];

const STEPS: Lie[] = [
  [
    'two parents',
    (of) => of.replace(of.open, (oid) => of.like(oid, { parents: [...of.commit(oid).parents, of.head(MAIN)] })),
    'it has 2 parents, and every step has one',
  ],
  [
    'a record of an earlier step',
    (of) => {
      const [again] = records(of.text(of.commit(of.head(of.open)).parents[0] as string, 'step.jsonl'));
      return record(of, (found) => [...found.slice(0, -1), { ...found.at(-1), id: again?.id }]);
    },
    /^its record [0-9a-f-]{36} is in the chain already$/,
  ],
  [
    'a record twice',
    (of) => record(of, (found) => [{ ...found[0], id: found[1]?.id }, ...found.slice(1)]),
    /^its record [0-9a-f-]{36} is in the chain already$/,
  ],
  [
    'another task',
    (of) => of.resay(of.open, (session) => Object.assign(session, { task_description: 'forged' })),
    'its task_description is not that of the step before it, and no record names another one',
  ],
  [
    'another beginning',
    (of) => of.resay(of.open, (session) => Object.assign(session, { started_at: 7 })),
    'its started_at is 7, and in the step before it 1769040000',
  ],
  [
    'another last activity',
    (of) => of.resay(of.open, (session) => Object.assign(session, { last_activity: 1_769_040_001 })),
    'its last_activity is 1769040001, and its records end at 1769040000',
  ],
  [
    'a file that nobody put there',
    (of) => of.replace(of.open, (oid) => of.like(oid, { tree: of.treeWith(oid, 'evil', { oid: of.blob('x') }) })),
    '"evil" does not belong into it',
  ],
  [
    'a folder in the place of a file',
    (of) => of.replace(of.open, (oid) => of.like(oid, { tree: of.treeWith(oid, 'payload', { oid: of.blob('x') }) })),
    'its payload has the mode 100644, not 40000',
  ],
  [
    'a payload that no record has',
    (of) =>
      of.replace(of.open, (oid) => {
        const payload = of.tree([{ name: `${'0'.repeat(36)}-content`, oid: of.blob('x') }]);
        return of.like(oid, { tree: of.treeWith(oid, 'payload', { oid: payload, mode: '40000' }) });
      }),
    /^nothing in it has a payload "0{36}-content"$/,
  ],
  [
    'no files',
    (of) => of.replace(of.open, (oid) => of.like(oid, { tree: of.treeWith(oid, 'files', null) })),
    'its files are not those of the step before with its own records applied',
  ],
  [
    'a state without a move',
    (of) => {
      of.resay(of.open, (session) => Object.assign(session, { session_state: { kind: 'Running' } }));
      return replaceIn(of, of.open, 'Ctx-State: AwaitingUser', 'Ctx-State: Running');
    },
    'it is Running, and its moves lead to AwaitingUser',
  ],
  [
    'another question without a move',
    (of) =>
      of.resay(of.open, (session) =>
        Object.assign(session, { session_state: { ...(session.session_state as object), question: 'Forged?' } }),
      ),
    'it is AwaitingUser, and its moves lead to another AwaitingUser',
  ],
  [
    'too many records counted',
    (of) => of.resay(of.open, (session) => Object.assign(session.counts as object, { records: 99 })),
    'it counts 99 records, and there are 5',
  ],
  [
    'too few notes counted',
    (of) => of.resay(of.open, (session) => Object.assign(session.counts as object, { notes: 0 })),
    'it counts 0 notes, and there are 2',
  ],
  [
    'fewer files counted than before',
    (of) => {
      ctx.observeNote(of.repository, 'One more');
      ctx.flushStep(of.repository);
      return of.resay(of.open, (session) => Object.assign(session.counts as object, { files: 0 }));
    },
    'it counts 0 files, and there are 1',
  ],
  ...(
    [
      ['Ctx-Base', (of: Scene) => of.head(of.archive)],
      ['Ctx-State', () => 'Complete'],
    ] as const
  ).map(
    ([key, value]): Lie => [
      `another ${key}`,
      (of) => replaceIn(of, of.open, new RegExp(`${key}: .*`), `${key}: ${value(of)}`),
      new RegExp(`^its ${key} says .*, its session.json `),
    ],
  ),
  [
    'a trailer too many',
    (of) => replaceIn(of, of.open, /\n$/, '\nCtx-Squashed: 7\n'),
    'its Ctx-Squashed says 7, its session.json nothing of the kind',
  ],
];

const UNTIDY = 'its message is more than one subject line and each of its trailers once';

/** Forges a message with a line that no message of ours has, of a step or of a canonical commit: the key of one of its trailers stands for itself. */
const untidy = (refOf: (of: Scene) => string): Lie[] => [
  [
    'a trailer that a later one contradicts',
    (of) => replaceIn(of, refOf(of), /^Ctx-State: /m, 'Ctx-State: Forged\nCtx-State: '),
    UNTIDY,
  ],
  ['a trailer twice', (of) => replaceIn(of, refOf(of), /^(Ctx-State: .*)$/m, '$1\n$1'), UNTIDY],
  [
    'a line that is no trailer among them',
    (of) => replaceIn(of, refOf(of), /^Ctx-State: /m, 'Reviewed-by: me\nCtx-State: '),
    UNTIDY,
  ],
  ['a paragraph before them', (of) => replaceIn(of, refOf(of), '\n\n', '\n\nCtx-State: Forged\n\n'), UNTIDY],
  ['no line feed at its end', (of) => replaceIn(of, refOf(of), /\n$/, ''), UNTIDY],
];

STEPS.push(...untidy((of) => of.open));

describe('a step with', () => {
  test.each(STEPS)('%s is named, and nothing else', (_what, tell, ...messages) => {
    const of = scene();
    const oid = tell(of);
    expect(fsck(of.repository.layout.root)).toBe('');
    const where = `${of.open}, step ${oid}`;
    expect(named(of)).toEqual(
      messages.map((message) => [where, typeof message === 'string' ? message : expect.stringMatching(message)]),
    );
  });

  test.each<[by: string, from: string, to: object]>([
    ['done', 'AwaitingUser', { kind: 'PendingComplete', summary: 'x' }],
    ['respond', 'AwaitingUser', { kind: 'Complete' }],
    ['forged', 'AwaitingUser', { kind: 'Running' }],
    ['undo', 'AwaitingUser', { kind: 'Complete' }],
    ['respond', 'Running', { kind: 'Running' }],
  ])('a move %s from %s to %j, which is not in the table, is named', (by, from, to) => {
    const of = scene();
    const moved = { kind: 'transition', from: { kind: from }, to, by };
    of.resay(of.open, (session) => {
      Object.assign(session, { session_state: to });
      Object.assign(session.counts as object, { notes: 1 });
    });
    replaceIn(of, of.open, /Ctx-State: .*/, `Ctx-State: ${(to as { kind: string }).kind}`);
    const oid = record(of, (found) =>
      found.map((line) => (line.kind === 'note' ? { ...line, content: undefined, role: undefined, ...moved } : line)),
    );
    expect(named(of)).toEqual([
      [
        `${of.open}, step ${oid}`,
        `the state table has no move ${by} from AwaitingUser to ${(to as { kind: string }).kind}`,
      ],
    ]);
  });

  test('the trailer of another session ends the chain there, and is named too', () => {
    const of = scene();
    const oid = replaceIn(of, of.open, /Ctx-Session: .*/, `Ctx-Session: ${of.saved}`);
    expect(named(of)).toEqual([
      [of.open, expect.stringMatching(/it is step 2 of .*, and must be step 2 of .*$/)],
      [`${of.open}, step ${oid}`, expect.stringMatching(`^its Ctx-Session says ${of.saved}, its session.json `)],
      [of.open, expect.stringContaining(`it names ${oid}, step 3 of `)],
    ]);
  });

  test('another base than the one it follows on is named', () => {
    const of = scene();
    const { session_id, base } = ctx.startSession(of.repository, 'four', { beside: true });
    const older = of.commit(base).parents[0] as string;
    const oid = of.replace(sessionRef(session_id), (head) => of.like(head, { parents: [older] }));
    expect(named(of)).toEqual([
      [`${sessionRef(session_id)}, step ${oid}`, `its parent is ${older}, and its base ${base}`],
    ]);
  });

  test('a base that changes within the chain, and one that is not on the main line, are named', () => {
    const of = scene();
    const old = ctx.activeSession(of.repository)?.base as string;
    const older = of.commit(old).parents[0] as string;
    of.resay(of.open, (session) => Object.assign(session, { base: older }));
    const oid = replaceIn(of, of.open, /Ctx-Base: .*/, `Ctx-Base: ${older}`);
    expect(named(of)).toEqual([[`${of.open}, step ${oid}`, `its base is ${older}, and in the step before it ${old}`]]);
    const stray = of.like(old, { message: of.commit(old).message.replace('two', 'stray') });
    of.resay(of.open, (session) => Object.assign(session, { base: stray }));
    replaceIn(of, of.open, /Ctx-Base: .*/, `Ctx-Base: ${stray}`);
    expect(named(of)).toContainEqual([of.open, `its base ${stray} is not on the main line, and no undo took it off`]);
  });

  test('what is above one that cannot be read is checked all the same, and not blamed for it', () => {
    const of = scene();
    const broken = of.commit(of.head(of.open)).parents[0] as string;
    const oid = replaceIn(of, of.open, /Ctx-State: .*/, 'Ctx-State: Forged');
    const step = of.text(broken, 'step.jsonl');
    const torn = of.like(broken, { tree: of.treeWith(broken, 'step.jsonl', { oid: of.blob(step.slice(5)) }) });
    const above = of.replace(of.open, (head) => of.like(head, { parents: [torn] }));
    expect(oid).not.toBe(above);
    expect(named(of)).toEqual([
      [`${of.open}, step ${torn}`, expect.stringContaining('it is no JSON')],
      [`${of.open}, step ${above}`, 'its Ctx-State says Forged, its session.json AwaitingUser'],
    ]);
  });
});

/** Puts another end into the session.json of the head of the main line. */
const resayEnd = (of: Scene, end: Record<string, unknown>): string =>
  of.resay(MAIN, (session) => Object.assign(session.ended as object, end));

/** A record that no step has. */
const RECORD = '{"version":1,"id":"forged","kind":"note","at":0}\n';

/** The same of a canonical commit. */
const SAVED: Lie[] = [
  [
    'two parents',
    (of) => of.replace(MAIN, (oid) => of.like(oid, { parents: [...of.commit(oid).parents, of.root] })),
    'a commit of type InterruptedByNewTask has 2 parents',
  ],
  [
    'the head of another chain as its own',
    (of) => replaceIn(of, MAIN, /Ctx-Work: .*/, `Ctx-Work: ${of.head(of.open)}`),
    /^its Ctx-Work names [0-9a-f]{40}, which is no step of refs\/archive\/[0-9a-f-]{36}$/,
  ],
  [
    'a commit of the main line as its chain',
    (of) => replaceIn(of, MAIN, /Ctx-Work: .*/, `Ctx-Work: ${of.commit(of.head(MAIN)).parents[0]}`),
    /^its Ctx-Work names [0-9a-f]{40}, which is no step of refs\/archive\/[0-9a-f-]{36}$/,
  ],
  [
    'no chain',
    (of) => replaceIn(of, MAIN, /Ctx-Work: .*\n/, ''),
    'its Ctx-Work names no step',
    'its Ctx-Work says nothing, its session.json ',
    /^its Ctx-Work names , which is no step/,
  ],
  [
    'an earlier step of its chain than the one that it says',
    (of) => replaceIn(of, MAIN, /Ctx-Work: .*/, `Ctx-Work: ${of.commit(of.head(of.archive)).parents[0]}`),
    'its session.json says another step than the step that it was made of',
    'its session.json says another counts than the step that it was made of',
    'its files are not those of its parent with those of its session laid over them',
  ],
  [
    'no files',
    (of) => of.replace(MAIN, (oid) => of.like(oid, { tree: of.treeWith(oid, 'files', null) })),
    'its files are not those of its parent with those of its session laid over them',
  ],
  [
    'a file of its parent gone',
    (of) =>
      of.replace(MAIN, (oid) => {
        const files = of.tree([{ name: 'src', oid: of.tree([{ name: 'b.txt', oid: of.blob('b1') }]) }], '40000');
        return of.like(oid, { tree: of.treeWith(oid, 'files', { oid: files, mode: '40000' }) });
      }),
    'its files are not those of its parent with those of its session laid over them',
  ],
  [
    'a file of its session gone',
    (of) =>
      of.replace(MAIN, (oid) => {
        const files = of.tree([{ name: 'a.txt', oid: of.blob('a1') }]);
        return of.like(oid, { tree: of.treeWith(oid, 'files', { oid: files, mode: '40000' }) });
      }),
    'its files are not those of its parent with those of its session laid over them',
  ],
  [
    'a file that nobody put there',
    (of) => of.replace(MAIN, (oid) => of.like(oid, { tree: of.treeWith(oid, 'evil', { oid: of.blob('x') }) })),
    '"evil" does not belong into it',
  ],
  [
    'no summary',
    (of) => of.replace(MAIN, (oid) => of.like(oid, { tree: of.treeWith(oid, 'summary.md', null) })),
    'it has no summary.md',
  ],
  [
    'a session.json that does not say how it ended',
    (of) => of.resay(MAIN, (session) => Object.assign(session, { ended: undefined })),
    'its session.json does not say how it ended',
  ],
  [
    'a session.json that says how it ended in part',
    (of) => of.resay(MAIN, (session) => Object.assign(session, { ended: { type: null, message: 'x' } })),
    'its session.json does not say how it ended',
  ],
  [
    'another message in its session.json',
    (of) => resayEnd(of, { message: 'forged' }),
    'its subject is not the message that its session.json says',
    'its summary.md is not what its chain makes of it',
  ],
  [
    'another subject',
    (of) => replaceIn(of, MAIN, /^.*/, 'forged'),
    'its subject is not the message that its session.json says',
  ],
  [
    'another time in its session.json',
    (of) => resayEnd(of, { at: 7 }),
    /^its time is 1769040000, and its session.json says 7$/,
  ],
  [
    'more files changed than there are',
    (of) => resayEnd(of, { files_changed: 9 }),
    'it says that 9 files changed, and its chain says 1',
  ],
  [
    'fewer files changed than there are',
    (of) => resayEnd(of, { files_changed: 0 }),
    'it says that 0 files changed, and its chain says 1',
  ],
  [
    'another author',
    (of) => {
      const { objects } = of.repository;
      const text = objects
        .readAs(of.head(MAIN), 'commit')
        .toString('utf8')
        .replace(/^author ctx/m, 'author forged');
      const oid = objects.write('commit', Buffer.from(text));
      of.point(MAIN, oid);
      return oid;
    },
    'its author is forged, and that of its session ctx',
  ],
  ...['summary.md', 'notes.jsonl', 'edges.jsonl'].flatMap((name) =>
    (
      [
        ['another', () => RECORD],
        ['an empty', () => ''],
        ['a longer', (text) => text + RECORD],
        ['a shorter', (text) => text.slice(0, -1)],
      ] as [what: string, change: (text: string) => string][]
    ).map(
      ([what, change]): Lie => [
        `${what} ${name}`,
        (of) =>
          of.replace(MAIN, (oid) => {
            const blob = of.blob(change(of.text(oid, name)));
            return of.like(oid, { tree: of.treeWith(oid, name, { oid: blob }) });
          }),
        `its ${name} is not what its chain makes of it`,
      ],
    ),
  ),
  [
    'a payload that its session.json does not tell of',
    (of) =>
      of.replace(MAIN, (oid) => {
        const payload = of.tree([{ name: 'session-forged', oid: of.blob('x') }]);
        return of.like(oid, { tree: of.treeWith(oid, 'payload', { oid: payload, mode: '40000' }) });
      }),
    'its payload is not what its chain makes of it',
  ],
  [
    'a session.json of another agent',
    (of) => of.resay(MAIN, (session) => Object.assign(session, { agent: 'forged' })),
    'its session.json says another agent than the step that it was made of',
  ],
  ...(['Ctx-Type', 'Ctx-Session', 'Ctx-Task', 'Ctx-State', 'Ctx-Steps', 'Ctx-New-Task'] as const).map(
    (key): Lie => [
      `another ${key}`,
      (of) => replaceIn(of, MAIN, new RegExp(`${key}: .*`), `${key}: ${key === 'Ctx-Type' ? 'Normal' : 'forged'}`),
      new RegExp(`^its ${key} says (Normal|forged), its session.json `),
    ],
  ),
  [
    'a trailer too many',
    (of) => replaceIn(of, MAIN, /\n$/, '\nCtx-Idle-Seconds: 7\n'),
    'its Ctx-Idle-Seconds says 7, its session.json nothing of the kind',
  ],
];

SAVED.push(...untidy(() => MAIN));

describe('a canonical commit with', () => {
  test.each(SAVED)('%s is named, and nothing else', (_what, tell, ...messages) => {
    const of = scene();
    // The session that is open begins at what was forged: it goes on from there.
    ctx.switchSession(of.repository, of.open.slice('refs/sessions/'.length));
    const oid = tell(of);
    expect(fsck(of.repository.layout.root)).toBe('');
    const own = named(of).filter(([where]) => where !== of.open);
    expect(own).toEqual(
      messages.map((message) => [
        `commit ${oid}`,
        typeof message === 'string' ? expect.stringContaining(message) : expect.stringMatching(message),
      ]),
    );
  });

  test('other idle seconds is named', () => {
    const of = scene();
    of.idle(700_000);
    ctx.cleanupStaleSessions(of.repository);
    const oid = replaceIn(of, MAIN, /Ctx-Idle-Seconds: .*/, 'Ctx-Idle-Seconds: 7');
    expect(named(of)).toEqual([[`commit ${oid}`, 'its Ctx-Idle-Seconds says 7, its session.json 700000']]);
  });

  test('a session that another one has saved is named', () => {
    const of = scene();
    const first = of.head(MAIN);
    const again = of.like(first, { parents: [first] });
    of.point(MAIN, again);
    expect(named(of)).toEqual([[`commit ${first}`, `it saves session ${of.saved}, as commit ${again} above it does`]]);
  });
});

describe('what a newer version of ctx wrote', () => {
  const NEWER: [what: string, write: (of: Scene) => string, where: (of: Scene, oid: string) => string][] = [
    ['a record', (of) => record(of, (found) => [...found.slice(0, -1), { ...found.at(-1), version: 2 }]), stepOf],
    ['a session', (of) => of.resay(of.open, (session) => Object.assign(session, { version: 2 })), stepOf],
    [
      'a saved session',
      (of) => of.resay(MAIN, (session) => Object.assign(session, { version: 2 })),
      (_of, oid) => `commit ${oid}`,
    ],
  ];

  test.each(NEWER)('%s, is no damage, and says to upgrade', (_what, write, where) => {
    const of = scene();
    const oid = write(of);
    const { findings } = checkStore(of.repository);
    // The session that is open began at the commit that was forged.
    const damage = findings.filter(({ severity, where: place }) => severity === 'damage' && place !== of.open);
    expect(damage).toEqual([]);
    expect(findings).toContainEqual({
      severity: 'note',
      kind: 'version',
      where: where(of, oid),
      message: expect.stringMatching(/ was written by a newer version of ctx\.$/),
      hint: 'Upgrade ctx, and run the command again; nothing was changed.',
    });
  });
});

test('what of a newer version waits keeps no repair from what is torn beside it', () => {
  const { repository, open, store } = makeProject();
  const { session_id } = ctx.startSession(repository, 'a task');
  for (const text of ['newer', 'torn', 'whole']) ctx.observeNote(repository, text);
  const [newer, torn] = readPending(repository, session_id) as [Pending, Pending];
  const fileOf = ({ record }: Pending): string => join(store, 'pending', session_id, `${record.id}.json`);
  writeFileSync(fileOf(newer), encodePending({ ...newer, record: { ...newer.record, version: 2 as 1 } }));
  writeFileSync(fileOf(torn), 'torn');
  mkdirSync(join(store, 'choices'));
  writeFileSync(join(store, 'choices', `${session_id}.json`), 'torn');
  const { repaired, findings } = checkStore(open(), { repair: true });
  expect(repaired).toEqual([
    `Set the torn record pending/${session_id}/${torn.record.id}.json aside in lost/.`,
    `Set the torn question choices/${session_id}.json aside in lost/.`,
  ]);
  expect(findings).toMatchObject([{ severity: 'note', kind: 'version', where: `pending/${session_id}` }]);
});

function stepOf(of: Scene, oid: string): string {
  return `${of.open}, step ${oid}`;
}
