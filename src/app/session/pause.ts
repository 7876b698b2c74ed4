/** Makes the records by which a session is paused, and becomes active again. */
import { isStopped, mustPause } from '../../core/listing/status.ts';
import { summaryOf } from '../../core/listing/where-stopped.ts';
import { type AnyBody, makeRecord } from '../../core/records/record.ts';
import { pausedNotice, pauseRecord } from '../../history/auto-pause.ts';
import type { StepRecord } from '../../history/chain/chain.ts';
import { compactRecord } from '../../history/chain/record-payloads.ts';
import { flushInto } from '../../history/flush.ts';
import type { Repository } from '../../history/store/repository.ts';
import type { Transaction } from '../../history/transaction.ts';
import { type ActiveSession, openSession } from './active.ts';

/** Makes the record that a paused session is active again. @param by the command, or `message` */
export function activeRecord({ objects, ids }: Repository, at: number, by: string): StepRecord {
  const body: AnyBody = { kind: 'status', from: 'paused', to: 'active', by };
  const whole = makeRecord(ids(), at, body);
  return { ...compactRecord(objects, whole), whole };
}

/** Plans that a session is active again, if its user had stopped it. @returns the head of its chain afterwards */
export function activated(repository: Repository, transaction: Transaction, active: ActiveSession, by: string): string {
  const { ref, chain, session } = active;
  if (!isStopped(session)) return chain.head;
  const at = repository.clock();
  const flushed = flushInto(repository, chain, at, { own: [activeRecord(repository, at, by)], leavesMissed: true });
  transaction.move(ref, chain.head, flushed.chain.head);
  transaction.afterwards(flushed.clean);
  return flushed.chain.head;
}

/** Makes the record of the pause of a session into which waiting records are flushed long after they were made; else null. */
export function idlePause(repository: Repository, ref: string, head: string, at: number): StepRecord | null {
  const active = openSession(repository, ref, head);
  const { session, pending, last_activity } = active;
  const { auto_pause } = repository.settings;
  if (pending.length === 0 || !mustPause({ paused: session.paused, last_activity }, at, auto_pause)) return null;
  repository.notices.push(pausedNotice(session, at - last_activity));
  return pauseRecord(repository, at, 'idle', summaryOf(session));
}
