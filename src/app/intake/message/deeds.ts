/** Carries out the deeds of a message: records, the end of a session, a new one, a question; all in one change. */

import { beforeNewTask } from '../../../core/commit-types/interrupted-by-new-task.ts';
import type { CtxError } from '../../../core/errors.ts';
import { agentNote, userNote } from '../../../core/intake/words.ts';
import { isStopped } from '../../../core/listing/status.ts';
import { isUnnamed, named } from '../../../core/listing/title.ts';
import type { Classification } from '../../../core/message-class.ts';
import type { AnyBody } from '../../../core/records/record.ts';
import { bodyOfNote } from '../../../core/session/tool-question.ts';
import type { Deed } from '../../../core/session/user-message.ts';
import { planMove } from '../../../core/state.ts';
import type { Chain, StepRecord } from '../../../history/chain/chain.ts';
import { flushInto } from '../../../history/flush.ts';
import { sessionRef } from '../../../history/names/layout.ts';
import { settleChoice, type WaitingChoice, writeChoice } from '../../../history/pending/choices.ts';
import type { Repository } from '../../../history/store/repository.ts';
import type { Transaction } from '../../../history/transaction.ts';
import { beginsTask } from '../../../language/index.ts';
import type { Redaction } from '../../redaction/redact.ts';
import { type ActiveSession, becomeActive } from '../../session/active.ts';
import { type CompactResult, endedCurrent, endSession } from '../../session/compact.ts';
import { moveRecords } from '../../session/move.ts';
import { addRecord } from '../../session/observe.ts';
import { activeRecord } from '../../session/pause.ts';
import { prepareRecord } from '../../session/records.ts';
import { type Beginning, beginSession } from '../../session/start.ts';
import type { Increment } from '../increment.ts';

/** A question of ctx's that no longer waits. */
export interface Answered {
  question: WaitingChoice;
  /** The session of the records after it: the one that was asked, or the new one. */
  goesTo: 'own' | 'new';
}

/** A session that another conversation had finished, and nobody has confirmed. */
export interface FinishedSession {
  ref: string;
  head: string;
  chain: Chain;
}

export interface Work {
  active: ActiveSession | null;
  deeds: readonly Deed[];
  /** The question that they answer, or pass over. */
  answers: Answered | null;
  /** The user's redacted message; the first record that is written counts the findings. */
  message: string;
  redaction: Redaction;
  as: Classification | null;
  /** Returns what a session begins with, if one does. */
  beginning: () => Beginning;
  /** Additions of the agent's transcript to the step. */
  increment: Increment | null;
  /** Flush the pending records even if there are no deeds. */
  flush?: boolean | undefined;
  /** Make the session the current one if there is none: an agent's hook has no other way to. */
  beCurrent?: boolean | undefined;
  /** The session that another conversation of the same agent had finished: the new one takes its place. */
  finished?: FinishedSession | null | undefined;
  /** Called if the current session is unknown: then this one stays beside it. Without it, that is an error. */
  stageTrouble?: ((problem: CtxError) => void) | undefined;
}

export interface Outcome {
  /** The session afterwards; null if none is active. */
  session_id: string | null;
  compacted: CompactResult | null;
  /** Its head, if it is at work there; else null. */
  at_work: string | null;
}

/**
 * Returns whether a session that was confirmed in a conversation whose agent was stopped must be saved before a new one
 * begins.
 */
export function mustSaveFirst(
  repository: Repository,
  transaction: Transaction,
  active: ActiveSession | null,
  deeds: readonly Deed[],
): boolean {
  const over = deeds.some((deed) => deed.do === 'start') ? endedCurrent(repository, transaction) : null;
  return over !== null && over.ref !== active?.ref;
}

type DeedOf<Kind extends Deed['do']> = Extract<Deed, { do: Kind }>;

/** Plans all pointers of a change. A question is written once they have moved. */
export function carryOut(repository: Repository, transaction: Transaction, work: Work): Outcome {
  const { active, deeds, answers } = work;
  const find = <Kind extends Deed['do']>(kind: Kind): DeedOf<Kind> | undefined =>
    deeds.find((deed): deed is DeedOf<Kind> => deed.do === kind);
  const end = find('end');
  const start = find('start');
  const ask = find('ask');
  const reached = active && recordDeeds(repository, transaction, active, work, end);
  const saved = start && work.finished ? saveFinished(repository, transaction, work.finished, start.task) : null;
  const begun = start ? begin(repository, transaction, start, work) : null;
  const session_id = begun?.session_id ?? (end ? null : (active?.session.session_id ?? null));
  // Another session may be the current one: an agent's hook works beside it.
  const isToBe = session_id !== null && (begun !== null || work.beCurrent === true);
  if (isToBe) becomeActive(repository, transaction, sessionRef(session_id), work.stageTrouble);
  if (answers) {
    const { question: asked, goesTo } = answers;
    const own = { session_id: asked.session_id, oid: reached?.chain.head ?? '' };
    const picked = goesTo === 'new' ? (begun ?? own) : own;
    writeChoice(repository, { ...asked, answered: { ref: sessionRef(picked.session_id), head: picked.oid } });
    transaction.afterwards(() => settleChoice(repository, asked.session_id));
  }
  if (ask && session_id !== null) transaction.afterwards(() => question(repository, session_id, ask, work));
  const at_work = begun?.oid ?? (reached?.chain.session.session_state.kind === 'Running' ? reached.chain.head : null);
  return { session_id, compacted: reached?.compacted ?? saved, at_work };
}

