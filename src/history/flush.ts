/** Flushes `pending/` into the chain: the pending records of a session become a step. */
import { statSync } from 'node:fs';
import { freshReports, NO_TRANSCRIPT, type TranscriptNews } from '../core/intake/backlog.ts';
import type { Session } from '../core/session/session.ts';
import { plural } from '../core/text.ts';
import { below } from '../platform/below.ts';
import { type Chain, latestRecords, readChain, type StepRecord, writeStep } from './chain/chain.ts';
import { compactRecord } from './chain/record-payloads.ts';
import { alreadyFlushed, type Waiting } from './chain/unflushed.ts';
import { archiveRef, sessionRef } from './names/layout.ts';
import { flushable } from './pending/choices.ts';
import { adoptObjects, type Pending, pendingNames, readPending, removePending } from './pending/pending.ts';
import type { Repository } from './store/repository.ts';

/** Most bytes of pending records in one step: while the step is made they are held a dozen times over. */
const STEP_BYTES = 8 * 1024 * 1024;
/** Up to so many pending records are not measured: each is small. */
const UNWEIGHED = 1000;

/**
 * Flushes the pending records of a session into steps of readable size, except the last part. Only under LOCK.
 * @returns a sentence for each step
 */
export function* relieveBacklog(repository: Repository, id: string): Generator<string> {
  const { refs, objects } = repository;
  for (const names of partsOf(repository, id).slice(0, -1)) {
    const open = refs.read(sessionRef(id));
    const [ref, head] = open === null ? [archiveRef(id), refs.read(archiveRef(id))] : [sessionRef(id), open];
    if (head === null) return;
    const at = repository.clock();
    const flushed = flushInto(repository, readChain(objects, head, ref), at, { only: names });
    // The records of a part whose flush was killed are in the chain already.
    if (flushed.chain.head === head) continue;
    refs.move({ pointer: ref, old: head, new: flushed.chain.head }, { at, message: 'flush of a part' });
    flushed.clean();
    yield `Saved ${plural(flushed.count, 'record')} in a step of their own: more were waiting than one step can hold.`;
  }
}

/** Returns the names of a session's pending files, in parts of at most STEP_BYTES. */
function partsOf(repository: Repository, id: string): string[][] {
  const names = pendingNames(repository, id);
  const parts: string[][] = [[]];
  if (names.length <= UNWEIGHED) return parts;
  let size = 0;
  for (const name of names) {
    const file = statSync(below(repository.layout.pending, id, name), { throwIfNoEntry: false })?.size ?? 0;
    size += file;
    if (size > STEP_BYTES) {
      parts.push([]);
      size = file;
    }
    parts.at(-1)?.push(name);
  }
  return parts;
}

/** The result of a flush, before any pointer moves. */
export interface Flushed {
  chain: Chain;
  /** Number of pending records in the new step. */
  count: number;
  /** Number of records that stay pending, for the answer to a question of ctx or for the agent's next message or event. */
  held: number;
  /** Removes the files of the flushed records; to be called after the pointer has moved. */
  clean: () => void;
}

export interface FlushPlan {
  /** Records of a command, after the pending ones. */
  own?: readonly StepRecord[];
  /** Makes a step even without records. */
  always?: boolean;
  /** Names of the pending files to flush (default: all of them). */
  only?: readonly string[];
  /** Pending records, if they were read under the same LOCK; later ones wait for the next flush. */
  waiting?: Waiting;
  /** Also flushes records after an open question: its answer leaves them in this session. */
  held?: boolean;
  /** Skips the records that mark missed events: only a message or an event of the agent may flush those. */
  leavesMissed?: boolean;
  /** The session before the step, with its other changes; that of the chain if absent. */
  session?: Session;
  /** News of the transcript about the pending records, if it was read just now. */
  news?: TranscriptNews | undefined;
}

/**
 * Writes the pending records of a session, and the records of a command after them, as one more step; no step if there are
 * none.
 */
export function flushInto(repository: Repository, chain: Chain, at: number, plan: FlushPlan = {}): Flushed {
  const { own = [], always = false, held = false, news = NO_TRANSCRIPT } = plan;
  const id = chain.session.session_id;
  const { waiting } = plan;
  const done = waiting?.done ?? alreadyFlushed(repository, chain, pendingNames(repository, id));
  // After another step it would be unknown that they are in the chain.
  if (done.length > 0) removePending(repository, id, done);
  const names = plan.only ?? waiting?.names ?? pendingNames(repository, id);
  const free = held ? names : flushable(repository, id, names);
  const found =
    waiting?.records.filter(({ record }) => free.includes(`${record.id}.json`)) ?? readPending(repository, id, free);
  const chosen = plan.leavesMissed ? found.filter(({ record }) => !('missed' in record)) : found;
  const left = names.length - chosen.length;
  const taken = chosen.map((item) => item.record.id);
  // Pending records have their long texts inline; records of a step do not.
  const settled = ({ record, payloads }: Pending): StepRecord => {
    const whole = news.complete(record);
    return { ...compactRecord(repository.objects, whole, payloads), whole };
  };
  const clean = (): void => removePending(repository, id, taken);
  adoptObjects(repository, id, chosen);
  const fresh = freshReports(chosen.map(settled), {
    steps: latestRecords(repository.objects, chain),
    hasRead: chain.session.sources.some(({ offset }) => offset > 0),
    isCutOff: done.length > 0,
    news,
  });
  if (fresh.length + own.length === 0 && !always) return { chain, count: 0, held: left, clean };
  const session = plan.session ?? chain.session;
  const next = writeStep(repository.objects, { chain, session, records: [...fresh, ...own], at });
  return { chain: next, count: fresh.length, held: left, clean };
}
