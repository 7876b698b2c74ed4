// Texts and contents that lie beside a record: one that is gone, or another one than was kept, is named, and never passed over.
import { describe, expect, test } from 'vitest';
import { checkStore } from '../../src/app/fsck.ts';
import { showRevision } from '../../src/app/show.ts';
import { FETCH } from '../../src/core/errors.ts';
import type { TreeEntry } from '../../src/core/tree.ts';
import { CHUNK_SIZE } from '../../src/git/objects/payload.ts';
import { readTree } from '../../src/git/objects/tree-editor.ts';
import { sessionRef } from '../../src/history/names/layout.ts';
import * as ctx from '../../src/index.ts';
import { type Forge, forge } from '../support/forge.ts';
import { makeHistory } from '../support/history.ts';
import { copyOf, errorOf, fsck, type Project } from '../support/store.ts';

/** The store of the scene, made once: to redact and to store its output takes longer than all checks of it. */
let lived: { project: Project; open: string; note: string; output: string } | undefined;

function live(): NonNullable<typeof lived> {
  const project = makeHistory();
  const { repository, write } = project;
  const { session_id } = ctx.startSession(repository, 't'.repeat(9000));
  const note = ctx.observeNote(repository, 'p'.repeat(9000)).records[0];
  const pieces = [1, 2, 3].map((letter) => Buffer.alloc(CHUNK_SIZE, letter));
  const output = ctx.observeCommand(repository, { command: 'x', exit_code: 0, output: pieces }).records[0];
  write('a.txt', 'first');
  write('a.txt', 'second');
  ctx.flushStep(repository);
  return { project, open: sessionRef(session_id), note: `${note}-content`, output: `${output}-output` };
}

interface Scene extends Forge {
  repository: ctx.Repository;
  open: string;
  note: string;
  /** A text that is kept in chunks. */
  output: string;
  /** Of two contents of one file the first is kept beside the records. */
  content: string;
}

/** An open session with a long task, whose head has a long note, a huge output and a file that was written twice. */
function scene(): Scene {
  lived ??= live();
  const { project, ...known } = lived;
  const { repository, store } = copyOf(project);
  const self = forge({ repository, store });
  const names = payloadsOf(repository, self, known.open).map(({ name }) => name);
  const content = names.find((name) => name.endsWith('.content')) as string;
  return { repository, ...known, content, ...self };
}

const treeOf = ({ objects }: ctx.Repository, root: string, name: string): TreeEntry[] => {
  const entry = readTree(objects, root).find((candidate) => candidate.name === name) as TreeEntry;
  return readTree(objects, entry.oid);
};

const payloadsOf = (repository: ctx.Repository, of: Forge, ref: string): TreeEntry[] =>
  treeOf(repository, of.commit(of.head(ref)).tree, 'payload');

/** Puts another payload into the head, or none. */
function put(of: Scene, name: string, entry: (Pick<TreeEntry, 'oid'> & { mode?: string }) | null): string {
  return of.replace(of.open, (oid) => {
    const others = payloadsOf(of.repository, of, of.open).filter((candidate) => candidate.name !== name);
    const tree = of.tree(entry ? [...others, { name, ...entry }] : others);
    return of.like(oid, { tree: of.treeWith(oid, 'payload', { oid: tree, mode: '40000' }) });
  });
}

const chunks = (of: Scene): TreeEntry[] => {
  const entry = payloadsOf(of.repository, of, of.open).find(({ name }) => name === of.output) as TreeEntry;
  return readTree(of.repository.objects, entry.oid);
};

/** A harm to the head, the check's finding of it, and a reader's message; null if it gives no such text. */
type Lie = [
  what: string,
  tell: (of: Scene) => string,
  found: (of: Scene) => string,
  read: ((of: Scene) => string) | null,
];

const recordOf = (name: string): string => name.slice(0, 36);
const text = (name: string): string => `payload/${name}, a text of its record ${recordOf(name)},`;

