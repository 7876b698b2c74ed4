/** Folds the records of a session, flushed or waiting, into its conversation. */
import { type Conversation, emptyConversation, type FoldedMessage } from '../../core/conversation/conversation.ts';
import { foldConversation } from '../../core/conversation/fold.ts';
import { CtxError } from '../../core/errors.ts';
import { type FetchPayload, internalise, isStub } from '../../core/externalise.ts';
import type { Part } from '../../core/message.ts';
import { recordsOfRun } from '../../core/run/log.ts';
import type { Session } from '../../core/session/session.ts';
import { readTree } from '../../git/objects/tree-editor.ts';
import { readChain, readRecords, walkChain } from '../../history/chain/chain.ts';
import { payloadReader } from '../../history/chain/session-document.ts';
import { archiveRef, sessionRef } from '../../history/names/layout.ts';
import { loggedRun } from '../../history/runs/chunk-log.ts';
import type { Repository } from '../../history/store/repository.ts';
import { leavingGarbage } from '../../platform/memory.ts';
import { openSession } from '../session/active.ts';
import { chainBehind } from '../show.ts';

/** The step number of records that are in no step yet. */
export const UNFLUSHED = 0;

/** A conversation, with what is needed to read its long texts. */
export interface Loaded {
  session: Session;
  /** True if the session is open, so that it can be changed. */
  isOpen: boolean;
  head: string;
  conversation: Conversation;
  /** The trees of the steps: the tree of step 1 has the index 0. */
  trees: readonly string[];
  /** The sessions whose steps come before, the first one first. */
  before: readonly Session[];
}

/** A conversation that steps were folded into, and the trees of these steps. */
type Folded = Pick<Loaded, 'conversation' | 'trees'>;

/** Folds the steps of a chain. @param id of the session @param before the conversation that it continues, which is changed in place */
export function foldChain({ objects }: Repository, head: string, id: string, before?: Folded): Folded {
  const trees: string[] = [];
  for (const [, { tree }] of walkChain(objects, head)) trees.push(tree);
  trees.reverse();
  const { conversation, trees: earlier } = before ?? { conversation: emptyConversation(), trees: [] };
  leavingGarbage(() => {
    for (const [index, tree] of trees.entries()) {
      const records = readRecords(objects, tree, `step ${index + 1} of ${id}`, false);
      foldConversation(records, conversation, { step: earlier.length + index + 1 });
    }
  });
  return { conversation, trees: [...earlier, ...trees] };
}

/** Longest chain of sessions of which each resumes the one before it. */
const MOST_SESSIONS = 50;

/** A session in the store, open or ended. */
export interface StoredSession {
  session: Session;
  head: string;
  isOpen: boolean;
}

/** Reads a session, and before it those that it resumes, the first one first; what is not in the store any more ends the list. */
export function resumedSessions({ refs, objects }: Repository, id: string): StoredSession[] {
  const sessions: StoredSession[] = [];
  const seen = new Set<string>();
  for (let at: string | undefined = id; at !== undefined && !seen.has(at) && seen.size < MOST_SESSIONS; ) {
    seen.add(at);
    const open = refs.read(sessionRef(at));
    const head = open ?? refs.read(archiveRef(at));
    if (head === null) break;
    const { session } = readChain(objects, head);
    sessions.unshift({ session, head, isOpen: open !== null });
    at = session.resumes;
  }
  return sessions;
}

/**
 * Loads the conversation of a session, open or ended, or as of one of its steps, with the records that wait to be flushed, and with what a
 * run has brought so far.
 * @param given a session, a step or a canonical commit; `STAGE` is the active session
 * @param withResumed true if the sessions that it resumes come before it, as one conversation
 * @throws {CtxError} not_found, ambiguous, no_active_session, damaged
 */
export function loadConversation(repository: Repository, given: string, withResumed = false): Loaded {
  const { session_id, head, isOpen } = chainBehind(repository, given);
  const { session } = readChain(repository.objects, head);
  const before = withResumed ? resumedSessions(repository, session_id).slice(0, -1) : [];
  let earlier: Folded | undefined;
  for (const one of before) earlier = foldChain(repository, one.head, one.session.session_id, earlier);
  const folded = foldChain(repository, head, session_id, earlier);
  if (isOpen) {
    const { pending } = openSession(repository, sessionRef(session_id), head);
    const records = pending.map(({ record }) => record);
    foldConversation(records, folded.conversation, { step: UNFLUSHED });
  }
  const run = isOpen ? loggedRun(repository, session_id) : null;
  if (run && run.id !== session.last_run) foldConversation(recordsOfRun(run), folded.conversation, { step: UNFLUSHED });
  return { session, isOpen, head, before: before.map((one) => one.session), ...folded };
}

/** Returns the message that a whole id, or the beginning of one, names. @throws {CtxError} not_found, ambiguous */
export function messageNamed({ messages }: Conversation, given: string): FoldedMessage {
  const whole = messages.get(given);
  if (whole) return whole;
  const [found, ...others] = given === '' ? [] : [...messages.values()].filter(({ id }) => id.startsWith(given));
  const hint = 'See the ids with: ctx messages --view all';
  if (found === undefined) throw new CtxError('not_found', `The conversation has no message ${given}.`, { hint });
  if (others.length === 0) return found;
  const candidates = [found, ...others].map(({ id }) => id);
  throw new CtxError('ambiguous', `${candidates.length} messages have an id that begins with ${given}.`, {
    hint,
    data: { candidates },
  });
}

/** Steps whose payloads are at hand: the parts of a message may be in several steps, one after the other. */
const STEPS_AT_HAND = 8;

/**
 * Returns a function that puts the long texts of a part back in their places.
 * @param outputs `stored`: a long output of a call stays the stub that the store has of it
 */
export function partReader(
  { objects }: Repository,
  trees: readonly string[],
  outputs: 'whole' | 'stored',
): (part: Part, step: number) => Part {
  const atHand = new Map<number, FetchPayload>();
  const fetchOf = (step: number, tree: string): FetchPayload => {
    const known = atHand.get(step);
    if (known) return known;
    const fetch = payloadReader(objects, readTree(objects, tree), `step ${step}`);
    const [oldest] = atHand.keys();
    if (oldest !== undefined && atHand.size >= STEPS_AT_HAND) atHand.delete(oldest);
    atHand.set(step, fetch);
    return fetch;
  };
  return (part, step) => {
    const tree = step === UNFLUSHED ? undefined : trees[step - 1];
    if (tree === undefined || !holdsStub(part)) return part;
    const stub = outputs === 'stored' && part.type === 'dynamic-tool' ? part['output'] : undefined;
    // The stub of a text has the size of the text; the stub of any other value does not.
    if (!isStub(stub) || stub.encoding !== undefined) return internalise(part, fetchOf(step, tree));
    const call = { ...part, output: null };
    return { ...(holdsStub(call) ? internalise(call, fetchOf(step, tree)) : call), output: stub } as Part;
  };
}

/** Checks if a value holds a stub at any depth. */
function holdsStub(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (isStub(value)) return true;
  for (const key in value) if (holdsStub((value as { [key: string]: unknown })[key])) return true;
  return false;
}
