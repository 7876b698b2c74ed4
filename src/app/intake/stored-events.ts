/** Reads what is stored of a conversation, each part of it once an event needs it, and reconciles a transcript's events with it. */
import type { Agent, TranscriptEvent } from '../../agents/contract/agent.ts';
import { CtxError } from '../../core/errors.ts';
import type { TranscriptNews } from '../../core/intake/backlog.ts';
import { COMPARED_OUTPUT, Deeds, type IsSame } from '../../core/intake/deeds.ts';
import { Notes } from '../../core/intake/notes.ts';
import type { Conversation } from '../../core/intake/reconcile.ts';
import { type Event, reconcile, type Stored, type Verdict } from '../../core/intake/reconcile.ts';
import { Words, wordsOfNote } from '../../core/intake/words.ts';
import { isKind, type StoredRecord } from '../../core/records/record.ts';
import type { MovePlan } from '../../core/state.ts';
import { type Chain, readChain, readRecords, walkChain } from '../../history/chain/chain.ts';
import { unflushed } from '../../history/chain/unflushed.ts';
import { archiveRef, sessionRef } from '../../history/names/layout.ts';
import type { Pending } from '../../history/pending/pending.ts';
import type { Repository } from '../../history/store/repository.ts';
import { redactionFor } from '../redaction/redact.ts';
import { statedPath } from '../session/snapshot.ts';
import type { KnownSource } from '../transcript/source.ts';
import { sessionsOf } from '../transcript/source-index.ts';
import { type IsEnough, isUnread, latestSteps, questionRecords, sinceRead, stepsSince, thisTurn } from './reach.ts';

/** Reads each part of what is stored when it is first needed. */
function lazily(parts: { [Part in keyof Stored]?: () => Stored[Part] }): Stored {
  const stored: Stored = {};
  for (const [part, read] of Object.entries(parts)) {
    const get = (): unknown => {
      const value = read();
      Object.defineProperty(stored, part, { value });
      return value;
    };
    Object.defineProperty(stored, part, { get, configurable: true });
  }
  return stored;
}

type Own = Pick<Agent, 'isSame'>;

/** Reads the records that hooks have stored of a session that reads an increment of its transcript. */
const storedInTurn = (
  repository: Repository,
  chain: Chain,
  { isSame }: Own,
  read: KnownSource['source'],
  first: () => number,
): Stored =>
  lazily({
    deeds: () => deedsOfHooks(repository, chain, thisTurn(repository, read, first()), isSame),
    turnWords: () => wordsOfTurn(repository, chain),
  });

/** Reads the records that hooks have stored of a session that an ingest continues. */
const storedSinceRead = (
  repository: Repository,
  { chain, source, open }: KnownSource,
  { isSame }: Own,
  first: () => number,
): Stored =>
  lazily({
    deeds: () => deedsOfHooks(repository, chain, sinceRead(repository, source, first()), isSame),
    ...(open && { words: () => wordsSinceRead(repository, { chain, source }) }),
  });

/** The notes of the tools' questions of a session. */
export const storedNotes = (repository: Repository, chain: Chain, pending?: readonly Pending[]): Stored =>
  lazily({ notes: () => new Notes(() => notesOf(repository, chain, pending)) });

function* notesOf(repository: Repository, chain: Chain, pending?: readonly Pending[]): Generator<StoredRecord> {
  for (const { record } of (pending ?? unflushed(repository, chain)).toReversed()) yield record;
  yield* questionRecords(repository, chain);
}

/** Reads the deeds that hooks have recorded, from the pending records and the steps that are searched. */
function deedsOfHooks(repository: Repository, chain: Chain, isEnough: IsEnough, isSame: IsSame | undefined): Deeds {
  const deeds = new Deeds(isSame);
  for (const { record } of unflushed(repository, chain)) if (record['hook'] === true) deeds.add(record, 'pending');
  for (const [oid, { tree }] of walkChain(repository.objects, chain.head)) {
    const records = readRecords(repository.objects, tree, `step ${oid}`, false);
    for (const record of records) if (record['hook'] === true) deeds.add(record, 'turn');
    if (isEnough(records, oid)) break;
  }
  return deeds;
}

/** Kinds of records that move a session, or say what has moved it. */
const MOVING: readonly string[] = ['task', 'note', 'transition'];

/** Reads the user's words to a session since its transcript was last read, and the time of its last move. */
function wordsSinceRead(repository: Repository, { chain, source }: Pick<KnownSource, 'chain' | 'source'>): Words {
  const steps = [...stepsSince(repository, chain, source)];
  // The step that has read so far contains what the transcript itself said.
  const records = (isUnread(source) ? steps : steps.slice(0, -1)).flat();
  const said = records.map((record) => (isKind(record, 'task') ? record.content : wordsOfNote(record)));
  const moves = records.filter(({ kind }) => MOVING.includes(kind)).map(({ at }) => at);
  const until = moves.reduce((last, at) => Math.max(last, at), 0);
  return new Words(
    said.filter((words) => typeof words === 'string'),
    until,
  );
}

