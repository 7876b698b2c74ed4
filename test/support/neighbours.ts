// Two sessions of which one gives way to the other, each with a word of its own in all that it tells.
import { expect } from 'vitest';
import { type ForgetResult, forget } from '../../src/app/forget/forget.ts';
import { checkStore } from '../../src/app/fsck.ts';
import { handleChoice, handleUserMessage } from '../../src/app/intake/message/message.ts';
import { flushStep } from '../../src/app/session/flush.ts';
import { setState } from '../../src/app/session/move.ts';
import { observeNote } from '../../src/app/session/observe.ts';
import { startSession } from '../../src/app/session/start.ts';
import { showRevision } from '../../src/app/show.ts';
import { fsck, type Project } from './store.ts';

export const DAY = 86_400;
/** In every text of the session before, and in every one of the session that begins. */
export const OLD = 'Zwiebelkuchen';
export const NEW = 'Kaiserschmarrn';

/** Lengths of the text around its word: in a short one it is only looked for in its proper place. */
export const LENGTHS: readonly [string, (word: string) => string][] = [
  ['a word', (word) => word],
  ['a sentence', (word) => `The ${word} is to be on the table before noon`],
  ['several lines with blanks around them', (word) => `  ${word} for all\n\n- and "more" of it\n`],
  ['what lies in a payload', (word) => `${word} ${'again and again '.repeat(400)}`],
];

export type Words = (word: string) => string;

/** Only notes: a base that an undo took back is told of, and no damage. */
export function expectSound(project: Project): void {
  const { findings } = checkStore(project.open(), { full: true });
  expect(findings.filter(({ severity }) => severity !== 'note')).toEqual([]);
  expect(fsck(project.store)).toBe('');
}

export const forgets = (project: Project, id: string): ForgetResult => forget(project.open(), { id });

/** The session before, with enough in it to be saved. */
export function begin({ repository }: Project, text: Words): string {
  const { session_id } = startSession(repository, text(`${OLD} of the task`));
  observeNote(repository, text(`${OLD} of a note`));
  flushStep(repository);
  setState(repository, 'ask', { text: text(`${OLD} of a question`) });
  setState(repository, 'respond', { text: text(`${OLD} of an answer`) });
  return session_id;
}

/** Says something that begins another session once the question that it raises is answered. */
export function offer(project: Project, text: Words): string {
  handleUserMessage(project.open(), text(NEW), { as: 'NewTask' });
  const { session_id } = handleChoice(project.open(), 'fresh');
  return session_id ?? '';
}

/** The first record of a kind in a session. */
export const recordOf = (project: Project, revision: string, kind: string): string =>
  [...showRevision(project.open(), revision).steps]
    .flatMap(({ observations }) => observations)
    .find((record) => record.kind === kind)?.id as string;