/** Saves a finished session as the new task begins. */
const saveFinished = (
  repository: Repository,
  transaction: Transaction,
  { ref, head, chain }: FinishedSession,
  task: string,
): CompactResult =>
  endSession(repository, transaction, chain, { ref, head, type: beforeNewTask(task), automatic: true });

/** Begins a session with the notes that follow its deed. */
function begin(
  repository: Repository,
  transaction: Transaction,
  start: DeedOf<'start'>,
  { deeds, beginning, redaction }: Work,
): ReturnType<typeof beginSession> {
  const notes = deeds
    .slice(deeds.indexOf(start))
    .flatMap((deed): AnyBody[] => (deed.do === 'note' ? [bodyOfNote(deed)] : []));
  return beginSession(repository, transaction, start.task, beginning(), redaction, notes);
}

/** Writes the deeds into one step of the session, and ends it if required. */
function recordDeeds(
  repository: Repository,
  transaction: Transaction,
  active: ActiveSession,
  { deeds, answers, increment, flush, redaction, message }: Work,
  end: DeedOf<'end'> | undefined,
): { chain: Chain; compacted: CompactResult | null } {
  const { ref, chain, waiting } = active;
  const at = repository.clock();
  const words = recordsOf(repository, active, deeds, at, redaction);
  // The user is back in a session that they had stopped.
  const isBack = message !== '' && words.length > 0 && isStopped(active.session);
  const own = isBack ? [activeRecord(repository, at, 'message'), ...words] : words;
  const isIdle = own.length === 0 && !end && !flush && !increment?.records.length;
  if (isIdle) return { chain, compacted: null };
  // Records after a question belong to the session that the answer picks.
  const held = answers?.goesTo === 'own';
  const { records = [], session = chain.session, news } = increment ?? {};
  const names = message !== '' && !end && isUnnamed(session) && beginsTask(message);
  const plan = { own: [...records, ...own], held, session: names ? named(session, message) : session, news, waiting };
  const flushed = flushInto(repository, increment?.chain ?? chain, at, plan);
  transaction.move(ref, chain.head, flushed.chain.head);
  if (!end) {
    transaction.afterwards(flushed.clean);
    return { chain: flushed.chain, compacted: null };
  }
  const automatic = end.type !== null;
  const ending = { ref, head: chain.head, clean: flushed.clean, type: end.type ?? undefined, automatic };
  return { chain: flushed.chain, compacted: endSession(repository, transaction, flushed.chain, ending) };
}

function recordsOf(
  repository: Repository,
  active: ActiveSession,
  deeds: readonly Deed[],
  at: number,
  redaction: Redaction,
): StepRecord[] {
  const { session } = active;
  let state = session.session_state;
  const records: StepRecord[] = [];
  const first = (): Redaction | undefined => (records.length === 0 ? redaction : undefined);
  for (const deed of deeds) {
    // A deed after the end belongs to another session.
    if (deed.do === 'end') break;
    if (deed.do === 'note')
      records.push(prepareRecord(repository, repository.objects, at, { body: bodyOfNote(deed), redaction: first() }));
    if (deed.do === 'keep')
      records.push(prepareRecord(repository, repository.objects, at, { body: kept(deed), redaction: first() }));
    if (deed.do !== 'move') continue;
    const { verb, text, ofTool, call, said, isNoted } = deed;
    const planned = planMove(state, verb, text, deed.at ?? at);
    const more = { ...(ofTool && { ofTool }), ...(call !== undefined && { call }), ...(said && { said }) };
    const plan = { ...planned, ...more, ...(isNoted && { note: null }) };
    records.push(...moveRecords(repository, repository.objects, session.session_id, plan, at, first()));
    state = plan.to;
  }
  return records;
}

const kept = ({ by, words }: DeedOf<'keep'>): AnyBody => (by === 'user' ? userNote(words) : agentNote(words));

/**
 * Writes a question, and a record that it was asked, and by which message: neither is lost, however the session ends.
 */
function question(repository: Repository, session_id: string, ask: DeedOf<'ask'>, work: Work): void {
  const asked_at = repository.clock();
  const { kind } = ask;
  const { message: raised, as, redaction } = work;
  // Written before the question gets its id: later records may go to another session, and this one belongs to the
  // session that was asked.
  addRecord(repository, session_id, () => ({ body: { kind: 'choice', choice: kind, message: raised }, redaction }));
  writeChoice(repository, { version: 1, id: repository.ids(), session_id, kind, raised, as, asked_at });
}
