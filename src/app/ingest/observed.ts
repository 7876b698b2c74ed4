/** What a hook has observed and a transcript tells once more: the records of one tool call are kept once. */
import { isKind, type StoredRecord } from '../../core/records/record.ts';
import type { Source } from '../../core/session/session.ts';
import { type Chain, readChain, readRecords, walkChain } from '../../history/chain/chain.ts';
import { unflushed } from '../../history/chain/unflushed.ts';
import type { TranscriptNews } from '../../history/flush.ts';
import type { Repository } from '../../history/store/repository.ts';
import { ObservedDeeds } from './observed-deeds.ts';

/** Steps in which a call that a hook has observed is looked for: a turn may have been flushed meanwhile. */
export const LOOK_BACK = 5;

/** Most steps that a hook looks back, and how many of them that hold a part of the transcript: a turn lies in no more. */
export const STEPS_BACK = 256;
const PARTS_BACK = 2;

/** How far a session has read in a transcript. */
type Reached = Pick<Source, 'agent' | 'agent_session_id' | 'offset' | 'whole_after' | 'behind'>;

/** Tells, step by step from the head, whether it was the last one to look into. */
type IsEnough = (records: readonly StoredRecord[], oid: string) => boolean;

/** Looks through the latest steps, and further back through every step since so much of the transcript was read. */
export function sinceRead(repository: Repository, since: Reached): IsEnough {
  let left = LOOK_BACK;
  let isSince = true;
  return (_records, oid) => {
    isSince &&= hasReached(readChain(repository.objects, oid), since);
    if (!isSince) left -= 1;
    return left === 0;
  };
}

/** Looks through the steps in which the turn can lie that is read only now, and all that were made since hooks fell behind. */
export function thisTurn(repository: Repository, since: Reached): IsEnough {
  let [steps, parts] = [STEPS_BACK, PARTS_BACK];
  let isBehind = isUnread(since) || since.whole_after !== undefined;
  return (records, oid) => {
    isBehind &&= isUnread(since) || hasReached(readChain(repository.objects, oid), since);
    if (isBehind) return false;
    steps -= 1;
    parts -= records.some(({ kind }) => kind === 'message' || kind === 'part' || kind === 'raw') ? 1 : 0;
    return steps === 0 || parts === 0;
  };
}

/** Whether nothing of a transcript has been read by a session. */
export const isUnread = ({ offset, behind }: Reached): boolean => behind === true || offset === 0;

/** Whether a step may have what stands in a transcript behind what has been read: that was all of it then, or less is known. */
export function hasReached({ session }: Chain, since: Reached): boolean {
  const { agent, agent_session_id, offset, whole_after = Number.POSITIVE_INFINITY } = since;
  if (isUnread(since) || session.step > whole_after) return true;
  return session.sources.some(
    (source) => source.agent === agent && source.agent_session_id === agent_session_id && source.offset === offset,
  );
}

/** Number of the step before the one that last read a transcript to its end; 0 where none has. */
export function wholeAfter({ objects }: Repository, { head }: Chain, since: Reached): number {
  if (since.whole_after !== undefined) return since.whole_after;
  if (isUnread(since)) return 0;
  for (const [oid] of walkChain(objects, head)) {
    const step = readChain(objects, oid);
    if (!hasReached(step, since)) return step.session.step;
  }
  return 0;
}

/** What hooks have left already: the calls of tools, and the deeds that they told of without an id of its call. */
export interface Observed {
  calls: ReadonlySet<string>;
  /** Those of them that stand in a step. */
  kept: ReadonlySet<string>;
  deeds: ObservedDeeds;
}

/** What hooks have left already: in what waits, and in the steps that are looked into. */
export function observedCalls(repository: Repository, chain: Chain, isEnough: IsEnough): Observed {
  const calls = new Set<string>();
  const kept = new Set<string>();
  const deeds = new ObservedDeeds();
  const note = (record: object, isKept: boolean): void => {
    const { tool_call_id: id, hook } = record as { tool_call_id?: unknown; hook?: unknown };
    if (hook !== true) return;
    if (typeof id === 'string') calls.add(id);
    else deeds.note(record);
    if (typeof id === 'string' && isKept) kept.add(id);
  };
  for (const { record } of unflushed(repository, chain)) note(record, false);
  for (const [oid, { tree }] of walkChain(repository.objects, chain.head)) {
    const records = readRecords(repository.objects, tree, `step ${oid}`, false);
    for (const record of records) note(record, true);
    if (isEnough(records, oid)) break;
  }
  return { calls, kept, deeds };
}

/** Keeps apart what only repeats a hook's word, and what it adds to it. */
export class Repeats implements TranscriptNews {
  readonly isRead = true;
  readonly #observed: () => Observed;
  readonly #asKept: (body: object) => object;
  #known: Observed | undefined;
  readonly #exitCodes = new Map<string, number>();
  readonly #repeated = new Set<string>();

  /**
   * @param observed asked for when the first record needs it
   * @param asKept a record with what it tells of its deed as that is kept
   */
  constructor(observed: () => Observed, asKept: (body: object) => object) {
    this.#observed = observed;
    this.#asKept = asKept;
  }

  /** Whether a record only repeats what a hook has observed; the messages themselves never do. */
  has(body: object): boolean {
    const { kind, tool_call_id: id, exit_code } = body as { kind: string; tool_call_id?: unknown; exit_code?: unknown };
    if (typeof id !== 'string' || kind === 'message' || kind === 'part') return false;
    this.#known ??= this.#observed();
    if (!this.#known.calls.has(id)) return this.#isTold(body);
    this.#repeated.add(id);
    if (kind === 'command' && typeof exit_code === 'number') this.#exitCodes.set(id, exit_code);
    return true;
  }

  /** Of a hook that knows no ids each word counts once: Gemini CLI tells its hooks none. */
  #isTold(body: object): boolean {
    const deeds = this.#known?.deeds;
    return deeds !== undefined && !deeds.isEmpty && deeds.take(this.#asKept(body));
  }

  isNew(call: string): boolean {
    return this.#repeated.has(call) && this.#known?.kept.has(call) !== true;
  }

  /** A record of a hook's that waits, with the exit code where only the transcript tells it: Codex tells its hooks none. */
  complete(record: StoredRecord): StoredRecord {
    const { tool_call_id: id, hook } = record as { tool_call_id?: unknown; hook?: unknown };
    if (hook !== true || typeof id !== 'string' || !isKind(record, 'command')) return record;
    const exit_code = record.exit_code ?? this.#exitCodes.get(id);
    return exit_code === undefined ? record : { ...record, exit_code };
  }
}
