/** What hooks have recorded already, and a transcript tells once more: deeds of tools, prompts, and the moves that came of them. */
import type { TranscriptEvent } from '../../agents/contract/agent.ts';
import type { StoredRecord } from '../../core/record.ts';
import { readChain, readRecords, walkChain } from '../../history/chain/chain.ts';
import type { Repository } from '../../history/store/repository.ts';
import { redactionFor } from '../redaction/redact.ts';
import type { KnownSource } from '../transcript/source.ts';
import { heardOfCallers } from './caller-records.ts';
import type { Conversation } from './hook-session.ts';
import { wordsOfNote } from './noted-words.ts';
import { hasReached, isUnread, observedCalls, Repeats, STEPS_BACK, sinceRead } from './observed.ts';
import { asKept } from './stored-form.ts';

/** What the user has said to a session since its transcript was read for the last time, and when it moved last. */
interface Told {
  words: string[];
  until: number;
}

const MOVING: readonly string[] = ['task', 'note', 'transition'];

function toldSince({ objects }: Repository, { chain, source }: KnownSource): Told {
  const told: Told = { words: [], until: 0 };
  let left = STEPS_BACK;
  let newer: StoredRecord[] = [];
  const take = (): void => {
    const words = newer.flatMap((record) => (record.kind === 'task' ? record.content : wordsOfNote(record)) ?? []);
    told.words.unshift(...words.flatMap((text) => (typeof text === 'string' ? text.trim() : [])));
    told.until = Math.max(told.until, ...newer.filter(({ kind }) => MOVING.includes(kind)).map(({ at }) => at));
  };
  for (const [oid, { tree }] of walkChain(objects, chain.head)) {
    // The step that has read so much holds what the transcript itself has told.
    if (left === 0 || !hasReached(readChain(objects, oid), source)) return told;
    left -= 1;
    take();
    newer = readRecords(objects, tree, `step ${oid}`, true);
  }
  if (isUnread(source)) take();
  return told;
}

/**
 * Tells of each event whether hooks have recorded it already: in its session as it was before its transcript is read
 * on, or, of a sub-agent, in that of its caller.
 * @param observed null where no session has anything of it
 * @param caller the conversation that has called this one, or of which it is a copy; null where none is known by now
 */
export function heardByHooks(
  repository: Repository,
  observed: KnownSource | null,
  caller: () => Conversation | null,
): (event: TranscriptEvent) => boolean {
  const ofCallers = heardOfCallers(repository, caller);
  if (!observed) return (event) => event.type === 'record' && ofCallers(event.body, event.at);
  const deeds = new Repeats(
    () => observedCalls(repository, observed.chain, sinceRead(repository, observed.source)),
    (body) => asKept(repository, body),
  );
  const moves = observed.open ? new ToldMoves(repository, observed) : null;
  return (event) =>
    event.type === 'record' ? deeds.has(event.body) || ofCallers(event.body, event.at) : moves?.has(event) === true;
}

/** Keeps apart the prompts that hooks have taken up, with all that came of them. */
class ToldMoves {
  readonly #repository: Repository;
  readonly #observed: KnownSource;
  #told: Told | null = null;
  /** Whether a prompt of theirs came: what follows it in time, they have recorded. */
  #isTheirs = false;

  constructor(repository: Repository, observed: KnownSource) {
    this.#repository = repository;
    this.#observed = observed;
  }

  has(event: TranscriptEvent): boolean {
    if (event.type !== 'prompt' && event.type !== 'move') return false;
    this.#told ??= toldSince(this.#repository, this.#observed);
    const { words, until } = this.#told;
    const said = event.type === 'prompt' ? redactionFor(this.#repository).text(event.text).trim() : '';
    const index = said === '' ? -1 : words.indexOf(said);
    if (index >= 0) words.splice(index, 1);
    this.#isTheirs ||= index >= 0;
    return index >= 0 || (this.#isTheirs && event.at <= until);
  }
}
