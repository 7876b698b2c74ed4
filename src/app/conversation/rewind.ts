/** `ctx rewind` and `ctx unrewind`: the conversation continues from a message of the user, or from where it was. */
import { overlaysOf, type PastAct } from '../../core/conversation/acts.ts';
import type { Act, Conversation, FoldedMessage } from '../../core/conversation/conversation.ts';
import {
  isUsers,
  nearestOfUser,
  rewindTo,
  unrewind as takenBack,
  type Unrewind,
  usersInView,
  wordsOf,
} from '../../core/conversation/rewind.ts';
import type { SightChange } from '../../core/conversation/sight.ts';
import { CtxError } from '../../core/errors.ts';
import { type AnyBody, isKind } from '../../core/records/record.ts';
import { backToRunning, MOVES, planMove, type SessionState } from '../../core/state.ts';
import { oneLine, plural } from '../../core/text.ts';
import { latestRecords } from '../../history/chain/chain.ts';
import { checkNoRun } from '../../history/runs/run-status.ts';
import type { Repository } from '../../history/store/repository.ts';
import { observedSession } from '../session/observe.ts';
import { beginWorld, keptBefore, planChangeBack, type WorldPlan, type WorldResult } from '../world/world.ts';
import { changeConversation } from './change.ts';
import { type Loaded, loadConversation, messageNamed, partReader } from './load.ts';
import { finishRestore, worldAt } from './snapshots.ts';

/** A line of a conversation that is out of view, by its first message of the user. */
export interface NamedLine {
  message_id: string;
  /** The beginning of its words. */
  text: string;
  messages: number;
}

export interface RewindResult {
  session_id: string;
  /** The message from which the conversation continues. */
  message_id: string | null;
  /** The words of that message, to be edited and sent again. */
  text: string;
  /** Number of messages that were hidden from the model's view, and number of those that came back into it. */
  hidden: number;
  shown: number;
  /** Result for the files of the project; null if they were not to be restored. */
  world: WorldResult | null;
  /** True if nothing was changed because this was a dry run. */
  dry_run: boolean;
  /** The lines that are kept out of view. */
  lines: NamedLine[];
}

/** Length of the words that name a message, in characters. */
const NAME_LENGTH = 72;

const nameOf = (message: FoldedMessage): string => oneLine(wordsOf(message), NAME_LENGTH);

/** Options of a rewind. */
export interface RewindOptions {
  /** `chat` (default): the conversation alone. `world`: the files alone. `both`. */
  scope?: 'chat' | 'world' | 'both' | undefined;
  /** True if files that another session or the user has changed since are restored, too. */
  force?: boolean | undefined;
  /** True if nothing is changed: the result describes what would be. */
  dryRun?: boolean | undefined;
}

/**
 * Continues the conversation of the active session from a message of the user: everything after it goes out of the model's view, and
 * what a later compaction had summarised comes back. Nothing is deleted. Files stay as they are, unless the scope names them: then those
 * that this session alone has changed since become what they were at the message, and the files of today are kept as a snapshot.
 * @param given the id of the message or its beginning, or a number: 1 is the last message of the user in view
 * @throws {CtxError} not_found, ambiguous; invalid_input, if it is no message of the user: the nearest two are named;
 * no_active_session, choice_waits, no_such_move, if a run is in flight; busy, damaged
 */
export function rewind(repository: Repository, given: string, options: RewindOptions = {}): RewindResult {
  const { scope = 'chat', force = false, dryRun = false } = options;
  const plan = scope === 'chat' ? null : plannedWorld(repository, given, force);
  return changed(repository, 'rewind', plan, dryRun, (loaded, id) => {
    const { conversation } = loaded;
    const message = targetOf(conversation, given);
    const change = scope === 'world' ? { hide: [], show: [] } : rewindTo(conversation, message);
    const act = { id, by: 'rewind', to: message.id };
    const state = change.hide.length > 0 ? stateRewound(loaded) : [];
    return { act, change, state, message, isChange: change.hide.length + change.show.length > 0, kept: change.hide };
  });
}

