/** Checks one step: its consistency, and that it follows from the steps before it. */
import { isDeepStrictEqual } from 'node:util';
import { commitMessage, subjectOf, type Trailer, trailersOf } from '../../core/commit.ts';
import { isStub } from '../../core/externalise.ts';
import { isObject } from '../../core/json.ts';
import { isKind, type StoredRecord } from '../../core/records/record.ts';
import { foldStep, newSession, type Session } from '../../core/session/session.ts';
import { stepTrailers } from '../../core/session/step.ts';
import { MOVES, STATE_KINDS } from '../../core/state.ts';
import { oneLine } from '../../core/text.ts';
import type { Step } from '../../history/chain/chain.ts';
import { sha256 } from '../../platform/hash.ts';
import { damage, type Finding } from '../finding.ts';

/** The state after the steps so far. */
export interface Past {
  /** The session as of the step before; null at the beginning, undefined if that step cannot be read. */
  session: Session | null | undefined;
  /** The ids of all records. */
  ids: Set<string>;
  /** The kinds of all states so far: an undo leads back to one of them. */
  states: Set<string>;
}

/** Returns the hint for a commit. */
export const look = (oid: string): string => `Look at it with: ctx show ${oid}`;

/** Checks a step against itself and the past, and adds it to the past. */
export function* verifyStep(step: Step, past: Past, where: string): Generator<Finding> {
  const problems = [
    ...parentProblems(step),
    ...recordProblems(step, past),
    ...constantProblems(step, past),
    ...stateProblems(step, past),
    ...countProblems(step, past),
  ];
  yield* verifyTrailers(step.commit.message, expectedTrailers(step.session), where, look(step.oid));
  for (const [kind, message] of problems) yield damage(kind, where, message, look(step.oid));
  past.session = step.session;
}

type Problem = [kind: string, message: string];

function* parentProblems({ commit: { parents }, session }: Step): Generator<Problem> {
  if (parents.length !== 1) yield ['chain', `it has ${parents.length} parents, and every step has one`];
  else if (session.step === 1 && parents[0] !== session.base)
    yield ['chain', `its parent is ${parents[0]}, and its base ${session.base}`];
}

function expectedTrailers(session: Session): Trailer[] {
  const squashed = session.squashed as { steps?: unknown } | undefined;
  return [...stepTrailers(session), ...(squashed && session.step === 1 ? [squashedTrailer(squashed.steps)] : [])];
}

const squashedTrailer = (steps: unknown): Trailer => ['Ctx-Squashed', String(steps)];

/**
 * Compares the trailers of a message with those of its session.json: each occurs once, and nothing is between them and the
 * subject.
 * @param more whether a newer ctx may have written additional ones
 */
export function* verifyTrailers(
  message: string,
  expected: Trailer[],
  where: string,
  hint: string,
  more = false,
): Generator<Finding> {
  const told = trailersOf(message);
  if (message !== commitMessage(subjectOf(message), [...told]))
    yield damage('trailers', where, 'its message is more than one subject line and each of its trailers once', hint);
  for (const [key, value] of expected) {
    const says = told.get(key);
    if (says !== oneLine(value))
      yield damage('trailers', where, `its ${key} says ${says ?? 'nothing'}, its session.json ${oneLine(value)}`, hint);
    told.delete(key);
  }
  for (const [key, value] of more ? [] : told)
    yield damage('trailers', where, `its ${key} says ${value}, its session.json nothing of the kind`, hint);
}

function* recordProblems({ records }: Step, { ids }: Past): Generator<Problem> {
  for (const { id } of records) {
    if (ids.has(id)) yield ['record', `its record ${id} is in the chain already`];
    ids.add(id);
  }
}

/** Checks the fields that no step changes. Only the task may change: an untitled session gets it with its first prompt. */
function* constantProblems({ session, records }: Step, { session: before }: Past): Generator<Problem> {
  if (!before) return;
  for (const key of ['session_id', 'base', 'started_at'] as const)
    if (session[key] !== before[key])
      yield ['chain', `its ${key} is ${session[key]}, and in the step before it ${before[key]}`];
  const task = session.task_description;
  const isTold = records.some((record) => isKind(record, 'task') && matchesText(record.content, task));
  if (task !== before.task_description && !isTold)
    yield ['chain', 'its task_description is not that of the step before it, and no record names another one'];
}

