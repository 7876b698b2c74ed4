/** From `pending/` into the chain: what waits for a session becomes a step. */
import { statSync } from 'node:fs';
import type { StoredRecord } from '../core/records/record.ts';
import type { Session } from '../core/session/session.ts';
import { plural } from '../core/text.ts';
import { archiveRef, sessionRef } from '../git/layout.ts';
import { below } from '../platform/below.ts';
import { type Chain, readChain, type StepRecord, writeStep } from './chain/chain.ts';
import { lightRecord } from './chain/light.ts';
import { withoutKept, withoutRepeats } from './chain/repeats.ts';
import { alreadyFlushed } from './chain/unflushed.ts';
import { flushable } from './pending/choices.ts';
import { adoptObjects, type Pending, pendingNames, readPending, removePending } from './pending/pending.ts';
import type { Repository } from './store/repository.ts';

/** Most that one step takes of what waits, in bytes: while it is made it is held a dozen times over. */
const STEP_BYTES = 8 * 1024 * 1024;
/** Up to so many waiting records are not weighed: they are kept small one by one. */
const UNWEIGHED = 1000;

/**
 * Puts what waits for a session into steps of a size that can be read again, but for the last part. Only under LOCK.
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
    // Nothing fresh in it: those of a part whose flush was killed are in the chain already.
    if (flushed.chain.head === head) continue;
    refs.move({ pointer: ref, old: head, new: flushed.chain.head }, { at, message: 'flush of a part' });
    flushed.clean();
    yield `Saved ${plural(flushed.count, 'record')} in a step of their own: more were waiting than one step can hold.`;
  }
}

/** Names of the files that wait for a session, in parts of no more than STEP_BYTES. */
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

/** What a flush has written, before any pointer moves. */
export interface Flushed {
  chain: Chain;
  /** How many waiting records are in the new step. */
  count: number;
  /** How many wait on, for the answer to a question of ctx's or for the agent's next message or event. */
  held: number;
  /** Removes the files of the waiting records; for when the pointer has moved. */
  clean: () => void;
}

/** What a transcript that was read just now tells of what hooks have left. */
export interface ToldNow {
  /** Gives a waiting record what has become known of it since. */
  complete: (record: StoredRecord) => StoredRecord;
  /** Whether it tells of a call that stands in no step. */
  isNew: (call: string) => boolean;
  /** Whether there is one: what it does not tell of now it may have told before. */
  isRead: boolean;
}

/** What is known where no transcript was read. */
const UNTOLD: ToldNow = { complete: (record) => record, isNew: () => false, isRead: false };
/** What one tells that has nothing new. */
export const NOTHING_NEW: ToldNow = { ...UNTOLD, isRead: true };

export interface FlushPlan {
  /** Records of a command, behind those that wait. */
  own?: readonly StepRecord[];
  /** Make a step even where there is nothing to write. */
  always?: boolean;
  /** Names of the waiting files to take (default: all of them). */
  only?: readonly string[];
  /** Take what came after a question that still waits, too: its answer leaves it to this session. */
  held?: boolean;
  /** Leave what a session has to make up for: only a message or an event of its agent can. */
  leavesMissed?: boolean;
  /** The session before the step, with whatever beyond its records changes; that of the chain where absent. */
  session?: Session;
  /** What the transcript tells of what waits, where it was read just now. */
  told?: ToldNow | undefined;
}

/** Writes what waits for a session, and the records of a command behind it, into one more step; none where there is nothing. */
export function flushInto(repository: Repository, chain: Chain, at: number, plan: FlushPlan = {}): Flushed {
  const { own = [], always = false, held = false, told = UNTOLD } = plan;
  const id = chain.session.session_id;
  const done = alreadyFlushed(repository, chain, pendingNames(repository, id));
  // Once there is another step nobody could tell any more that they are in the chain.
  if (done.length > 0) removePending(repository, id, done);
  const names = plan.only ?? pendingNames(repository, id);
  const free = held ? names : flushable(repository, id, names);
  const found = readPending(repository, id, free);
  const chosen = plan.leavesMissed ? found.filter(({ record }) => !('missed' in record)) : found;
  const left = names.length - chosen.length;
  const taken = chosen.map((item) => item.record.id);
  // What waits has its long texts in it; what stands in a step does not.
  const settled = ({ record, payloads }: Pending): StepRecord => {
    const whole = told.complete(record);
    return { ...lightRecord(repository.objects, whole, payloads), whole };
  };
  const waiting = withoutRepeats(chosen);
  const clean = (): void => removePending(repository, id, taken);
  adoptObjects(repository, id, waiting);
  const known = { isNew: (call: string) => told.isNew(call), isCutOff: done.length > 0, isRead: told.isRead };
  const fresh = withoutKept(repository.objects, chain, waiting.map(settled), known);
  if (fresh.length + own.length === 0 && !always) return { chain, count: 0, held: left, clean };
  const session = plan.session ?? chain.session;
  const next = writeStep(repository.objects, { chain, session, records: [...fresh, ...own], at });
  return { chain: next, count: fresh.length, held: left, clean };
}