/** Plans what becomes of the files, before LOCK is taken: that reads the whole work tree. */
function plannedWorld(repository: Repository, given: string, force: boolean): WorldPlan {
  const finished = finishRestore(repository);
  if (finished !== null) repository.notices.push(finished);
  const loaded = loadConversation(repository, observedSession(repository));
  return worldAt(repository, loaded, targetOf(loaded.conversation, given), force);
}

/**
 * Takes back the last rewind of the active session: the model sees what it saw before, and files that the rewind has restored become what
 * they were before it. What was said since stays as a line of its own.
 * @throws {CtxError} no_such_move, if there is no rewind to take back, or a run is in flight; no_active_session, choice_waits, busy, damaged
 */
export function unrewind(repository: Repository, options: Omit<RewindOptions, 'scope'> = {}): RewindResult {
  const { force = false, dryRun = false } = options;
  const finished = finishRestore(repository);
  if (finished !== null) repository.notices.push(finished);
  const session = observedSession(repository);
  checkNoRun(repository, session);
  const { conversation: now } = loadConversation(repository, session);
  const world = lastRewind(now).act.world;
  const plan = world ? planChangeBack(repository, world, force) : null;
  return changed(repository, 'unrewind', plan, dryRun, (loaded, id) => {
    const { conversation } = loaded;
    const back = lastRewind(conversation);
    const seen = new Set(back.show);
    const shown = [...conversation.messages.values()].filter(
      (message) => (message.hidden === null && !back.hide.includes(message.id)) || seen.has(message.id),
    );
    const act = { id, by: 'unrewind', of: back.act.id };
    const state = back.left.length > 0 ? [] : stateUnrewound(repository, loaded, back.act);
    return { act, change: back, state, message: shown.findLast(isUsers) ?? null, isChange: true, kept: back.left };
  });
}

/** @throws {CtxError} no_such_move, if no rewind is left to take back */
function lastRewind(conversation: Conversation): Unrewind {
  const back = takenBack(conversation);
  if (back) return back;
  throw new CtxError('no_such_move', 'No rewind is left to take back.', {
    hint: 'See every message with: ctx messages --view all',
  });
}

/** The text of a state, and when it was asked. */
const textsOf = (state: SessionState): [text: string, at: number] => {
  if (state.kind === 'AwaitingUser') return [state.question, state.asked_at];
  if (state.kind === 'PendingComplete') return [state.summary, 0];
  return [state.kind === 'Interrupted' ? state.user_message : '', 0];
};

/** Makes the record of a move that says nothing by itself. */
function moved(from: SessionState, to: SessionState): AnyBody[] {
  const verb = MOVES.find((move) => move.from.includes(from.kind) && move.to === to.kind)?.verb;
  if (verb === undefined) return [];
  const plan = planMove(from, verb, ...textsOf(to));
  return [{ kind: 'transition', from: plan.from, to: plan.to, by: verb }];
}

/** Makes the record by which a session that waits for its user is at work again, as it was when the message came. */
function stateRewound({ session: { session_state: state } }: Loaded): AnyBody[] {
  return backToRunning(state.kind) === undefined ? [] : moved(state, { kind: 'Running' });
}

/** Makes the record that takes back what a rewind did to the state of a session, if the session is as the rewind has left it. */
function stateUnrewound({ objects }: Repository, { session, head }: Loaded, act: PastAct): AnyBody[] {
  if (session.session_state.kind !== 'Running') return [];
  for (const records of latestRecords(objects, { head })) {
    const change = records.find((record) => isKind(record, 'transition'));
    if (records.some((record) => isKind(record, 'overlay') && record.act === act.id))
      return change === undefined ? [] : moved(session.session_state, change.from as SessionState);
    if (change !== undefined) return [];
  }
  return [];
}

