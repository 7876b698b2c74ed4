/** Deduplicates the records of tool calls that a hook has observed and a transcript repeats. */
import { isKind, type StoredRecord } from '../../core/records/record.ts';
import type { Source } from '../../core/session/session.ts';
import { type Chain, readChain, readRecords, walkChain } from '../../history/chain/chain.ts';
import { unflushed } from '../../history/chain/unflushed.ts';
import type { TranscriptNews } from '../../history/flush.ts';
import type { Repository } from '../../history/store/repository.ts';
import { ObservedDeeds } from './observed-deeds.ts';

/** Steps in which an observed call is searched for: its turn may have been flushed meanwhile. */
const LOOK_BACK = 5;

/** Most steps that a hook looks back, and how many with a part of the transcript: a turn spans no more. */
export const STEPS_BACK = 256;
const PARTS_BACK = 2;

/** The position of a session in a transcript. */
type Reached = Pick<Source, 'agent' | 'agent_session_id' | 'offset' | 'whole_after' | 'behind'>;

/** Says, step by step from the head, whether it was the last one to read. */
type IsEnough = (records: readonly StoredRecord[], oid: string) => boolean;

/** Reads the latest steps, and before them every step since the position was read. */
export function sinceRead(repository: Repository, since: Reached): IsEnough {
  let left = LOOK_BACK;
  let isSince = true;
  return (_records, oid) => {
    isSince &&= hasReached(readChain(repository.objects, oid), since);
    if (!isSince) left -= 1;
    return left === 0;
  };
}

/** Reads the steps that may have the turn that is only read now, and all since hooks fell behind. */
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

/** Returns whether a session has read nothing of a transcript. */
export const isUnread = ({ offset, behind }: Reached): boolean => behind === true || offset === 0;

/**
 * Returns whether a step may have records from after a position in a transcript: the step had read that far, or the
 * position is uncertain.
 */
export function hasReached({ session }: Chain, since: Reached): boolean {
  const { agent, agent_session_id, offset, whole_after = Number.POSITIVE_INFINITY } = since;
  if (isUnread(since) || session.step > whole_after) return true;
  return session.sources.some(
    (source) => source.agent === agent && source.agent_session_id === agent_session_id && source.offset === offset,
  );
}

/** Returns the number of the step before the one that last read a transcript to its end; 0 if none has. */
export function wholeAfter({ objects }: Repository, { head }: Chain, since: Reached): number {
  if (since.whole_after !== undefined) return since.whole_after;
  if (isUnread(since)) return 0;
  for (const [oid] of walkChain(objects, head)) {
    const step = readChain(objects, oid);
    if (!hasReached(step, since)) return step.session.step;
  }
  return 0;
}

/** What hooks have recorded: the calls of tools, and the deeds without a call id. */
interface Observed {
  calls: ReadonlySet<string>;
  /** Those of the calls that are in a step. */
  kept: ReadonlySet<string>;
  deeds: ObservedDeeds;
}

/** Collects what hooks have recorded, from the pending records and the steps that are searched. */
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

/** Separates what only repeats a hook's record from what adds to it. */
export class Repeats implements TranscriptNews {
  readonly isRead = true;
  readonly #observed: () => Observed;
  readonly #asKept: (body: object) => object;
  #known: Observed | undefined;
  readonly #exitCodes = new Map<string, number>();
  readonly #repeated = new Set<string>();

  /** @param observed called when the first record needs it @param asKept returns a record in its stored form */
  constructor(observed: () => Observed, asKept: (body: object) => object) {
    this.#observed = observed;
    this.#asKept = asKept;
  }

  /** Returns whether a record only repeats what a hook has observed; messages never do. */
  has(body: object): boolean {
    const { kind, tool_call_id: id, exit_code } = body as { kind: string; tool_call_id?: unknown; exit_code?: unknown };
    if (typeof id !== 'string' || kind === 'message' || kind === 'part') return false;
    this.#known ??= this.#observed();
    if (!this.#known.calls.has(id)) return this.#isRepeatedDeed(body);
    this.#repeated.add(id);
    if (kind === 'command' && typeof exit_code === 'number') this.#exitCodes.set(id, exit_code);
    return true;
  }

  /** For hooks without call ids, such as Gemini CLI's, each record counts once. */
  #isRepeatedDeed(body: object): boolean {
    const deeds = this.#known?.deeds;
    return deeds !== undefined && !deeds.isEmpty && deeds.take(this.#asKept(body));
  }

  isNew(call: string): boolean {
    return this.#repeated.has(call) && this.#known?.kept.has(call) !== true;
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