/** Reads what the user has said in the current turn. */
function wordsOfTurn(repository: Repository, chain: Chain): Words {
  const said: string[] = [];
  for (const step of latestSteps(repository, chain)) {
    said.push(...step.map(wordsOfNote).filter((words) => words !== null));
    if (step.some((record) => isKind(record, 'transition') && record.from?.kind === 'PendingComplete')) break;
  }
  return new Words(said);
}

/** The deeds of sub-agents in the steps of a chain, by its head: a caller may have called hundreds. */
const flushedDeeds = new WeakMap<Repository, Map<string, readonly StoredRecord[]>>();

/** Returns whether a hook's record is the deed of a sub-agent: some agents' hooks know neither call ids nor who acts. */
const isOfSubAgent = (record: StoredRecord): boolean =>
  record['hook'] === true &&
  typeof record[typeof record['tool_call_id'] === 'string' ? 'sub_agent' : 'told_at'] === 'string';

function flushedBySubAgents(repository: Repository, { head }: Chain): readonly StoredRecord[] {
  const known = flushedDeeds.get(repository) ?? new Map<string, readonly StoredRecord[]>();
  flushedDeeds.set(repository, known);
  const before = known.get(head);
  if (before) return before;
  const found: StoredRecord[] = [];
  for (const [oid, { tree }] of walkChain(repository.objects, head))
    found.push(...readRecords(repository.objects, tree, `step ${oid}`, false).filter(isOfSubAgent));
  known.set(head, found);
  return found;
}

/**
 * Reads the deeds of the sub-agents of a conversation and of its ancestors: hooks attribute those of a nested sub-agent to
 * the topmost one.
 */
function deedsOfSubAgents(
  repository: Repository,
  { agent, agent_session }: Conversation,
  isSame: IsSame | undefined,
): Deeds {
  const deeds = new Deeds(isSame);
  const above = new Set([agent_session]);
  for (const conversation of above)
    for (const id of sessionsOf(repository, agent, conversation)) {
      const parent = addDeeds(repository, id, deeds);
      if (typeof parent === 'string') above.add(parent);
    }
  return deeds;
}

/** Adds the sub-agents' deeds in a session. @returns the conversation above it, if it names one */
function addDeeds(repository: Repository, id: string, deeds: Deeds): unknown {
  const { refs, objects } = repository;
  const head = refs.read(sessionRef(id)) ?? refs.read(archiveRef(id));
  if (head === null) return undefined;
  try {
    const chain = readChain(objects, head);
    for (const record of flushedBySubAgents(repository, chain)) deeds.add(record, 'turn');
    for (const { record } of unflushed(repository, chain)) if (isOfSubAgent(record)) deeds.add(record, 'pending');
    return chain.session.parent_agent_session_id;
  } catch (error) {
    // A damaged session does not stop the ingest: its records may be duplicated.
    if (error instanceof CtxError && error.code === 'damaged') return undefined;
    throw error;
  }
}

/** Reconciles the events of a transcript with what hooks have stored. */
export class TranscriptIntake implements TranscriptNews {
  readonly isRead = true;
  readonly isSame: IsSame | undefined;
  readonly #repository: Repository;
  readonly #stored: Stored;
  readonly #exitCodes = new Map<string, number>();
  readonly #repeated = new Set<string>();

  /** When the first event happened, in Unix seconds. */
  #first = Number.POSITIVE_INFINITY;

  /** @param stored returns what hooks have stored, as far back as the first event */
  constructor(repository: Repository, { isSame }: Own, stored: (first: () => number) => Stored) {
    this.#repository = repository;
    this.isSame = isSame;
    this.#stored = stored(() => this.#first);
  }

  /** Makes the intake of an increment of a transcript. */
  static ofIncrement(repository: Repository, chain: Chain, own: Own, read: KnownSource['source']): TranscriptIntake {
    return new TranscriptIntake(repository, own, (first) => storedInTurn(repository, chain, own, read, first));
  }