/** Returns whether a field of a record is a text, or its stub. */
function matchesText(field: unknown, text: string): boolean {
  return isStub(field) ? field.sha256 === sha256(Buffer.from(text)) : field === text;
}

/**
 * Applies the transitions of a step to the state before it: each must be in the state table, and they must lead to the
 * step's state.
 */
function* stateProblems({ session, records }: Step, { session: before, states }: Past): Generator<Problem> {
  // A squashed step begins at an unknown state, as does one after an unreadable step.
  const isOpen = before === undefined || (before === null && session.squashed !== undefined);
  if (isOpen) for (const kind of STATE_KINDS) states.add(kind);
  let state: unknown = isOpen ? null : (before?.session_state ?? { kind: 'Running' });
  for (const record of records) {
    if (!isKind(record, 'transition')) continue;
    const { from, to, by } = record;
    if (!hasKind(from) || !hasKind(to) || typeof by !== 'string') {
      yield [
        'state',
        `its move ${record.id} does not say ${typeof by === 'string' ? 'from where to where' : 'by what'}`,
      ];
      continue;
    }
    const kind = isObject(state) ? state.kind : from.kind;
    if (from.kind !== kind || !isMove(String(kind), to.kind, by, states))
      yield ['state', `the state table has no move ${by} from ${kind} to ${to.kind}`];
    states.add(to.kind);
    state = to;
  }
  states.add(session.session_state.kind);
  if (isObject(state) && !isSameState(state, session.session_state))
    yield ['state', `it is ${session.session_state.kind}, and its moves lead to ${wordOf(state, session)}`];
}

const hasKind = (value: unknown): boolean => isObject(value) && typeof value.kind === 'string';

function isMove(from: string, to: string, by: string, states: ReadonlySet<string>): boolean {
  if (by === 'undo') return states.has(to);
  return MOVES.some((move) => move.verb === by && (move.from as readonly string[]).includes(from) && move.to === to);
}

/** Returns whether a state is that of a transition, whose long texts are in payloads. */
function isSameState(told: { [key: string]: unknown }, state: { [key: string]: unknown }): boolean {
  const keys = new Set([...Object.keys(told), ...Object.keys(state)]);
  return [...keys].every((key) => {
    const [field, value] = [told[key], state[key]];
    return typeof value === 'string' ? matchesText(field, value) : isDeepStrictEqual(field, value);
  });
}

const wordOf = (state: { [key: string]: unknown }, { session_state }: Session): string =>
  state.kind === session_state.kind ? `another ${state.kind}` : String(state.kind);

/** Checks that the counts of a step are those of the step before plus its own records. */
function* countProblems({ session, records }: Step, { session: before }: Past): Generator<Problem> {
  const { counts, last_activity, started_at } = session;
  if (before === undefined) return;
  if (before === null && session.squashed !== undefined) {
    if (counts.records !== records.length) yield miscounted('records', counts.records, records.length);
    return;
  }
  const folded = foldStep(before ?? beginningOf(session, started_at), records as StoredRecord[], 0);
  for (const [key, count] of Object.entries(folded.counts)) {
    const told = counts[key as keyof typeof counts];
    // New paths depend on `files/`; their number never decreases.
    if (key === 'files' ? told < count : told !== count) yield miscounted(key, told, count);
  }
  if (last_activity !== folded.last_activity)
    yield ['chain', `its last_activity is ${last_activity}, and its records end at ${folded.last_activity}`];
}

const beginningOf = ({ session_id, task_description, agent, base }: Session, at: number): Session =>
  newSession(session_id, task_description, agent, base, at);

const miscounted = (what: string, told: number, there: number): Problem => [
  'chain',
  `it counts ${told} ${what}, and there are ${there}`,
];
