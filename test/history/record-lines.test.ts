// Records as lines of a commit's files: whole lines or none, in every reader; a line that is cut off is named, not passed over.
import { describe, expect, test } from 'vitest';
import { checkStore } from '../../src/app/fsck.ts';
import { collectGarbage } from '../../src/app/gc.ts';
import { showRevision } from '../../src/app/show.ts';
import { MAIN } from '../../src/git/layout.ts';
import { recordLines } from '../../src/history/chain/record-lines.ts';
import { sessionRef } from '../../src/history/names/layout.ts';
import * as ctx from '../../src/index.ts';
import { forge } from '../support/forge.ts';
import { errorOf, fsck, makeProject } from '../support/store.ts';

const RECORD = '{"version":1,"id":"r","kind":"note","at":0}';

/** Cuts of a file of lines, and the line that is named after each. */
const CUTS: [what: string, cut: (text: string) => string, line: (lines: number) => number][] = [
  [
    'the beginning of a record behind the last',
    (text) => `${text}{"version":1,"id":"r","kind":"no`,
    (lines) => lines + 1,
  ],
  ['a whole record without its line feed', (text) => text + RECORD, (lines) => lines + 1],
  ['the last line feed gone', (text) => text.slice(0, -1), (lines) => lines],
  ['all but the first brace gone', () => '{', () => 1],
  ['one blank', () => ' ', () => 1],
];

test.each(CUTS)('a file with %s is damaged', (_what, cut, line) => {
  const text = `${RECORD}\n${RECORD}\n`;
  expect([...recordLines(Buffer.from(text), 'here')]).toHaveLength(2);
  expect(errorOf(() => [...recordLines(Buffer.from(cut(text)), 'here')])).toMatchObject({
    code: 'damaged',
    message: `here line ${line(2)} is damaged: it is cut off`,
  });
});

test('an empty file holds no record', () => {
  expect([...recordLines(Buffer.alloc(0), 'here')]).toEqual([]);
});

describe('a step whose step.jsonl has', () => {
  test.each(CUTS)('%s is named by the check, and by a reader', (_what, cut, line) => {
    const { repository, store } = makeProject();
    const { session_id } = ctx.startSession(repository, 'one');
    const of = forge({ repository, store });
    const ref = sessionRef(session_id);
    const lines = of.text(of.head(ref), 'step.jsonl').split('\n').length - 1;
    const oid = of.replace(ref, (head) => {
      const blob = of.blob(cut(of.text(head, 'step.jsonl')));
      return of.like(head, { tree: of.treeWith(head, 'step.jsonl', { oid: blob }) });
    });
    const message = `step ${oid}, step.jsonl line ${line(lines)} is damaged: it is cut off`;
    expect(fsck(store)).toBe('');
    expect(checkStore(repository).findings).toMatchObject([{ severity: 'damage', message }]);
    const readers = [
      (): unknown => [...showRevision(repository, ref).steps],
      (): unknown => ctx.recoverSession(repository),
      (): unknown => ctx.compactSession(repository),
    ];
    for (const read of readers) expect(errorOf(read)).toMatchObject({ code: 'damaged', message });
  });
});

test.each(CUTS)(
  'a saved session of which the steps are gone, whose notes.jsonl has %s, is named',
  async (_what, cut, line) => {
    const { repository, store, clock, open } = makeProject();
    ctx.startSession(repository, 'one');
    ctx.observeNote(repository, 'note');
    ctx.compactSession(repository);
    clock.now += 30 * 86_400;
    await collectGarbage(repository, { expireSteps: 20 * 86_400, machineTime: repository.clock });
    expect(checkStore(open()).findings).toEqual([]);
    const of = forge({ repository, store });
    const oid = of.replace(MAIN, (head) => {
      const blob = of.blob(cut(of.text(head, 'notes.jsonl')));
      return of.like(head, { tree: of.treeWith(head, 'notes.jsonl', { oid: blob }) });
    });
    expect(checkStore(open()).findings).toMatchObject([
      { where: `commit ${oid}`, message: `commit ${oid}, notes.jsonl line ${line(1)} is damaged: it is cut off` },
    ]);
  },
);
