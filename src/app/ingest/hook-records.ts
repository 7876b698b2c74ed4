/** Deduplicates a transcript against what hooks have recorded: deeds of tools, prompts, and the moves that they caused. */
import type { TranscriptEvent } from '../../agents/contract/agent.ts';
import type { StoredRecord } from '../../core/records/record.ts';
import { readChain, readRecords, walkChain } from '../../history/chain/chain.ts';
import type { Repository } from '../../history/store/repository.ts';
import { redactionFor } from '../redaction/redact.ts';
import type { KnownSource } from '../transcript/source.ts';
import { callerRecordFinder } from './caller-records.ts';
import type { Conversation } from './hook-session.ts';
import { wordsOfNote } from './noted-words.ts';
import { hasReached, isUnread, observedCalls, Repeats, STEPS_BACK, sinceRead } from './observed.ts';
import { storedForm } from './stored-form.ts';

/** The user's words to a session since its transcript was last read, and the time of its last move. */
interface UserWords {
  words: string[];
  until: number;
}

const MOVING: readonly string[] = ['task', 'note', 'transition'];

function wordsSinceRead({ objects }: Repository, { chain, source }: KnownSource): UserWords {
  const said: UserWords = { words: [], until: 0 };
  let left = STEPS_BACK;
  let newer: StoredRecord[] = [];
  const take = (): void => {
    const words = newer.flatMap((record) => (record.kind === 'task' ? record.content : wordsOfNote(record)) ?? []);
    said.words.unshift(...words.flatMap((text) => (typeof text === 'string' ? text.trim() : [])));
    said.until = Math.max(said.until, ...newer.filter(({ kind }) => MOVING.includes(kind)).map(({ at }) => at));
  };
  for (const [oid, { tree }] of walkChain(objects, chain.head)) {
    // The step that has read so far contains what the transcript itself said.
    if (left === 0 || !hasReached(readChain(objects, oid), source)) return said;
    left -= 1;
    take();
    newer = readRecords(objects, tree, `step ${oid}`, true);
  }
  if (isUnread(source)) take();
  return said;
}

/**
 * Returns a function that says of each event whether hooks have recorded it: in its session before this ingest, or, for
 * a sub-agent, in that of its caller.
 * @param observed null if no session has a part of it
 * @param caller the conversation that has called this one, or that it is a copy of; null while unknown
 */
export function hookRecordFinder(
  repository: Repository,
  observed: KnownSource | null,
  caller: () => Conversation | null,
): (event: TranscriptEvent) => boolean {
  const ofCallers = callerRecordFinder(repository, caller);
  if (!observed) return (event) => event.type === 'record' && ofCallers(event.body, event.at);
  const deeds = new Repeats(
    () => observedCalls(repository, observed.chain, sinceRead(repository, observed.source)),
    (body) => storedForm(repository, body),
  );
  const moves = observed.open ? new HookPrompts(repository, observed) : null;
  return (event) =>
    event.type === 'record' ? deeds.has(event.body) || ofCallers(event.body, event.at) : moves?.has(event) === true;
}

/** Detects the prompts that hooks have recorded, and the moves that they caused. */
class HookPrompts {
  readonly #repository: Repository;
  readonly #observed: KnownSource;
  #said: UserWords | null = null;
  /** Whether such a prompt came: hooks have recorded everything after it up to that time. */
  #hasBegun = false;

  constructor(repository: Repository, observed: KnownSource) {
    this.#repository = repository;
    this.#observed = observed;
  }

  has(event: TranscriptEvent): boolean {
    if (event.type !== 'prompt' && event.type !== 'move') return false;
    this.#said ??= wordsSinceRead(this.#repository, this.#observed);
    const { words, until } = this.#said;
    const said = event.type === 'prompt' ? redactionFor(this.#repository).text(event.text).trim() : '';
    const index = said === '' ? -1 : words.indexOf(said);
    if (index >= 0) words.splice(index, 1);
    this.#hasBegun ||= index >= 0;
    return index >= 0 || (this.#hasBegun && event.at <= until);
  }
}