  /** Returns whether an event adds nothing to its session; messages always do. */
  knows(event: TranscriptEvent): boolean {
    if (event.type === 'record') return this.#knowsDeed(event.body, event.at);
    if (event.type === 'move') return this.#decide({ kind: 'move', from: 'transcript', at: event.at }) !== 'new';
    if (event.type !== 'prompt') return false;
    const words = redactionFor(this.#repository).text(event.text);
    return this.#decide({ kind: 'prompt', from: 'transcript', words, at: event.at }) !== 'new';
  }

  /** Returns whether a hook has recorded what the user says within a turn. */
  knowsCutIn(text: string): boolean {
    const words = redactionFor(this.#repository).text(text);
    return this.#decide({ kind: 'cut-in', from: 'transcript', words }) !== 'new';
  }

  #decide(event: Event): Verdict {
    return reconcile(this.#stored, event);
  }

  #knowsDeed(body: object, at: number): boolean {
    const event = deedEvent(this.#repository, 'transcript', body, at);
    if (at > 0) this.#first = Math.min(this.#first, at);
    if (event === null || this.#decide(event) === 'new') return false;
    const { tool_call_id: id, exit_code } = body as { tool_call_id: string; exit_code?: unknown };
    this.#repeated.add(id);
    if (typeof exit_code === 'number') this.#exitCodes.set(id, exit_code);
    return true;
  }

  isNew(call: string): boolean {
    const isFlushed = (): boolean =>
      this.#stored.deeds?.ofCall(call).some(({ isHooks, place }) => isHooks && place !== 'pending') === true;
    return this.#repeated.has(call) && !isFlushed();
  }

  /**
   * Completes a pending record of a hook with the exit code if only the transcript has it: Codex passes none to its
   * hooks.
   */
  complete(record: StoredRecord): StoredRecord {
    const { tool_call_id: id, hook } = record as { tool_call_id?: unknown; hook?: unknown };
    if (hook !== true || typeof id !== 'string' || !isKind(record, 'command')) return record;
    const exit_code = record.exit_code ?? this.#exitCodes.get(id);
    return exit_code === undefined ? record : { ...record, exit_code };
  }
}

/** Makes the event of a record in a transcript; null if it is no tool's deed, or has no id. */
function deedEvent(repository: Repository, from: 'transcript' | 'sub-agent', body: object, at: number): Event | null {
  const { kind, tool_call_id: id } = body as { kind: string; tool_call_id?: unknown };
  if (typeof id !== 'string' || kind === 'message' || kind === 'part') return null;
  // Hooks may report a deed at any time after it.
  const until = from === 'transcript' ? Number.POSITIVE_INFINITY : at;
  return { kind: 'deed', from, body, at: until, inStoredForm: () => storedForm(repository, body) };
}

/**
 * Returns a function that says of each event of an ingest whether it is stored: in its session before this ingest, or,
 * for a sub-agent, in that of its caller.
 * @param observed null if no session has a part of it
 * @param caller the conversation that has called this one, or that it is a copy of; null while unknown
 */
export function storedEventFinder(
  repository: Repository,
  observed: KnownSource | null,
  agent: Own,
  caller: () => Conversation | null,
): (event: TranscriptEvent) => boolean {
  const own =
    observed && new TranscriptIntake(repository, agent, (first) => storedSinceRead(repository, observed, agent, first));
  let callers: { of: string; stored: Stored } | null = null;
  const isCallers = (body: object, at: number): boolean => {
    const event = deedEvent(repository, 'sub-agent', body, at);
    const by = event && caller();
    if (!event || !by) return false;
    if (callers?.of !== by.agent_session)
      callers = { of: by.agent_session, stored: { deeds: deedsOfSubAgents(repository, by, agent.isSame) } };
    return reconcile(callers.stored, event) !== 'new';
  };
  return (event) => own?.knows(event) === true || (event.type === 'record' && isCallers(event.body, event.at));
}

/** Removes the note from a transcript's move if hooks have left that note already. */
export function withoutStoredNote(
  repository: Repository,
  stored: Stored,
  plan: MovePlan,
  text: string,
  call: string | undefined,
): MovePlan {
  const { from, to, note } = plan;
  if (call === undefined || note === null) return plan;
  const state = to.kind === 'AwaitingUser' ? to : from;
  if (state.kind !== 'AwaitingUser') return plan;
  const answer = state === to ? null : text;
  const question = { asked: state.question, call: redactionFor(repository).text(call), answer };
  const verdict = reconcile(stored, { kind: 'question', from: 'transcript', question });
  return verdict === 'new' ? plan : { ...plan, note: null };
}

/** Converts the path, command, output and content of an incoming record to their stored form, so that two records can be compared. */
function storedForm(repository: Repository, body: object): object {
  const { path, command, output, content } = body as { [field: string]: unknown };
  const { text } = redactionFor(repository);
  const { project } = repository;
  return {
    ...body,
    ...(typeof path === 'string' && { path: statedPath(path, project, text) }),
    ...(typeof command === 'string' && { command: text(command) }),
    ...(typeof content === 'string' && content.length <= COMPARED_OUTPUT && { content: text(content) }),
    ...(typeof output === 'string' && output.length <= COMPARED_OUTPUT && { output: text(output) }),
  };
}