/** Effect of a rewind, or of its opposite, on a conversation. */
interface Deed {
  act: Act;
  change: SightChange;
  /** The record of what becomes of the state of the session. */
  state: readonly AnyBody[];
  /** The message from which the conversation continues. */
  message: FoldedMessage | null;
  /** True if it is recorded even if no file changes. */
  isChange: boolean;
  /** The messages that are kept as a line of their own. */
  kept: readonly string[];
}

/** Records a rewind or its opposite, and restores the files that it is about. */
function changed(
  repository: Repository,
  command: 'rewind' | 'unrewind',
  plan: WorldPlan | null,
  dryRun: boolean,
  decide: (loaded: Loaded, act: string) => Deed,
): RewindResult {
  let world = plan?.result ?? null;
  const resultOf = (loaded: Loaded, { change: { hide, show }, message, kept }: Deed): RewindResult => ({
    session_id: loaded.session.session_id,
    message_id: message?.id ?? null,
    text: message ? wholeWords(repository, loaded, message) : '',
    hidden: hide.length,
    shown: show.length,
    world,
    dry_run: dryRun,
    lines: linesOf(loaded.conversation, kept),
  });
  if (dryRun) {
    const loaded = loadConversation(repository, observedSession(repository));
    return resultOf(loaded, decide(loaded, repository.ids()));
  }
  const result = changeConversation(repository, command, (loaded) => {
    const { session } = loaded;
    checkNoRun(repository, session.session_id);
    const deed = decide(loaded, repository.ids());
    const { act, change, state, isChange } = deed;
    const planned = { isRedacted: true, result: resultOf(loaded, deed) };
    if (plan === null) return { ...planned, records: isChange ? [...overlaysOf(act, change), ...state] : [] };
    const begun = beginWorld(repository, plan, act.id, session.session_id);
    const done = { ...act, world: begun.world };
    const afterwards = (): void => {
      world = begun.restore();
    };
    return { ...planned, records: [...overlaysOf(done, change), ...state, ...keptBefore(begun.world)], afterwards };
  });
  return { ...result, world };
}

/** The line that goes out of view, named by its first message of the user. */
function linesOf({ messages }: Conversation, ids: readonly string[]): NamedLine[] {
  const line = ids.flatMap((id) => messages.get(id) ?? []);
  const first = line.find(isUsers);
  return first ? [{ message_id: first.id, text: nameOf(first), messages: line.length }] : [];
}

/** Returns the message to go back to. @throws {CtxError} not_found, ambiguous, invalid_input */
function targetOf(conversation: Conversation, given: string): FoldedMessage {
  const isNumber = /^[1-9]\d{0,5}$/.test(given) && !conversation.messages.has(given);
  if (!isNumber) return usersOnly(conversation, messageNamed(conversation, given));
  const users = usersInView(conversation);
  const message = users.at(-Number(given));
  if (message) return message;
  throw new CtxError('not_found', `The model sees ${plural(users.length, 'message')} of the user.`, {
    hint: 'See all, those before a summary too, and name one by its id: ctx messages --view all --role user',
  });
}

/** @throws {CtxError} invalid_input, naming the nearest messages of the user */
function usersOnly(conversation: Conversation, message: FoldedMessage): FoldedMessage {
  if (isUsers(message)) return message;
  const nearest = nearestOfUser(conversation, message.place);
  const lines = nearest.map((one) => `ctx rewind ${one.id}   ${nameOf(one)}`);
  throw new CtxError(
    'invalid_input',
    `${message.id} is no message of the user: a conversation continues only from one.`,
    {
      hint: lines.length > 0 ? `The nearest are:\n${lines.join('\n')}` : 'The conversation has none yet.',
      data: {
        message_id: message.id,
        role: message.role,
        nearest: nearest.map((one) => ({ message_id: one.id, text: nameOf(one) })),
      },
    },
  );
}

/** The words of a message, long ones too. */
function wholeWords(repository: Repository, { trees }: Loaded, message: FoldedMessage): string {
  const read = partReader(repository, trees, 'whole');
  return wordsOf({ parts: message.parts.map((one) => ({ ...one, part: read(one.part, one.step) })) });
}
