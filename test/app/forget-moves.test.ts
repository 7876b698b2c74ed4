// Forgetting moves: what their steps say of the session's state stays what the moves say, whatever was told with them.
import { cpSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { forget } from '../../src/app/forget/forget.ts';
import { checkStore } from '../../src/app/fsck.ts';
import { setState } from '../../src/app/session/move.ts';
import { observeNote } from '../../src/app/session/observe.ts';
import { startSession } from '../../src/app/session/start.ts';
import { sessionStatus } from '../../src/app/session/status.ts';
import { showRevision } from '../../src/app/show.ts';
import type { Verb } from '../../src/core/state.ts';
import { fsck, makeProject, type Project } from '../support/store.ts';
import { tracesOf } from '../support/traces.ts';

/** Every move but abort, in an order that the state table has, and `done` twice with the same text. */
const WALK: readonly Verb[] = [
  ...(['done', 'reopen', 'ask', 'respond', 'interrupt', 'continue', 'done', 'confirm'] as const),
];

const TEXTS: readonly [string, string][] = [
  ['a word', 'Spinat'],
  ['a few words', 'All is baked now'],
  ['a sentence', 'The cake is baked, and all of it is on the table'],
  ['one long word', 'Zwiebelkuchenblechbackpapierrolle'],
  ['a sentence with blanks around it', '  The cake is baked, and all of it is on the table\n'],
  ['a text of several lines', 'The cake is baked.\n\n- all of it\n- "on" the table\n'],
  ['a text that lies in a payload', `The cake is baked ${'and baked again '.repeat(400)}`],
  ['what looks like a node of the graph', 'task: the cake is baked, and all of it is on the table'],
  ['words of ctx', 'User confirmed task complete'],
];

/** A session that went through all moves, each with the same text; the last one with the text of a note as well. */
function walk(text: string): Project {
  const project = makeProject();
  startSession(project.repository, 'Bake');
  for (const verb of WALK) setState(project.repository, verb, { text, note: verb === 'confirm' ? text : undefined });
  return project;
}

const copyOf = (project: Project): Project => {
  const copy = makeProject();
  cpSync(project.store, copy.store, { recursive: true, force: true });
  return { ...copy, repository: copy.open() };
};

function expectSound(project: Project): void {
  expect(checkStore(project.open(), { full: true }).findings).toEqual([]);
}

/** Steps and records of the session that is current. */
const stepsOf = (project: Project) =>
  [...showRevision(project.open(), 'STAGE').steps].map(({ oid, observations }) => ({
    oid,
    records: observations.map((record) => String(record.id)),
  }));

/** Each place for the first text; of the places for another text every third, so that all texts together have each of them. */
const isTried = (textIndex: number, place: number): boolean => textIndex === 0 || (place + textIndex) % 3 === 0;

describe.each(TEXTS.map(([name, text], index) => [name, text, index] as const))(
  'a move with %s',
  (_name, text, index) => {
    it('is forgotten as a step anywhere in the chain', () => {
      const project = walk(text);
      const steps = stepsOf(project).slice(1);
      expect(steps.length).toBe(WALK.length);
      for (const { oid } of steps.filter((_step, place) => isTried(index, place))) {
        const copy = copyOf(project);
        expect(forget(copy.open(), { id: oid }).steps).toBeGreaterThan(0);
        expectSound(copy);
        expect(sessionStatus(copy.open())).toMatchObject({ session_state: { kind: 'Complete' } });
      }
    });

    it('is forgotten as a record, and the session continues', () => {
      const project = makeProject();
      startSession(project.repository, 'Bake');
      for (const verb of ['ask', 'respond', 'done'] as const) setState(project.repository, verb, { text });
      const records = stepsOf(project)
        .slice(1)
        .flatMap((step) => step.records);
      for (const id of records.filter((_record, place) => isTried(index, place))) {
        const copy = copyOf(project);
        forget(copy.open(), { id });
        expectSound(copy);
        setState(copy.open(), 'reopen', { text: 'Once more' });
        observeNote(copy.open(), 'And more');
        setState(copy.open(), 'done', { text: 'Again' });
        expectSound(copy);
      }
    });
  },
);

it('leaves the session unchanged if the moves have no words', () => {
  const project = makeProject();
  startSession(project.repository, 'Bake');
  for (const verb of ['done', 'confirm'] as const) setState(project.repository, verb);
  for (const { oid } of stepsOf(project).slice(1)) {
    const copy = copyOf(project);
    forget(copy.open(), { id: oid });
    expectSound(copy);
  }
});

it('leaves nothing of the words of a move, and Git agrees', () => {
  const [, text = ''] = TEXTS[7] ?? [];
  const project = walk(text);
  expect(tracesOf(project.store, text)).not.toEqual([]);
  const [, done] = stepsOf(project);
  forget(project.open(), { id: done?.oid ?? '' });
  expect(tracesOf(project.store, text)).toEqual([]);
  expect(fsck(project.store)).toBe('');
  expectSound(project);
});