const LIES: Lie[] = [
  [
    'a text that is gone',
    (of) => put(of, of.note, null),
    ({ note }) => `${text(note)} of 9000 bytes, is missing`,
    ({ note }) => `its payload/${note}, a text of 9000 bytes, is missing`,
  ],
  [
    'a text of another length',
    (of) => put(of, of.note, { oid: of.blob('p'.repeat(8999)) }),
    ({ note }) => `${text(note)} has 8999 bytes, and 9000 were kept`,
    ({ note }) => `its payload/${note} is not the text of 9000 bytes that was kept`,
  ],
  [
    'another text of its length',
    (of) => put(of, of.note, { oid: of.blob('q'.repeat(9000)) }),
    ({ note }) => `${text(note)} is another text than the one that was kept`,
    ({ note }) => `its payload/${note} is not the text of 9000 bytes that was kept`,
  ],
  [
    'a text in chunks that is gone',
    (of) => put(of, of.output, null),
    ({ output }) => `${text(output)} of ${3 * CHUNK_SIZE} bytes, is missing`,
    ({ output }) => `its payload/${output}, a text of ${3 * CHUNK_SIZE} bytes, is missing`,
  ],
  [
    'a chunk too few',
    (of) => put(of, of.output, { oid: of.tree(chunks(of).slice(0, 2)), mode: '40000' }),
    ({ output }) => `${text(output)} has ${2 * CHUNK_SIZE} bytes, and ${3 * CHUNK_SIZE} were kept`,
    null,
  ],
  [
    'chunks in another order',
    (of) => {
      const [one, two, three] = chunks(of) as [TreeEntry, TreeEntry, TreeEntry];
      const turned = [{ ...one, oid: two.oid }, { ...two, oid: one.oid }, three];
      return put(of, of.output, { oid: of.tree(turned), mode: '40000' });
    },
    ({ output }) => `${text(output)} is another text than the one that was kept`,
    null,
  ],
  [
    'a content that is gone',
    (of) => put(of, of.content, null),
    ({ content }) => `payload/${content}, the content that its record ${recordOf(content)} names, is missing`,
    null,
  ],
  [
    'another content',
    (of) => put(of, of.content, { oid: of.blob('forged') }),
    ({ content }) => `payload/${content}, the content that its record ${recordOf(content)} names, is another one`,
    null,
  ],
];

describe('a step with', () => {
  test.each(LIES)('%s is named by the check, and by a reader', (_what, tell, found, read) => {
    const of = scene();
    expect(checkStore(of.repository).findings).toEqual([]);
    const oid = tell(of);
    expect(fsck(of.repository.layout.root)).toBe('');
    expect(checkStore(of.repository).findings).toEqual([
      { severity: 'damage', kind: 'record', where: `${of.open}, step ${oid}`, message: found(of), hint: FETCH },
    ]);
    const show = (): unknown => [...showRevision(of.repository, of.open).steps];
    if (read === null) expect(show()).toHaveLength(2);
    else
      expect(errorOf(show)).toMatchObject({
        code: 'damaged',
        message: `step ${oid} is damaged: ${read(of)}`,
        hint: FETCH,
      });
  });

  test.each<[what: string, entry: (of: Scene) => { oid: string } | null, words: string]>([
    ['no task', () => null, 'its payload/session-task_description, a text of 9000 bytes, is missing'],
    [
      'another task',
      (of) => ({ oid: of.blob('u'.repeat(9000)) }),
      'its payload/session-task_description is not the text of 9000 bytes that was kept',
    ],
  ])('%s is named, and shown as no other', (_what, entry, words) => {
    const of = scene();
    const oid = put(of, 'session-task_description', entry(of));
    const message = `step ${oid} is damaged: ${words}`;
    expect(checkStore(of.repository).findings).toEqual(
      expect.arrayContaining([expect.objectContaining({ where: `${of.open}, step ${oid}`, message, hint: FETCH })]),
    );
    expect(errorOf(() => ctx.activeSession(of.repository))).toMatchObject({ code: 'damaged', message });
  });
});

test('a saved session without its long task is named', () => {
  const of = scene();
  ctx.compactSession(of.repository);
  const oid = of.replace('refs/heads/main', (head) => of.like(head, { tree: of.treeWith(head, 'payload', null) }));
  expect(checkStore(of.repository).findings).toContainEqual(
    expect.objectContaining({
      where: `commit ${oid}`,
      message: `commit ${oid} is damaged: its payload/session-task_description, a text of 9000 bytes, is missing`,
      hint: FETCH,
    }),
  );
});
