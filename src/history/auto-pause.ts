/** Records that the current session is paused: nothing was done in it for as long as `auto_pause` says. */
import { mustPause } from '../core/listing/status.ts';
import { titleOf } from '../core/listing/title.ts';
import { whereStopped } from '../core/listing/where-stopped.ts';
import { type AnyBody, makeRecord } from '../core/records/record.ts';
import { isActivity } from '../core/records/table.ts';
import { type Session, waitsForTurn } from '../core/session/session.ts';
import { exists } from '../platform/files.ts';
import { readChain, type StepRecord } from './chain/chain.ts';
import { compactRecord } from './chain/record-payloads.ts';
import { unflushed } from './chain/unflushed.ts';
import { flushInto } from './flush.ts';
import { liveRun } from './runs/run-status.ts';
import type { Repository } from './store/repository.ts';

/** Makes the record of a pause. @param summary where the session stopped, redacted already; null if nothing says so */
export function pauseRecord(
  { objects, ids }: Pick<Repository, 'objects' | 'ids'>,
  at: number,
  by: 'idle' | 'stop',
  summary: string | null,
): StepRecord {
  const body: AnyBody = { kind: 'status', from: 'active', to: 'paused', by, ...(summary !== null && { summary }) };
  const whole = makeRecord(ids(), at, body);
  return { ...compactRecord(objects, whole), whole };
}

/** Words the notice of a pause that nobody has asked for. */
export const pausedNotice = (session: Session, idle: number): string =>
  `Saved as paused: "${titleOf(session)}", since nothing was done in it for ${Math.floor(idle / 60)} minutes.`;

/**
 * Records the pause of a session, with what waits for it, if it is idle and no record says so. Only under LOCK.
 * @returns a sentence that says so; null if there is nothing to record
 * @throws {CtxError} damaged
 */
export function pauseIdle(repository: Repository, ref: string): string | null {
  const { refs, objects, settings } = repository;
  const head = settings.auto_pause === null ? null : refs.read(ref);
  if (head === null) return null;
  const chain = readChain(objects, head, ref);
  const done = unflushed(repository, chain).filter(({ record }) => isActivity(record));
  const last_activity = done.reduce((last, { record }) => Math.max(last, record.at), chain.session.last_activity);
  const at = repository.clock();
  const { paused } = chain.session;
  // An agent may think for long before it says anything.
  if (exists(repository.layout.runs) && liveRun(repository, chain.session.session_id)) return null;
  if (waitsForTurn(chain.session) || !mustPause({ paused, last_activity }, at, settings.auto_pause)) return null;
  const own = [pauseRecord(repository, at, 'idle', whereStopped(chain.session.session_state))];
  const flushed = flushInto(repository, chain, at, { own, leavesMissed: true });
  repository.saved.add(chain.session.session_id);
  refs.move({ pointer: ref, old: head, new: flushed.chain.head }, { at, message: 'pause' });
  flushed.clean();
  return pausedNotice(flushed.chain.session, at - last_activity);
}
